"""Messages, in the application API."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from ficha.sandbox.chatwoot import answers
from ficha.sandbox.chatwoot.errors import ChatwootError, Throttled, not_found, text_error
from ficha.sandbox.chatwoot.operations.call import Call
from ficha.sandbox.chatwoot.records import INCOMING, OUTGOING, TYPE_WORDS, Attachment, Conversation, Message, Sender
from ficha.sandbox.chatwoot.responses import chatwoot_json
from ficha.sandbox.http_messages import HttpResponse

LONGEST_TEXT = 150_000
MOST_FILES = 15
PAGE, LARGER_PAGE, LARGEST_PAGE = 20, 100, 1000
MESSAGE_STATUSES = ("sent", "delivered", "read", "failed")


def list_messages(call: Call, display_id: str) -> HttpResponse:
    found = call.conversation(display_id)
    before, after = (_id(call.text(name)) for name in ("before", "after"))
    shown = [
        each for each in found.messages if (before is None or each.id < before) and (after is None or each.id > after)
    ]
    most = LARGER_PAGE if before is None else LARGEST_PAGE
    shown = shown[-PAGE:] if after is None else shown[:most]
    conversation = answers.conversation(call.platform, found)
    meta = {
        "labels": found.labels,
        "additional_attributes": found.additional_attributes,
        "contact": conversation["meta"]["sender"],
        "assignee": conversation["meta"].get("assignee"),
        "agent_last_seen_at": answers.iso(found.agent_last_seen_at),
        "assignee_last_seen_at": None,
    }
    return chatwoot_json({"meta": meta, "payload": [answers.message(call.platform, found, each) for each in shown]})


def create_message(call: Call, display_id: str) -> HttpResponse:
    found = call.conversation(display_id)
    message = build_message(call, found, call.params)
    return chatwoot_json(answers.message(call.platform, found, call.platform.add_message(found, message)))


def change_message(call: Call, display_id: str, message_id: str) -> HttpResponse:
    """The delivery state of a message, which only an API inbox is told from outside."""
    found = call.conversation(display_id)
    if not found.inbox.is_api:
        raise text_error(403, "Message status update is only allowed for API inboxes")
    message = next((each for each in found.messages if str(each.id) == message_id), None)
    if message is None:
        raise not_found()
    status = call.text("status") or ""
    if status not in MESSAGE_STATUSES:
        raise text_error(422, f"'{status}' is not a valid status")
    message.status = status
    if status == "failed" and (reason := call.text("external_error")):
        message.content_attributes = message.content_attributes | {"external_error": reason}
    call.platform.change_message(found, message)
    return chatwoot_json(answers.message(call.platform, found, message))


def build_message(call: Call, where: Conversation, given: Mapping[str, Any]) -> Message:
    """Raises 422 with a text for whatever is wrong."""
    kind = str(given.get("message_type") or "outgoing")
    if kind not in TYPE_WORDS:
        raise text_error(422, f"'{kind}' is not a valid message_type")
    if kind == "incoming" and not where.inbox.is_api:
        raise text_error(422, "Incoming messages are only allowed in Api inboxes")
    sender = Sender("agent_bot" if call.user.role == "bot" else "user", call.user.id)
    if kind == "incoming":
        sender = Sender("contact", where.contact.id)
    source_id = given.get("source_id")
    message = new_message(call, where, given, INCOMING if kind == "incoming" else OUTGOING, sender)
    message.private = given.get("private") in (True, "true", "1")
    message.content_type = str(given.get("content_type") or "text")
    message.content_attributes = _attributes(given.get("content_attributes"))
    message.source_id = None if source_id is None else str(source_id)
    return message


def new_message(call: Call, where: Conversation, given: Mapping[str, Any], kind: int, sender: Sender) -> Message:
    """What both APIs check of a message: its length, its files, and how many there were in the last minute."""
    platform = call.platform
    content = None if given.get("content") is None else str(given["content"])
    if content is not None and len(content) > LONGEST_TEXT:
        raise _invalid(f"Content is too long (maximum is {LONGEST_TEXT} characters)")
    files = [part for part in call.parts if part.name == "attachments[]" and part.filename is not None]
    if len(files) > MOST_FILES:
        raise _invalid("Attachments exceeded maximum allowed")
    if files and not platform.limits.allows("uploads", platform.behaviour.uploads_per_hour, timedelta(hours=1)):
        raise Throttled
    most = platform.behaviour.messages_per_minute
    if not platform.limits.allows(f"messages {where.id}", most, timedelta(minutes=1)):
        raise text_error(422, "Too many messages")
    attachments = [
        Attachment(
            next(platform.ids["attachment"]),
            part.filename or "file",
            part.content_type or "application/octet-stream",
            part.content,
        )
        for part in files
    ]
    echo_id = given.get("echo_id")
    return Message(
        next(platform.ids["message"]),
        content,
        kind,
        platform.now(),
        sender,
        echo_id=None if echo_id is None else str(echo_id),
        attachments=attachments,
    )


def _attributes(given: Any) -> dict[str, Any]:
    """An object, or its JSON in a text."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            given = None
    return given if isinstance(given, dict) else {}


def _invalid(text: str) -> ChatwootError:
    return text_error(422, f"Validation failed: {text}")


def _id(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdigit() and len(text) < 19 else None
