"""What the application API shows of contacts, conversations and messages."""

from datetime import UTC, datetime
from typing import Any

from ficha.sandbox.chatwoot.agents import User
from ficha.sandbox.chatwoot.records import (
    ACTIVITY,
    INCOMING,
    Attachment,
    Contact,
    ContactInbox,
    Conversation,
    Inbox,
    Message,
)
from ficha.sandbox.chatwoot.state import ChatwootState


def unix(at: datetime | None) -> int:
    """0 means never."""
    return 0 if at is None else int(at.timestamp())


def iso(at: datetime | None) -> str | None:
    return None if at is None else at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def contact(platform: ChatwootState, found: Contact, *, with_inboxes: bool = True) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "additional_attributes": found.additional_attributes,
        "availability_status": "offline",
        "email": found.email,
        "id": found.id,
        "name": found.name,
        "phone_number": found.phone_number,
        "blocked": found.blocked,
        "identifier": found.identifier,
        "thumbnail": found.avatar_url,
        "custom_attributes": found.custom_attributes,
    }
    if found.last_activity_at is not None:
        shown["last_activity_at"] = unix(found.last_activity_at)
    shown["created_at"] = unix(found.created_at)
    if with_inboxes:
        shown["contact_inboxes"] = [contact_inbox(each) for each in platform.inboxes_of(found)]
    return shown


def contact_inbox(found: ContactInbox) -> dict[str, Any]:
    return {"source_id": found.source_id, "inbox": slim_inbox(found.inbox)}


def slim_inbox(inbox: Inbox) -> dict[str, Any]:
    return {
        "id": inbox.id,
        "avatar_url": "",
        "channel_id": inbox.id,
        "name": inbox.name,
        "channel_type": inbox.channel_type,
        "provider": inbox.provider,
    }


def agent(found: User, account_id: int) -> dict[str, Any]:
    return {
        "id": found.id,
        "account_id": account_id,
        "availability_status": "online",
        "auto_offline": True,
        "confirmed": True,
        "email": found.email,
        "available_name": found.name,
        "name": found.name,
        "role": found.role,
        "thumbnail": "",
    }


def conversation(platform: ChatwootState, found: Conversation) -> dict[str, Any]:
    shown = [each for each in found.messages if each.type != ACTIVITY]
    meta: dict[str, Any] = {
        "sender": contact(platform, found.contact, with_inboxes=False),
        "channel": found.inbox.channel_type,
    }
    if found.assignee_id is not None:
        meta["assignee"] = agent(platform.agents.with_id(found.assignee_id), platform.config.account_id)
    if found.team_id is not None:
        meta["team"] = {"id": platform.agents.team.id, "name": platform.agents.team.name}
    meta["hmac_verified"] = found.contact_inbox.hmac_verified
    last = message(platform, found, shown[-1]) if shown else None
    seen = found.agent_last_seen_at
    unread = [each for each in found.messages if each.type == INCOMING and (seen is None or each.created_at > seen)]
    return {
        "meta": meta,
        "id": found.id,
        "messages": [last] if last else [],
        "account_id": platform.config.account_id,
        "uuid": found.uuid,
        "additional_attributes": found.additional_attributes,
        "agent_last_seen_at": unix(seen),
        "assignee_last_seen_at": 0,
        "can_reply": platform.is_window_open(found),
        "contact_last_seen_at": unix(found.contact_last_seen_at),
        "custom_attributes": found.custom_attributes,
        "inbox_id": found.inbox.id,
        "labels": found.labels,
        "muted": False,
        "snoozed_until": found.snoozed_until,
        "status": found.status,
        "created_at": unix(found.created_at),
        "updated_at": found.updated_at.timestamp(),
        "timestamp": unix(found.last_activity_at),
        "first_reply_created_at": unix(found.first_reply_created_at),
        "unread_count": len(unread),
        "last_non_activity_message": last,
        "last_activity_at": unix(found.last_activity_at),
        "priority": None,
        "waiting_since": unix(found.waiting_since),
        "sla_policy_id": None,
    }


def message(platform: ChatwootState, where: Conversation, found: Message) -> dict[str, Any]:
    shown: dict[str, Any] = {"id": found.id, "content": found.content, "inbox_id": where.inbox.id}
    if found.echo_id is not None:
        shown["echo_id"] = found.echo_id
    shown |= {
        "conversation_id": where.id,
        "message_type": found.type,
        "content_type": found.content_type,
        "status": found.status,
        "content_attributes": found.content_attributes,
        "created_at": unix(found.created_at),
        "private": found.private,
        "source_id": found.source_id,
    }
    if found.sender is not None:
        shown["sender"] = sender(platform, found)
    if found.attachments:
        shown["attachments"] = [attachment(platform, found, each) for each in found.attachments]
    return shown


def sender(platform: ChatwootState, found: Message) -> dict[str, Any] | None:
    if found.sender is None:
        return None
    if found.sender.kind == "contact":
        person = platform.contacts.get(found.sender.id)
        return None if person is None else contact_sender(person)
    user = platform.agents.with_id(found.sender.id)
    return {
        "id": user.id,
        "name": user.name,
        "available_name": user.name,
        "avatar_url": "",
        "type": found.sender.kind,
        "availability_status": "online",
        "thumbnail": "",
    }


def contact_sender(person: Contact) -> dict[str, Any]:
    return {
        "additional_attributes": person.additional_attributes,
        "custom_attributes": person.custom_attributes,
        "email": person.email,
        "id": person.id,
        "identifier": person.identifier,
        "name": person.name,
        "phone_number": person.phone_number,
        "thumbnail": person.avatar_url,
        "blocked": person.blocked,
        "type": "contact",
    }


def attachment(platform: ChatwootState, of: Message, found: Attachment) -> dict[str, Any]:
    name, dot, extension = found.file_name.rpartition(".")
    url = f"{platform.url}/rails/active_storage/blobs/{found.id}/{found.file_name}"
    return {
        "id": found.id,
        "message_id": of.id,
        "file_type": found.file_type,
        "account_id": platform.config.account_id,
        "extension": extension if dot and name else None,
        "content_type": found.content_type,
        "data_url": url,
        "thumb_url": url if found.file_type == "image" else "",
        "file_size": len(found.content),
        "width": None,
        "height": None,
    }
