"""What Chatwoot keeps: contacts, inboxes, conversations, messages, labels and webhooks."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

INCOMING, OUTGOING, ACTIVITY, TEMPLATE = range(4)
TYPE_WORDS = ("incoming", "outgoing", "activity", "template")
STATUSES = ("open", "resolved", "pending", "snoozed")
# What webhooks can be told.
EVENTS = (
    "conversation_created",
    "conversation_updated",
    "conversation_status_changed",
    "message_created",
    "message_updated",
    "contact_created",
    "contact_updated",
    "inbox_created",
    "inbox_updated",
    "webwidget_triggered",
    "conversation_typing_on",
    "conversation_typing_off",
)
API_CHANNEL = "Channel::Api"
WHATSAPP_CHANNEL = "Channel::Whatsapp"


@dataclass
class Contact:
    id: int
    name: str
    created_at: datetime
    updated_at: datetime
    email: str | None = None
    phone_number: str | None = None
    identifier: str | None = None
    blocked: bool = False
    avatar_url: str = ""
    additional_attributes: dict[str, Any] = field(default_factory=dict)
    custom_attributes: dict[str, Any] = field(default_factory=dict)
    labels: list[str] = field(default_factory=list)
    last_activity_at: datetime | None = None

    @property
    def is_resolved(self) -> bool:
        """Whether somebody could be reached by what is known: only those are in the list of contacts."""
        return bool(self.email or self.phone_number or self.identifier)


@dataclass
class Inbox:
    id: int
    name: str
    channel_type: str
    identifier: str = ""
    hmac_token: str = ""
    hmac_mandatory: bool = False
    locked_to_single_conversation: bool = False
    provider: str | None = None
    webhook_url: str | None = None

    @property
    def is_api(self) -> bool:
        return self.channel_type == API_CHANNEL


@dataclass
class ContactInbox:
    """A contact in an inbox, whose public name there is `source_id`."""

    contact: Contact
    inbox: Inbox
    source_id: str
    pubsub_token: str
    hmac_verified: bool = False


@dataclass(frozen=True)
class Attachment:
    id: int
    file_name: str
    content_type: str
    content: bytes

    @property
    def file_type(self) -> str:
        kind, _, sub = self.content_type.partition("/")
        if kind == "image" and sub in ("jpeg", "jpg", "png", "gif", "bmp", "webp"):
            return "image"
        if kind == "video" and sub in ("ogg", "mp4", "webm", "quicktime"):
            return "video"
        return "audio" if kind == "audio" else "file"


@dataclass(frozen=True)
class Sender:
    """`kind` is user, contact or agent_bot."""

    kind: str
    id: int


@dataclass
class Message:
    id: int
    content: str | None
    type: int
    created_at: datetime
    sender: Sender | None = None
    private: bool = False
    status: str = "sent"
    content_type: str = "text"
    content_attributes: dict[str, Any] = field(default_factory=dict)
    source_id: str | None = None
    echo_id: str | None = None
    attachments: list[Attachment] = field(default_factory=list)

    @property
    def is_chat(self) -> bool:
        """Whether the contact sees it."""
        return self.type != ACTIVITY and not self.private


@dataclass
class Conversation:
    """`id` is its display id, the only one that the APIs show."""

    id: int
    contact_inbox: ContactInbox
    created_at: datetime
    updated_at: datetime
    last_activity_at: datetime
    uuid: str
    status: str = "open"
    assignee_id: int | None = None
    team_id: int | None = None
    labels: list[str] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    additional_attributes: dict[str, Any] = field(default_factory=dict)
    custom_attributes: dict[str, Any] = field(default_factory=dict)
    contact_last_seen_at: datetime | None = None
    agent_last_seen_at: datetime | None = None
    first_reply_created_at: datetime | None = None
    waiting_since: datetime | None = None
    snoozed_until: int | None = None

    @property
    def contact(self) -> Contact:
        return self.contact_inbox.contact

    @property
    def inbox(self) -> Inbox:
        return self.contact_inbox.inbox


@dataclass
class Label:
    id: int
    title: str
    description: str | None = None
    color: str = "#1f93ff"
    show_on_sidebar: bool = True


@dataclass
class Webhook:
    id: int
    url: str
    subscriptions: list[str]
    secret: str
    name: str | None = None
