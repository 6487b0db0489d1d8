"""Operations on groups. What changes a group is answered with the id of the request; a notification with that id tells
what came of it."""

import secrets
from collections.abc import Callable
from typing import Any

from ficha.sandbox.http_messages import HttpResponse, json_response
from ficha.sandbox.whatsapp.errors import GraphError, invalid_parameter, webhook_error
from ficha.sandbox.whatsapp.groups import MOST_PARTICIPANTS, Group, JoinRequest
from ficha.sandbox.whatsapp.notifications import group_update, participants
from ficha.sandbox.whatsapp.operations.call import Call, own_number
from ficha.sandbox.whatsapp.people import NotAPerson, Person
from ficha.sandbox.whatsapp.pictures import GroupPicture, read_group_picture
from ficha.sandbox.whatsapp.responses import page, success_response
from ficha.sandbox.whatsapp.tokens import MESSAGING

MOST_LISTED = 1024


def create_group(call: Call, number_id: str) -> HttpResponse:
    number, asked = own_number(call, number_id, MESSAGING), _asked(call)
    group = call.platform.groups.create(number.id, number.digits, asked, call.platform.now())
    details = {"subject": group.subject, "description": group.description, "invite_link": group.invite_link}
    return _requested(call, group, "group_create", details | {"join_approval_mode": group.join_approval_mode})


def list_groups(call: Call, number_id: str) -> HttpResponse:
    number, query = own_number(call, number_id, MESSAGING), call.request.query
    limit = query.get("limit", "25")
    if not limit.isdigit() or not 1 <= int(limit) <= MOST_LISTED:
        raise invalid_parameter(f"Param limit must be between 1 and {MOST_LISTED}.")
    found = [
        {"id": each.id, "subject": each.subject, "created_at": str(int(each.created_at.timestamp()))}
        for each in call.platform.groups.of_number(number.id)
    ]
    listed = page(found, query, call.address)
    return json_response({**listed, "data": {"groups": listed["data"]}})


def get_group(call: Call, group_id: str) -> HttpResponse:
    return json_response(_own_group(call, group_id).description_of(call.request.query.get("fields")))


def change_group(call: Call, group_id: str) -> HttpResponse:
    group, asked = _own_group(call, group_id), _asked(call)
    picture = _picture(call)
    changes: dict[str, Any] = dict(group.change(asked))
    if picture is not None:
        changes["profile_picture"] = {"mime_type": picture.mime_type, "sha256": picture.sha256}
    if not changes:
        raise invalid_parameter("One of the parameters subject, description and file is required.")
    return _requested(call, group, "group_settings_update", changes)


def delete_group(call: Call, group_id: str) -> HttpResponse:
    group = _own_group(call, group_id)
    del call.platform.groups.known[group.id]
    _notify(call, group, "group_delete", _request_id(), {})
    return success_response()


def make_invite_link(call: Call, group_id: str) -> HttpResponse:
    group, _ = _own_group(call, group_id), _asked(call)
    return json_response({"messaging_product": "whatsapp", "invite_link": group.make_link()})


def delete_invite_link(call: Call, group_id: str) -> HttpResponse:
    group, _ = _own_group(call, group_id), _asked(call)
    group.invite_link = None
    # A string, as the contract has it.
    return json_response({"messaging_product": "whatsapp", "success": "true"})


def add_participants(call: Call, group_id: str) -> HttpResponse:
    group, people = _own_group(call, group_id), _asked_people(call)
    added = group.add(list(people.values()))
    shown = {written: each for written, each in people.items() if each in added}
    return _requested(call, group, "group_add_participants", {"added_participants": participants(shown)})


def remove_participants(call: Call, group_id: str) -> HttpResponse:
    group, people = _own_group(call, group_id), _asked_people(call)
    removed = group.remove(list(people.values()))
    shown = {written: each for written, each in people.items() if each in removed}
    return _requested(call, group, "group_remove_participants", {"removed_participants": participants(shown)})


def join_requests(call: Call, group_id: str) -> HttpResponse:
    requests = _own_group(call, group_id).join_requests.values()
    found = [
        {"join_request_id": each.id, "wa_id": each.person.key, "creation_timestamp": int(each.at.timestamp())}
        for each in requests
    ]
    return json_response(page(found, call.request.query, call.address))


def approve_join_requests(call: Call, group_id: str) -> HttpResponse:
    group, asked = _own_group(call, group_id), _asked_requests(call)
    joined: list[Person] = []

    def approve(request: JoinRequest) -> None:
        joined.extend(group.add([request.person]))

    answer = _settle(group, asked, "approved_join_requests", approve)
    if joined:
        added = participants({each.key: each for each in joined})
        _notify(call, group, "group_add_participants", _request_id(), {"added_participants": added})
    return answer


def reject_join_requests(call: Call, group_id: str) -> HttpResponse:
    group, asked = _own_group(call, group_id), _asked_requests(call)
    return _settle(group, asked, "rejected_join_requests", lambda _: None)


def _settle(group: Group, asked: list[str], word: str, settle: Callable[[JoinRequest], None]) -> HttpResponse:
    """Each request that is open, and for the others why not."""
    done: list[str] = []
    failed: list[dict[str, Any]] = []
    for name in asked:
        try:
            if (request := group.join_requests.get(name)) is None:
                raise invalid_parameter("There is no such join request.")
            settle(request)
        except GraphError as error:
            failed.append({"join_request_id": name, "errors": [webhook_error(error.code, error.message)]})
        else:
            del group.join_requests[name]
            done.append(name)
    answer: dict[str, Any] = {"messaging_product": "whatsapp", word: done}
    return json_response(answer | ({"failed_join_requests": failed} if failed else {}))


def _own_group(call: Call, group_id: str) -> Group:
    call.token(MESSAGING)
    return call.platform.groups.find(group_id, call.request.method)


def _asked(call: Call) -> dict[str, Any]:
    asked = call.request.fields()
    if asked.get("messaging_product") != "whatsapp":
        raise invalid_parameter("The parameter messaging_product is required.")
    return asked


def _asked_people(call: Call) -> dict[str, Person]:
    """By what was written of each."""
    given = _asked(call).get("participants")
    if not isinstance(given, list) or not 1 <= len(given) <= MOST_PARTICIPANTS:
        raise invalid_parameter(f"Param participants must have 1 to {MOST_PARTICIPANTS} elements.")
    written = [each.get("user") if isinstance(each, dict) else None for each in given]
    try:
        return {str(each): call.platform.people.with_id(str(each)) for each in written}
    except NotAPerson:
        raise invalid_parameter("Param participants['user'] is not a phone number or user id.") from None


def _asked_requests(call: Call) -> list[str]:
    given = _asked(call).get("join_requests")
    if not isinstance(given, list) or not given or not all(isinstance(each, str) for each in given):
        raise invalid_parameter("Param join_requests must be an array of ids.")
    return list(dict.fromkeys(given))


def _picture(call: Call) -> GroupPicture | None:
    file = next((part for part in call.request.parts() if part.name == "file"), None)
    return None if file is None else read_group_picture(file)


def _requested(call: Call, group: Group, kind: str, details: dict[str, Any]) -> HttpResponse:
    request_id = _request_id()
    _notify(call, group, kind, request_id, details)
    return json_response({"messaging_product": "whatsapp", "request_id": request_id})


def _notify(call: Call, group: Group, kind: str, request_id: str, details: dict[str, Any]) -> None:
    number = call.platform.numbers[group.phone_number_id]
    update = group_update(number, group.id, kind, request_id, call.platform.now(), details)
    call.platform.notify(update, number, group.id)
    call.platform.mark_changed()


def _request_id() -> str:
    return secrets.token_hex(16).upper()
