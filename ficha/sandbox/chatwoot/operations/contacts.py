"""Contacts, in the application API."""

import re
from datetime import timedelta
from typing import Any

from ficha.sandbox.chatwoot import answers
from ficha.sandbox.chatwoot.errors import Throttled, invalid, not_found
from ficha.sandbox.chatwoot.filters import matches_filter
from ficha.sandbox.chatwoot.operations.call import Call, page_of
from ficha.sandbox.chatwoot.operations.labels import clean_labels, label_list
from ficha.sandbox.chatwoot.platform import ChatwootPlatform
from ficha.sandbox.chatwoot.records import Contact, ContactInbox
from ficha.sandbox.chatwoot.responses import chatwoot_json, empty
from ficha.sandbox.http_messages import HttpResponse

PAGE = 15
E164 = re.compile(r"\+[1-9]\d{1,14}")
EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
SORT_KEYS = ("name", "email", "phone_number", "last_activity_at", "created_at", "company_name", "city", "country")
WRITTEN = ("name", "email", "phone_number", "identifier", "blocked", "avatar_url")


def list_contacts(call: Call) -> HttpResponse:
    wanted = {label.lower() for label in call.list_of("labels")}
    found = [
        each
        for each in call.platform.contacts.values()
        if each.is_resolved and (not wanted or wanted & {label.lower() for label in each.labels})
    ]
    sort = str(call.params.get("sort", "last_activity_at"))
    key = sort.lstrip("-")
    if key in SORT_KEYS:
        found.sort(key=lambda each: _sort_value(each, key), reverse=sort.startswith("-"))
    meta = {"count": len(found), "current_page": call.current_page}
    return _page(call, meta, found)


def search_contacts(call: Call) -> HttpResponse:
    platform = call.platform
    per_minute = platform.behaviour.searches_per_minute
    if not platform.limits.allows("search", per_minute, timedelta(minutes=1)):
        raise Throttled
    wanted = str(call.params.get("q", "")).strip()
    if not wanted:
        # It was meant to be an error; as it is written, nothing was looked for.
        return _page(call, {"count": None, "current_page": call.current_page, "has_more": None}, [])
    found = [each for each in platform.contacts.values() if _is_found(each, wanted)]
    shown = page_of(found, call.page, PAGE)
    has_more = len(found) > call.page * PAGE
    meta = {"count": len(shown), "current_page": call.current_page, "has_more": has_more}
    return _page(call, meta, found)


def filter_contacts(call: Call) -> HttpResponse:
    found = [each for each in call.platform.contacts.values() if matches_filter(call.params.get("payload"), each)]
    return _page(call, {"count": len(found), "current_page": call.current_page}, found)


def create_contact(call: Call) -> HttpResponse:
    platform = call.platform
    inbox = None
    if (inbox_id := call.text("inbox_id")) is not None:
        inbox = platform.inboxes.get(int(inbox_id) if inbox_id.isdigit() else 0)
        if inbox is None:
            raise not_found()
    values = _written(call)
    check_contact(platform, values)
    contact = platform.add_contact(
        additional_attributes=call.object("additional_attributes"),
        custom_attributes=call.object("custom_attributes"),
        **values,
    )
    contact_inbox: ContactInbox | None = None
    if inbox is not None:
        contact_inbox = platform.join_inbox(contact, inbox, call.text("source_id"))
    shown = {
        "inbox": None if contact_inbox is None else answers.slim_inbox(contact_inbox.inbox),
        "source_id": None if contact_inbox is None else contact_inbox.source_id,
    }
    return chatwoot_json({"payload": {"contact": answers.contact(platform, contact), "contact_inbox": shown}})


def get_contact(call: Call, contact_id: str) -> HttpResponse:
    return chatwoot_json({"payload": answers.contact(call.platform, call.contact(contact_id))})


def update_contact(call: Call, contact_id: str) -> HttpResponse:
    contact = call.contact(contact_id)
    values = _written(call)
    check_contact(call.platform, values, contact)
    for name, value in values.items():
        setattr(contact, name, value)
    contact.additional_attributes = contact.additional_attributes | call.object("additional_attributes")
    contact.custom_attributes = contact.custom_attributes | call.object("custom_attributes")
    call.platform.touch_contact(contact)
    return chatwoot_json({"payload": answers.contact(call.platform, contact)})


def delete_contact(call: Call, contact_id: str) -> HttpResponse:
    contact = call.contact(contact_id)
    call.require_administrator()
    call.platform.delete_contact(contact)
    return empty()


def contact_conversations(call: Call, contact_id: str) -> HttpResponse:
    found = [each for each in call.platform.conversations_of(call.contact(contact_id)) if call.user.sees(each.inbox.id)]
    found.sort(key=lambda each: (each.last_activity_at, each.id), reverse=True)
    return chatwoot_json({"payload": [answers.conversation(call.platform, each) for each in found[:20]]})


def contact_labels(call: Call, contact_id: str) -> HttpResponse:
    return label_list(call.contact(contact_id).labels)


def set_contact_labels(call: Call, contact_id: str) -> HttpResponse:
    contact = call.contact(contact_id)
    contact.labels = clean_labels(call.platform, call.params.get("labels"))
    call.platform.touch_contact(contact)
    return label_list(contact.labels)


def join_inbox(call: Call, contact_id: str) -> HttpResponse:
    contact = call.contact(contact_id)
    inbox = call.platform.inboxes.get(int(call.text("inbox_id") or 0))
    if inbox is None:
        raise not_found()
    return chatwoot_json(answers.contact_inbox(call.platform.join_inbox(contact, inbox, call.text("source_id"))))


def check_contact(platform: ChatwootPlatform, values: dict[str, Any], known: Contact | None = None) -> None:
    """Raises the errors of all values together."""
    faults: list[tuple[str, str]] = []
    email, phone = values.get("email"), values.get("phone_number")
    if email and not EMAIL.fullmatch(email):
        faults.append(("email", "Email Invalid email"))
    if phone and not E164.fullmatch(phone):
        faults.append(("phone_number", "Phone number should be in e164 format"))
    for name, title in (("email", "Email"), ("identifier", "Identifier"), ("phone_number", "Phone number")):
        taken = platform.contact_with(**{name: values.get(name)})
        if taken is not None and taken is not known:
            faults.append((name, f"{title} has already been taken"))
    if faults:
        raise invalid(faults)


def _written(call: Call) -> dict[str, Any]:
    values = {name: call.params[name] for name in WRITTEN if name in call.params}
    for name in set(values) - {"blocked"}:
        values[name] = None if values[name] in (None, "") else str(values[name])
    if "blocked" in values:
        values["blocked"] = values["blocked"] in (True, "true", "1", 1)
    for name in ("name", "avatar_url"):
        if name in values:
            values[name] = values[name] or ""
    return values


def _is_found(contact: Contact, wanted: str) -> bool:
    texts = (contact.name, contact.email, contact.phone_number)
    if any(wanted.lower() in text.lower() for text in texts if text):
        return True
    return wanted in (contact.identifier or "")


def _sort_value(contact: Contact, key: str) -> tuple[bool, Any]:
    if key in ("company_name", "city", "country"):
        return (False, str(contact.additional_attributes.get(key, "")))
    value = getattr(contact, key)
    return (value is None, "" if value is None else value)


def _page(call: Call, meta: dict[str, Any], found: list[Contact]) -> HttpResponse:
    with_inboxes = str(call.params.get("include_contact_inboxes", "true")) != "false"
    shown = page_of(found, call.page, PAGE)
    payload = [answers.contact(call.platform, each, with_inboxes=with_inboxes) for each in shown]
    return chatwoot_json({"meta": meta, "payload": payload})
