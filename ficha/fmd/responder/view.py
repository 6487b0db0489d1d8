"""What the responder page shows, in the order in which it is read. Plain values: nothing here knows about HTML."""

from typing import NamedTuple

from ficha.fmd.freshness import Level


class Damaged:
    """Stands in place of a document that could not be opened."""

    def __repr__(self) -> str:
        return "DAMAGED"


DAMAGED = Damaged()


class Text(NamedTuple):
    """`own` is what the person or her family wrote, in their language; the rest is ours, in the reader's.

    `strong` must not be overlooked.
    """

    words: str
    own: bool = False
    strong: bool = False


class Confirmed(NamedTuple):
    """How old a fact is and whose word it is. A level of None says only when it was saved."""

    words: str
    level: Level | None = None


class Number(NamedTuple):
    """A phone as people read it and as it is dialled. What cannot be dialled is only read."""

    shown: str
    dial: str = ""
    label: str = ""


class Line(NamedTuple):
    """A fact: its name, short details, sentences as they were written."""

    title: Text
    details: tuple[Text, ...] = ()
    notes: tuple[Text, ...] = ()
    confirmed: Confirmed | None = None
    number: Number | None = None


class Section(NamedTuple):
    """Facts of a kind. `says` are sentences of ours: that there are none, that something could not be read."""

    key: str
    title: str
    lines: tuple[Line, ...] = ()
    says: tuple[str, ...] = ()


class Who(NamedTuple):
    """Empty where nothing is known or may be seen. `traits` are age, sex and so on."""

    name: str = ""
    given: str = ""
    photo_id: str = ""
    traits: tuple[str, ...] = ()
    languages: str = ""


class StopSign(NamedTuple):
    text: str
    detail: str = ""


class Contact(NamedTuple):
    """Somebody to call. `notes` are ours: may decide, speaks another language."""

    name: str
    relation: Text | None
    number: Number | None
    notes: tuple[str, ...] = ()
    confirmed: Confirmed | None = None


class ResponderView(NamedTuple):
    """`written_in` is the language tag of the owner's own words and `written_in_name` how the reader calls it."""

    language: str
    who: Who
    signs: tuple[StopSign, ...]
    to_do: tuple[Line, ...]
    emergency: tuple[str, ...]
    contacts: tuple[Contact, ...]
    contacts_say: tuple[str, ...]
    sections: tuple[Section, ...]
    written_in: str = ""
    written_in_name: str = ""
    # Titles of the parts that could not be read, and whether that is so for what the owner lets be seen at all.
    unreadable: tuple[str, ...] = ()
    consent_unreadable: bool = False
    # Titles of the lesser parts of which there is nothing to show.
    missing: tuple[str, ...] = ()
