"""Conversations, in the application API."""

from datetime import timedelta
from typing import Any

from ficha.sandbox.chatwoot import answers
from ficha.sandbox.chatwoot.errors import not_found, text_error
from ficha.sandbox.chatwoot.filters import matches_filter
from ficha.sandbox.chatwoot.operations.call import Call, page_of
from ficha.sandbox.chatwoot.operations.labels import clean_labels, label_list
from ficha.sandbox.chatwoot.operations.messages import build_message
from ficha.sandbox.chatwoot.records import STATUSES, ContactInbox, Conversation
from ficha.sandbox.chatwoot.responses import chatwoot_json
from ficha.sandbox.http_messages import HttpResponse

PAGE = 25
SORTS = {
    "last_activity_at_asc": ("last_activity_at", False),
    "last_activity_at_desc": ("last_activity_at", True),
    "created_at_asc": ("created_at", False),
    "created_at_desc": ("created_at", True),
}


def list_conversations(call: Call) -> HttpResponse:
    found = [each for each in _visible(call) if _is_wanted(call, each)]
    meta = _counts(call, found)
    match call.params.get("assignee_type"):
        case "me":
            found = [each for each in found if each.assignee_id == call.user.id]
        case "unassigned":
            found = [each for each in found if each.assignee_id is None]
        case "assigned":
            found = [each for each in found if each.assignee_id is not None]
    name, is_reversed = SORTS.get(str(call.params.get("sort_by")), ("last_activity_at", True))
    found.sort(key=lambda each: (getattr(each, name), each.id), reverse=is_reversed)
    shown = found if "updated_within" in call.params else page_of(found, call.page, PAGE)
    payload = [answers.conversation(call.platform, each) for each in shown]
    return chatwoot_json({"data": {"meta": meta, "payload": payload}})


def filter_conversations(call: Call) -> HttpResponse:
    found = [each for each in _visible(call) if matches_filter(call.params.get("payload"), each)]
    found.sort(key=lambda each: (each.last_activity_at, each.id), reverse=True)
    payload = [answers.conversation(call.platform, each) for each in page_of(found, call.page, PAGE)]
    return chatwoot_json({"meta": _counts(call, found), "payload": payload})


def get_conversation(call: Call, display_id: str) -> HttpResponse:
    return chatwoot_json(answers.conversation(call.platform, call.conversation(display_id)))


def create_conversation(call: Call) -> HttpResponse:
    platform, contact_inbox = call.platform, _contact_inbox(call)
    status = call.text("status") or "open"
    if status not in STATUSES:
        raise text_error(422, f"'{status}' is not a valid status")
    if contact_inbox.inbox.locked_to_single_conversation and (
        known := platform.conversations_of(contact_inbox.contact)
    ):
        return chatwoot_json(answers.conversation(platform, known[-1]))
    found = platform.add_conversation(
        contact_inbox,
        status=status,
        assignee_id=_integer(call.text("assignee_id")),
        team_id=_integer(call.text("team_id")),
        additional_attributes=call.object("additional_attributes"),
        custom_attributes=call.object("custom_attributes"),
    )
    if given := call.object("message"):
        platform.add_message(found, build_message(call, found, given))
    return chatwoot_json(answers.conversation(platform, found))


def toggle_status(call: Call, display_id: str) -> HttpResponse:
    found = call.conversation(display_id)
    status = call.text("status") or ("resolved" if found.status == "open" else "open")
    if status not in STATUSES:
        raise text_error(422, f"'{status}' is not a valid status")
    call.platform.change_status(found, status, _integer(call.text("snoozed_until")))
    payload = {
        "success": True,
        "conversation_id": found.id,
        "current_status": found.status,
        "snoozed_until": found.snoozed_until,
    }
    return chatwoot_json({"meta": {}, "payload": payload})


def assign(call: Call, display_id: str) -> HttpResponse:
    found = call.conversation(display_id)
    if "team_id" in call.params:
        found.team_id = _integer(call.text("team_id"))
        call.platform.touch(found)
        team = call.platform.agents.team
        return chatwoot_json({"id": team.id, "name": team.name} if found.team_id == team.id else None)
    found.assignee_id = _integer(call.text("assignee_id"))
    call.platform.touch(found)
    users = {user.id: user for user in call.platform.agents.users}
    assignee = users.get(found.assignee_id or 0)
    return chatwoot_json(None if assignee is None else answers.agent(assignee, call.platform.config.account_id))


def conversation_labels(call: Call, display_id: str) -> HttpResponse:
    return label_list(call.conversation(display_id).labels)


def set_conversation_labels(call: Call, display_id: str) -> HttpResponse:
    found = call.conversation(display_id)
    found.labels = clean_labels(call.platform, call.params.get("labels"))
    call.platform.touch(found)
    return label_list(found.labels)


def _visible(call: Call) -> list[Conversation]:
    return [each for each in call.platform.conversations.values() if call.user.sees(each.inbox.id)]


def _is_wanted(call: Call, each: Conversation) -> bool:
    params = call.params
    if text := call.text("q"):
        if not any(text.lower() in (message.content or "").lower() for message in each.messages):
            return False
    elif (status := str(params.get("status", "open"))) != "all" and each.status != status:
        return False
    labels = {label.lower() for label in call.list_of("labels")}
    within = _integer(call.text("updated_within"))
    return (
        call.text("inbox_id") in (None, str(each.inbox.id))
        and call.text("team_id") in (None, str(each.team_id))
        and call.text("source_id") in (None, each.contact_inbox.source_id)
        and (not labels or labels <= {label.lower() for label in each.labels})
        and (within is None or call.platform.now() - each.updated_at <= timedelta(seconds=within))
    )


def _counts(call: Call, found: list[Conversation]) -> dict[str, Any]:
    assigned = [each for each in found if each.assignee_id is not None]
    return {
        "mine_count": len([each for each in assigned if each.assignee_id == call.user.id]),
        "assigned_count": len(assigned),
        "unassigned_count": len(found) - len(assigned),
        "all_count": len(found),
    }


def _contact_inbox(call: Call) -> ContactInbox:
    """By the source id, or by contact and inbox."""
    platform, source_id, inbox_id = call.platform, call.text("source_id"), _integer(call.text("inbox_id"))
    if source_id is not None:
        for each in platform.contact_inboxes:
            if each.source_id == source_id and inbox_id in (None, each.inbox.id):
                return each
    inbox = platform.inboxes.get(inbox_id or 0)
    contact = platform.contacts.get(_integer(call.text("contact_id")) or 0)
    if inbox is None or contact is None:
        raise not_found()
    if not call.user.sees(inbox.id):
        raise text_error(401, "You are not authorized to do this action")
    known = [each for each in platform.inboxes_of(contact) if each.inbox is inbox]
    return known[-1] if known and source_id is None else platform.join_inbox(contact, inbox, source_id)


def _integer(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdigit() and len(text) < 19 else None
