"""The public API: what a contact does, known by the name of an inbox and its own name there, without a token."""

import hashlib
import hmac
from typing import Any

from ficha.sandbox.chatwoot import answers
from ficha.sandbox.chatwoot.errors import public_not_found, text_error, wrong_identity
from ficha.sandbox.chatwoot.operations.call import Call
from ficha.sandbox.chatwoot.operations.contacts import check_contact
from ficha.sandbox.chatwoot.operations.messages import PAGE, new_message
from ficha.sandbox.chatwoot.records import INCOMING, Contact, ContactInbox, Conversation, Inbox, Message, Sender
from ficha.sandbox.chatwoot.responses import chatwoot_json, empty
from ficha.sandbox.http_messages import HttpResponse


def inbox(call: Call, identifier: str) -> HttpResponse:
    found = _inbox(call, identifier)
    return chatwoot_json(
        {
            "identifier": found.identifier,
            "identity_validation_enabled": found.hmac_mandatory,
            "timezone": "UTC",
            "name": found.name,
            "csat_survey_enabled": False,
            "greeting_enabled": False,
            "working_hours_enabled": False,
            "working_hours": [],
        }
    )


def create_contact(call: Call, identifier: str) -> HttpResponse:
    """A known source id gives that contact, unchanged; a known identifier, email or phone, another inbox of it."""
    inbox = _inbox(call, identifier)
    source_id = call.text("source_id")
    for known in call.platform.contact_inboxes:
        if known.inbox is inbox and known.source_id == source_id:
            return chatwoot_json(_short(known))
    verified = _is_verified(call, inbox)
    values = {name: call.text(name) for name in ("identifier", "email", "phone_number")}
    contact = call.platform.contact_with(**values)
    if contact is None:
        check_contact(call.platform, values)
        contact = call.platform.add_contact(
            call.text("name") or "", custom_attributes=call.object("custom_attributes"), **values
        )
    joined = call.platform.join_inbox(contact, inbox, source_id)
    joined.hmac_verified = joined.hmac_verified or verified
    return chatwoot_json(_short(joined))


def get_contact(call: Call, identifier: str, source_id: str) -> HttpResponse:
    return chatwoot_json(_short(_contact_inbox(call, identifier, source_id)))


def update_contact(call: Call, identifier: str, source_id: str) -> HttpResponse:
    """Blank values and the identifier are ignored. An email or phone of somebody else makes both the same contact,
    with that one's id."""
    contact_inbox = _contact_inbox(call, identifier, source_id)
    contact_inbox.hmac_verified = _is_verified(call, contact_inbox.inbox) or contact_inbox.hmac_verified
    platform, contact = call.platform, contact_inbox.contact
    values = {name: value for name in ("email", "phone_number", "name") if (value := call.text(name)) is not None}
    for name in ("email", "phone_number"):
        other = platform.contact_with(**{name: values.get(name)})
        if other is not None and other is not contact:
            contact = platform.merge(other, contact)
    check_contact(platform, values, contact)
    for name, value in values.items():
        setattr(contact, name, value)
    contact.custom_attributes = _merged(contact.custom_attributes, call.object("custom_attributes"))
    if not contact.avatar_url and (avatar := call.text("avatar_url")):
        contact.avatar_url = avatar
    platform.touch_contact(contact)
    return chatwoot_json(_record(call, contact))


def list_conversations(call: Call, identifier: str, source_id: str) -> HttpResponse:
    return chatwoot_json(
        [_conversation(call, each) for each in _own(call, _contact_inbox(call, identifier, source_id))]
    )


def create_conversation(call: Call, identifier: str, source_id: str) -> HttpResponse:
    contact_inbox = _contact_inbox(call, identifier, source_id)
    own = _own(call, contact_inbox)
    if contact_inbox.inbox.locked_to_single_conversation and own:
        return chatwoot_json(_conversation(call, own[-1]))
    found = call.platform.add_conversation(contact_inbox, custom_attributes=call.object("custom_attributes"))
    return chatwoot_json(_conversation(call, found))


def get_conversation(call: Call, identifier: str, source_id: str, display_id: str) -> HttpResponse:
    return chatwoot_json(_conversation(call, _found(call, identifier, source_id, display_id)))


def toggle_status(call: Call, identifier: str, source_id: str, display_id: str) -> HttpResponse:
    """Only ever resolves."""
    found = _found(call, identifier, source_id, display_id)
    call.platform.change_status(found, "resolved")
    return chatwoot_json(_conversation(call, found))


def toggle_typing(call: Call, identifier: str, source_id: str, display_id: str) -> HttpResponse:
    found = _found(call, identifier, source_id, display_id)
    word = "on" if call.text("typing_status") == "on" else "off"
    body = {"user": answers.contact_sender(found.contact), "conversation": answers.conversation(call.platform, found)}
    call.platform.emit(f"conversation_typing_{word}", lambda: body | {"is_private": False}, found.id)
    return empty()


def update_last_seen(call: Call, identifier: str, source_id: str, display_id: str) -> HttpResponse:
    found = _found(call, identifier, source_id, display_id)
    found.contact_last_seen_at = call.platform.now()
    call.platform.touch(found)
    return empty()


def list_messages(call: Call, identifier: str, source_id: str, display_id: str) -> HttpResponse:
    found = _found(call, identifier, source_id, display_id)
    before = call.text("before") or ""
    shown = [each for each in found.messages if each.is_chat and (not before.isdigit() or each.id < int(before))]
    return chatwoot_json([_message(call, found, each) for each in shown[-PAGE:]])


def create_message(call: Call, identifier: str, source_id: str, display_id: str) -> HttpResponse:
    found = _found(call, identifier, source_id, display_id)
    message = new_message(call, found, call.params, INCOMING, Sender("contact", found.contact.id))
    return chatwoot_json(_message(call, found, call.platform.add_message(found, message)))


def change_message(call: Call, identifier: str, source_id: str, display_id: str, message_id: str) -> HttpResponse:
    """The answers to a form that was sent."""
    found = _found(call, identifier, source_id, display_id)
    message = next((each for each in found.messages if str(each.id) == message_id), None)
    if message is None:
        raise public_not_found()
    if "submitted_values" not in call.params:
        raise text_error(422, "param is missing or the value is empty: submitted_values")
    message.content_attributes = message.content_attributes | {"submitted_values": call.params["submitted_values"]}
    call.platform.change_message(found, message)
    return chatwoot_json(_message(call, found, message))


def _inbox(call: Call, identifier: str) -> Inbox:
    for found in call.platform.inboxes.values():
        if found.is_api and found.identifier == identifier:
            return found
    raise public_not_found()


def _contact_inbox(call: Call, identifier: str, source_id: str) -> ContactInbox:
    where = _inbox(call, identifier)
    for found in call.platform.contact_inboxes:
        if found.inbox is where and found.source_id == source_id:
            return found
    raise public_not_found()


def _own(call: Call, contact_inbox: ContactInbox) -> list[Conversation]:
    """Those of this inbox; of all inboxes for a contact that has proven who it is."""
    own = call.platform.conversations_of(contact_inbox.contact)
    return [each for each in own if contact_inbox.hmac_verified or each.contact_inbox is contact_inbox]


def _found(call: Call, identifier: str, source_id: str, display_id: str) -> Conversation:
    for found in _own(call, _contact_inbox(call, identifier, source_id)):
        if str(found.id) == display_id:
            return found
    raise public_not_found()


def _is_verified(call: Call, where: Inbox) -> bool:
    given, identifier = call.text("identifier_hash"), call.text("identifier") or ""
    if given is None and not where.hmac_mandatory:
        return False
    right = hmac.new(where.hmac_token.encode(), identifier.encode(), hashlib.sha256).hexdigest()
    if not hmac.compare_digest(right.encode(), (given or "").encode()):
        raise wrong_identity()
    return True


def _merged(known: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """At every depth."""
    merged = dict(known)
    for name, value in given.items():
        before = merged.get(name)
        merged[name] = _merged(before, value) if isinstance(before, dict) and isinstance(value, dict) else value
    return merged


def _short(contact_inbox: ContactInbox) -> dict[str, Any]:
    contact = contact_inbox.contact
    return {
        "source_id": contact_inbox.source_id,
        "pubsub_token": contact_inbox.pubsub_token,
        "id": contact.id,
        "name": contact.name,
        "email": contact.email,
        "phone_number": contact.phone_number,
    }


def _record(call: Call, contact: Contact) -> dict[str, Any]:
    """The whole row, with times as texts."""
    return {
        "id": contact.id,
        "name": contact.name,
        "email": contact.email,
        "phone_number": contact.phone_number,
        "account_id": call.platform.config.account_id,
        "created_at": answers.iso(contact.created_at),
        "updated_at": answers.iso(contact.updated_at),
        "additional_attributes": contact.additional_attributes,
        "identifier": contact.identifier,
        "custom_attributes": contact.custom_attributes,
        "last_activity_at": answers.iso(contact.last_activity_at),
        "contact_type": "lead",
        "middle_name": "",
        "last_name": "",
        "location": "",
        "country_code": "",
        "blocked": contact.blocked,
        "company_id": None,
    }


def _conversation(call: Call, found: Conversation) -> dict[str, Any]:
    return {
        "id": found.id,
        "uuid": found.uuid,
        "inbox_id": found.inbox.id,
        "contact_last_seen_at": answers.unix(found.contact_last_seen_at),
        "status": found.status,
        "agent_last_seen_at": answers.unix(found.agent_last_seen_at),
        "messages": [_message(call, found, each) for each in found.messages if each.is_chat],
        "contact": _record(call, found.contact),
    }


def _message(call: Call, where: Conversation, found: Message) -> dict[str, Any]:
    shown = answers.message(call.platform, where, found)
    kept = ("id", "content", "message_type", "content_type", "content_attributes", "created_at", "conversation_id")
    return {name: shown[name] for name in (*kept, "attachments", "sender") if name in shown}
