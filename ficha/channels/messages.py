"""What we say to a messaging platform and what it tells us, in our own words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal


@dataclass(frozen=True)
class Text:
    body: str


@dataclass(frozen=True)
class Location:
    latitude: float
    longitude: float
    name: str | None = None
    address: str | None = None


@dataclass(frozen=True)
class Media:
    """A file the platform already holds (`media_id`) or fetches itself (`link`): one of the two."""

    kind: Literal["image", "video", "audio", "document", "sticker"]
    media_id: str | None = None
    link: str | None = None
    caption: str | None = None
    filename: str | None = None


@dataclass(frozen=True)
class Button:
    """A quick reply of a template. `payload` comes back when somebody presses it."""

    index: int
    payload: str


@dataclass(frozen=True)
class LinkButton:
    """The variable end of a template's link."""

    index: int
    text: str


@dataclass(frozen=True)
class Template:
    """`body` and `header` are the values of the template's variables, in order; `media` fills a header that shows a
    file."""

    name: str
    language: str
    body: Sequence[str] = ()
    header: Sequence[str] = ()
    buttons: Sequence[Button | LinkButton] = ()
    media: Media | None = None


Content = Text | Location | Media | Template


@dataclass(frozen=True)
class Outgoing:
    """`to` is E.164 with a plus sign, or a user id of the platform. `key` is our own id: statuses bring it back."""

    to: str
    content: Content
    key: str
    reply_to: str | None = None


@dataclass(frozen=True)
class Accepted:
    """The platform took it; whether it arrives is told later. `wa_id` may differ from the number that was dialled."""

    provider_id: str
    wa_id: str | None = None
    user_id: str | None = None


class Progress(StrEnum):
    SENT = "sent"
    DELIVERED = "delivered"
    READ = "read"
    FAILED = "failed"


@dataclass(frozen=True)
class Sender:
    """Who wrote: a number, a user id for those who show none, or both."""

    wa_id: str | None
    user_id: str | None
    name: str | None = None


@dataclass(frozen=True)
class FileRef:
    """A file that came with a message. `sha256` in hex."""

    media_id: str
    mime_type: str
    sha256: str | None
    filename: str | None = None


@dataclass(frozen=True)
class Incoming:
    """A message from a person. `words` is what they wrote, pressed or chose; `payload` what a button carries back;
    `raw` the platform's own body of it, kept whole. `is_test`: the platform tried our webhook, nobody wrote."""

    provider_id: str
    phone_number_id: str
    sender: Sender
    at: datetime
    type: str
    words: str | None
    payload: str | None
    reply_to: str | None
    file: FileRef | None
    raw: Mapping[str, Any] = field(repr=False)
    location: Location | None = None
    is_test: bool = False


@dataclass(frozen=True)
class Status:
    """News of a message of ours. `key` is what we sent as `Outgoing.key`, when the platform brings it back."""

    provider_id: str
    phone_number_id: str
    progress: Progress
    at: datetime
    key: str | None
    wa_id: str | None
    user_id: str | None
    error_code: int | None
    error_title: str | None


@dataclass(frozen=True)
class Other:
    """Something we keep but do not act upon: another field, an error of the account, a status without a name."""

    kind: str
    raw: Any = field(repr=False)


@dataclass(frozen=True)
class Unreadable:
    """An item that is not what it should be. Its neighbours are read all the same."""

    why: str
    raw: Any = field(repr=False)


Event = Incoming | Status | Other | Unreadable
