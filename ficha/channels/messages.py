"""Messages to and from a messaging platform, in our own terms."""

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
    """A file that the platform already has (`media_id`) or downloads itself (`link`): one of the two."""

    kind: Literal["image", "video", "audio", "document", "sticker"]
    media_id: str | None = None
    link: str | None = None
    caption: str | None = None
    filename: str | None = None


@dataclass(frozen=True)
class Button:
    """A quick reply of a template. `payload` is returned when somebody presses it."""

    index: int
    payload: str


@dataclass(frozen=True)
class LinkButton:
    """The variable end of a template's link."""

    index: int
    text: str


@dataclass(frozen=True)
class CouponButton:
    """A button that copies a code."""

    index: int
    coupon: str


@dataclass(frozen=True)
class Template:
    """`body` and `header` are the values of the template's variables, in order; of a template whose variables have
    names, `body_named` and `header_named`. `media` is the file that the header shows, `location` the place."""

    name: str
    language: str
    body: Sequence[str] = ()
    header: Sequence[str] = ()
    buttons: Sequence[Button | LinkButton | CouponButton] = ()
    media: Media | None = None
    body_named: Mapping[str, str] = field(default_factory=dict)
    header_named: Mapping[str, str] = field(default_factory=dict)
    location: Location | None = None


Content = Text | Location | Media | Template


@dataclass(frozen=True)
class Outgoing:
    """`to` is E.164 with a plus sign, or a user id of the platform. `key` is our own id: statuses return it.
    `number_id` is the number of ours that it goes out from, where there are several."""

    to: str
    content: Content
    key: str
    reply_to: str | None = None
    number_id: str | None = None


@dataclass(frozen=True)
class Accepted:
    """The platform accepted a message; a status says later whether it arrived. `wa_id` may differ from the number we
    sent it to."""

    provider_id: str
    wa_id: str | None = None
    user_id: str | None = None


class DeliveryStatus(StrEnum):
    SENT = "sent"
    DELIVERED = "delivered"
    READ = "read"
    FAILED = "failed"


@dataclass(frozen=True)
class Author:
    """The person who wrote a message: by number, by user id if the number is hidden, or by both."""

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
    """A message from a person. `words` is what they wrote, pressed or chose; `payload` is what the button contains;
    `edits` is the person's own earlier message that it changes or takes back; `moved_to` is the number that the author
    has from now on, where the platform tells of it; `raw` is the platform's own JSON, kept whole. `is_test`: the
    platform tried our webhook, nobody wrote."""

    provider_id: str
    phone_number_id: str
    author: Author
    at: datetime
    type: str
    words: str | None
    payload: str | None
    reply_to: str | None
    file: FileRef | None
    raw: Mapping[str, Any] = field(repr=False)
    location: Location | None = None
    is_test: bool = False
    edits: str | None = None
    moved_to: str | None = None


@dataclass(frozen=True)
class StatusUpdate:
    """How far a message of ours has come. `key` is our `Outgoing.key`, if the platform returns it."""

    provider_id: str
    phone_number_id: str
    status: DeliveryStatus
    at: datetime
    key: str | None
    wa_id: str | None
    user_id: str | None
    error_code: int | None


@dataclass(frozen=True)
class TemplateUpdate:
    """A template of ours got another state."""

    name: str
    language: str
    status: str
    at: datetime | None
    account_id: str | None = None


@dataclass(frozen=True)
class AccountUpdate:
    """Something about our account, a number or a template. `name` says about what; of each the newest counts."""

    name: str
    facts: Mapping[str, Any]
    at: datetime | None
    account_id: str | None = None


@dataclass(frozen=True)
class IncomingCall:
    """Somebody called our number."""

    provider_id: str
    phone_number_id: str
    author: Author
    at: datetime
    is_test: bool = False


@dataclass(frozen=True)
class OtherItem:
    """Something we store but do not act upon: another field, an error of the account, an unknown status. `foreign`: it
    is about a number or an account that is not ours."""

    kind: str
    raw: Any = field(repr=False)


@dataclass(frozen=True)
class UnreadableItem:
    """An item that does not have the expected form. The others in its notification are read all the same."""

    why: str
    raw: Any = field(repr=False)


# What we act upon.
KnownItem = Incoming | StatusUpdate | TemplateUpdate | AccountUpdate | IncomingCall
NotificationItem = KnownItem | OtherItem | UnreadableItem
