"""What the pages of a sticker show besides the record: where forms go, the alert under way, the language."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Annotated

from fastapi import Path
from starlette.responses import RedirectResponse

from ficha.accounts.accounts import Idioma
from ficha.core.settings import Settings
from ficha.web.kit.forms import FieldFault
from ficha.web.kit.language import texts_by_language
from ficha.web.kit.small_pages.page import SmallPage
from ficha.web.kit.texts import page_texts

TEXTS = texts_by_language({**page_texts("kit", "emergency_call"), **page_texts("sticker", "page")})

Code = Annotated[str, Path(max_length=12)]
Tag = Annotated[str, Path(max_length=64)]


@dataclass(frozen=True)
class Deployment:
    """What the pages tell of the service itself: its country and zone, and whether a team on call can be alerted."""

    country: str = ""
    has_on_call: bool = False
    zone: str = ""

    @classmethod
    def of(cls, settings: Settings) -> "Deployment":
        has_on_call = settings.on_call_mails or settings.on_call_phones or settings.bridges_conversations
        return cls(settings.emergency_country, bool(has_on_call), settings.time_zone)


@dataclass(frozen=True)
class AlertFacts:
    """An emergency under way, or one that has just ended: how far it has come and what has happened, newest first, in
    the reader's language."""

    lines: tuple[str, ...] = ()
    title: str = ""
    # Of the position that was sent: empty where it has none, None where none was sent.
    accuracy: str | None = None
    landmark: str = ""
    # What the family and whoever is here wrote to each other, the newest last, and the place of the last one.
    said: tuple[str, ...] = ()
    said_place: int = 0
    is_full: bool = False
    # It is held back, and whoever scanned this sticker may let it leave now.
    may_alert_now: bool = False
    # It ended a short while ago; when a new one would leave, if not at once.
    is_over: bool = False
    next_leaves_at: datetime | None = None


@dataclass(slots=True)
class BreakGlassForm:
    """`page` is an address that shows the form open: a page that reloads cannot be typed into.

    Made for every opening, so not frozen, as small_pages/page.py says."""

    action: str
    who: str = ""
    why: str = ""
    faults: tuple[FieldFault, ...] = ()
    is_open: bool = False
    page: str = ""

    @property
    def is_empty(self) -> bool:
        return not (self.who or self.why or self.faults)


@dataclass(frozen=True)
class RelayForm:
    """Where whoever is with the person writes to the family. `page` is an address that shows the form open, for
    browsers without scripts: a page that reloads cannot be typed into."""

    action: str
    page: str = ""
    words: str = ""
    phone: str = ""
    fault: str = ""
    is_open: bool = False


@dataclass(frozen=True)
class PositionForm:
    """Where whoever is with the person says where that is. `page` and `is_open` are as of the form above."""

    action: str
    page: str = ""
    fault: str = ""
    is_open: bool = False


@dataclass(kw_only=True, slots=True)
class ResponderFacts(SmallPage):
    """`fields` are hidden values of every form. The id of the photo is appended to `photo_base`."""

    code: str
    read_at: datetime
    zone: str = ""
    alert_action: str = ""
    glass: BreakGlassForm | None = None
    glass_until: datetime | None = None
    alert: AlertFacts | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    photo_base: str = ""
    # Whether there is anybody of the family to alert; whether there is a team on call.
    has_contacts: bool = True
    has_on_call: bool = False
    position_form: PositionForm | None = None
    relay: RelayForm | None = None
    # Where the page goes when it reloads: to itself, by an address that tells how the alert ended.
    reload: str = ""


@dataclass(kw_only=True, slots=True)
class TypedCodePage(SmallPage):
    """Without a name it is the page of a code with no record: the two must not be told apart otherwise."""

    code: str
    emergency: tuple[str, ...]
    first_name: str = ""
    languages: str = ""
    alert_action: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    alert: AlertFacts | None = None
    is_number_known: bool = True
    is_number_of_phone: bool = True
    # Set where the alert costs work or waiting: how much of each.
    proof_bits: int = 0
    proof_seconds: int = 0


class UnopenedKind(StrEnum):
    """Why a sticker opens nothing. The values are the names of the page's phrases."""

    UNKNOWN = "unknown"
    LOST = "lost"
    RETIRED = "retired"
    REPLACED = "replaced"
    NEW = "new"
    UNCONFIRMED = "unconfirmed"


@dataclass(kw_only=True, slots=True)
class UnopenedPage(SmallPage):
    """`begin_action` is where whoever holds the sticker makes it hers, `own_page` where its owner sees what became of
    it. Each is empty where the page does not offer it."""

    kind: UnopenedKind
    emergency: tuple[str, ...]
    code: str = ""
    alert_action: str = ""
    begin_action: str = ""
    own_page: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    is_number_known: bool = True
    is_number_of_phone: bool = True


@dataclass(kw_only=True, slots=True)
class UnavailablePage(SmallPage):
    """`again` is where the page can be tried again: the same address if it is empty."""

    emergency: tuple[str, ...]
    again: str = ""
    is_posted: bool = False
    is_number_known: bool = True
    is_number_of_phone: bool = True


def sticker_path(code: str, tag: str) -> str:
    """As typed in small letters; a QR holds `/E/…`, all capitals."""
    return f"/e/{code.upper()}/{tag.upper()}"


def redirect_to_page(code: str, tag: str, form: Mapping[str, str]) -> RedirectResponse:
    """To the page of the sticker, in the language that the form was sent in."""
    language = f"?l={form['l']}" if form.get("l") in set(Idioma) else ""
    return RedirectResponse(sticker_path(code, tag) + language, 303, {"Referrer-Policy": "no-referrer"})
