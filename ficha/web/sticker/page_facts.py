"""What a page needs besides the record: where its forms go, what is under way, in which language."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from ficha.accounts.accounts import Idioma
from ficha.web.kit.forms import Fault


@dataclass(frozen=True, kw_only=True)
class Frame:
    """Every page of the kind. `switch` says where each language is; without it, the same address and `?l=`.

    `script` stands in the page as it is, under the hash of `policy`: it must be ours, word for word. `refresh` is in
    how many seconds the page loads itself again; where a script runs, that is the script's to do.
    """

    language: Idioma
    switch: Mapping[Idioma, str] = field(default_factory=dict)
    refresh: int = 0
    script: str = ""


@dataclass(frozen=True)
class Alert:
    """An emergency under way: what has happened, newest first, in the reader's words."""

    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class GlassForm:
    """The form for more data. `page` is an address that shows it open: a page that reloads cannot be typed into."""

    action: str
    who: str = ""
    why: str = ""
    faults: tuple[Fault, ...] = ()
    is_open: bool = False
    page: str = ""


@dataclass(frozen=True, kw_only=True)
class PageFacts(Frame):
    """`fields` go with every form, hidden. `photo_base` is what the photo's id is added to."""

    code: str
    read_at: datetime
    alert_action: str = ""
    glass: GlassForm | None = None
    glass_until: datetime | None = None
    alert: Alert | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    photo_base: str = ""


@dataclass(frozen=True, kw_only=True)
class TypedFacts(Frame):
    """A code that was typed. Without a name it looks as if there were no record, and the other way round."""

    code: str
    emergency: tuple[str, ...]
    first_name: str = ""
    languages: str = ""
    alert_action: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    alert: Alert | None = None


@dataclass(frozen=True, kw_only=True)
class EndedFacts(Frame):
    """A sticker that was lost or retired."""

    emergency: tuple[str, ...]
    code: str = ""


class ShownAnswer(StrEnum):
    """Where a contact stands."""

    ASKED = "asked"
    COMING = "coming"
    CANNOT = "cannot"
    CLOSED = "closed"
    EXPIRED = "expired"


@dataclass(frozen=True, kw_only=True)
class AckFacts(Frame):
    """What a contact who was alerted sees. The two buttons send `respuesta`: `voy` or `no_puedo`."""

    answer: ShownAnswer
    emergency: tuple[str, ...]
    name: str = ""
    since: datetime | None = None
    now: datetime | None = None
    where: str = ""
    map_url: str = ""
    with_whom: str = ""
    responder_phone: str = ""
    action: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    lines: tuple[str, ...] = ()
    is_drill: bool = False
