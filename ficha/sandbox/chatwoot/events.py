"""The bodies of Chatwoot's webhooks. `message_type` is a word there, and a number in the answers of its APIs."""

from typing import Any

from ficha.sandbox.chatwoot import answers
from ficha.sandbox.chatwoot.records import TYPE_WORDS, Contact, Conversation, Message
from ficha.sandbox.chatwoot.state import ChatwootState


def message(platform: ChatwootState, conversation: Conversation, found: Message) -> dict[str, Any]:
    body: dict[str, Any] = {
        "id": found.id,
        "content": found.content,
        "content_type": found.content_type,
        "content_attributes": found.content_attributes,
        "message_type": TYPE_WORDS[found.type],
        "private": found.private,
        "source_id": found.source_id,
        "status": found.status,
        "created_at": answers.iso(found.created_at),
        "additional_attributes": {},
        "sender": answers.sender(platform, found),
        "account": _account(platform),
        "inbox": {"id": conversation.inbox.id, "name": conversation.inbox.name},
        "conversation": _conversation(platform, conversation),
    }
    if found.attachments:
        body["attachments"] = [answers.attachment(platform, found, each) for each in found.attachments]
    return body


def conversation(platform: ChatwootState, found: Conversation) -> dict[str, Any]:
    return _conversation(platform, found) | {"account": _account(platform)}


def contact(platform: ChatwootState, found: Contact) -> dict[str, Any]:
    return {
        "id": found.id,
        "name": found.name,
        "email": found.email,
        "phone_number": found.phone_number,
        "identifier": found.identifier,
        "avatar": found.avatar_url,
        "thumbnail": found.avatar_url,
        "blocked": found.blocked,
        "additional_attributes": found.additional_attributes,
        "custom_attributes": found.custom_attributes,
        "account": _account(platform),
    }


def _conversation(platform: ChatwootState, found: Conversation) -> dict[str, Any]:
    shown = answers.conversation(platform, found)
    meta = {key: value for key, value in shown["meta"].items() if key != "channel"}
    contact_inbox = {
        "source_id": found.contact_inbox.source_id,
        "inbox_id": found.inbox.id,
        "contact_id": found.contact.id,
    }
    return shown | {"meta": meta, "contact_inbox": contact_inbox, "channel": found.inbox.channel_type}


def _account(platform: ChatwootState) -> dict[str, Any]:
    account = platform.agents.accounts[platform.config.account_id]
    return {"id": account.id, "name": account.name}
