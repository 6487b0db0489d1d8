"""What the responder page shows, in the order in which it is read. Plain values: nothing here knows about HTML."""

from enum import StrEnum
from typing import NamedTuple

from ficha.fmd.freshness import Level


class Damaged:
    """Takes the place of a document that could not be decrypted."""

    def __repr__(self) -> str:
        return "DAMAGED"


DAMAGED = Damaged()


class ShownText(NamedTuple):
    """`own` is what the person or her family wrote, in their language; every other text is in the reader's.

    `strong` is shown in bold.
    """

    words: str
    own: bool = False
    strong: bool = False


class ConfirmedBy(NamedTuple):
    """When a fact was confirmed and by whom. Without a level it is only known when it was saved."""

    words: str
    level: Level | None = None


class Number(NamedTuple):
    """A phone number as it is read and as it is dialled. `dial` is empty for one that cannot be dialled."""

    shown: str
    dial: str = ""
    label: str = ""


class FactLine(NamedTuple):
    """A fact: its name, short details, and notes in the owner's words."""

    title: ShownText
    details: tuple[ShownText, ...] = ()
    notes: tuple[ShownText, ...] = ()
    confirmed: ConfirmedBy | None = None
    number: Number | None = None


class Section(NamedTuple):
    """Facts of a kind. `sentences` say that there are none, or that something could not be read."""

    key: str
    title: str
    lines: tuple[FactLine, ...] = ()
    sentences: tuple[str, ...] = ()


class PersonSummary(NamedTuple):
    """Empty where nothing is known or may be seen. `traits` are age, sex and so on. `is_silent`: she does not speak."""

    name: str = ""
    given: str = ""
    photo_id: str = ""
    traits: tuple[str, ...] = ()
    languages: str = ""
    is_silent: bool = False


class StopSign(NamedTuple):
    text: str
    detail: str = ""


class NoSigns(StrEnum):
    """Why there is no stop sign. `judged`: the rules have judged everything that is recorded. `written`: all but what
    somebody wrote in words."""

    JUDGED = "judged"
    NOT_JUDGED = "not_judged"
    WRITTEN = "written"
    RESERVED = "reserved"
    NOTHING_RECORDED = "nothing_recorded"


class AdviceLine(NamedTuple):
    """General first aid: when it helps, what to do, what not to do, and what only professionals need to read. `rescue`
    says where the record keeps the medicine that helps."""

    title: str
    do: str
    dont: str
    staff: str = ""
    rescue: str = ""


class ContactToCall(NamedTuple):
    """Somebody to call. `notes` say that she may decide, or speaks another language."""

    name: str
    relation: ShownText | None
    number: Number | None
    notes: tuple[str, ...] = ()
    confirmed: ConfirmedBy | None = None


class ResponderView(NamedTuple):
    """`written_in` is the language tag of the owner's own words and `written_in_name` how the reader calls it."""

    language: str
    who: PersonSummary
    signs: tuple[StopSign, ...]
    to_do: tuple[FactLine, ...]
    emergency: tuple[str, ...]
    contacts: tuple[ContactToCall, ...]
    contact_sentences: tuple[str, ...]
    sections: tuple[Section, ...]
    written_in: str = ""
    written_in_name: str = ""
    # Titles of the parts that could not be read, and whether that is so for what the owner lets be seen at all.
    unreadable: tuple[str, ...] = ()
    consent_unreadable: bool = False
    # Titles of the lesser parts of which there is nothing to show.
    missing: tuple[str, ...] = ()
    # Titles of the parts that breaking the glass would open.
    opened_by_glass: tuple[str, ...] = ()
    is_number_known: bool = True
    is_number_of_phone: bool = True
    # The signs for which there is no room, in short, and the line of allergies of unknown severity.
    more_signs: tuple[str, ...] = ()
    unknown_allergies: StopSign | None = None
    # Facts that no rule has judged.
    unjudged: tuple[str, ...] = ()
    no_signs: NoSigns = NoSigns.JUDGED
    advice: tuple[AdviceLine, ...] = ()
