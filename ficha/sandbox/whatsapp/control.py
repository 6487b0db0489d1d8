"""/_sandbox/: what developers and tests do to the platform, in place of the people who would. Needs no token."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from ficha.sandbox.behaviour import BadBehaviour
from ficha.sandbox.control_requests import ControlRefused, answer_control, answer_state, json_object
from ficha.sandbox.fault_rules import BadRule
from ficha.sandbox.http_messages import HttpRequest, HttpResponse, json_bytes, json_response
from ficha.sandbox.whatsapp import notifications, view
from ficha.sandbox.whatsapp.errors import CODES, GraphError
from ficha.sandbox.whatsapp.inbound import receive
from ficha.sandbox.whatsapp.inbound_bodies import BadMessage
from ficha.sandbox.whatsapp.people import NotAPerson, Person
from ficha.sandbox.whatsapp.platform import WhatsAppPlatform

PREFIX = "/_sandbox/"
_STATUSES = ("sent", "delivered", "read", "played", "failed")


async def control(platform: WhatsAppPlatform, request: HttpRequest) -> HttpResponse:
    """Answers a request under /_sandbox/."""
    return await answer_control(request, lambda request: _answer(platform, request))


async def _answer(platform: WhatsAppPlatform, request: HttpRequest) -> HttpResponse:
    path = request.path.removeprefix(PREFIX).strip("/")
    kind, _, name = path.partition("/")
    if request.method == "GET" and kind in ("media", "pictures", "flows") and name:
        return _file(platform, kind, name)
    operation = _OPERATIONS.get((request.method, path))
    if operation is None:
        raise ControlRefused(404, f"There is no {request.method} {request.path}.")
    try:
        return await operation(platform, request)
    except (BadMessage, BadRule, BadBehaviour, NotAPerson) as fault:
        raise ControlRefused(400, str(fault)) from None


def _person(platform: WhatsAppPlatform, body: dict[str, Any]) -> Person:
    user = body.get("user")
    if isinstance(user, dict):
        user = user.get("wa_id") or user.get("user_id")
    if not isinstance(user, str):
        raise ControlRefused(400, "`user` is a number or a user id.")
    return platform.people.with_id(user)


async def _state(platform: WhatsAppPlatform, request: HttpRequest) -> HttpResponse:
    return await answer_state(platform, request, lambda: view.state(platform))


async def _message(platform: WhatsAppPlatform, request: HttpRequest) -> HttpResponse:
    return json_response({"id": receive(platform, json_object(request)).id}, 201)


async def _raw(platform: WhatsAppPlatform, request: HttpRequest) -> HttpResponse:
    """Sends a notification with any value and field, or with a whole body of the caller's own."""
    body = json_object(request)
    if "body" in body:
        platform.webhooks.deliver(json_bytes(body["body"]), platform.config.webhook_url)
    elif isinstance(body.get("value"), dict):
        platform.notify(notifications.change(body["value"], str(body.get("field", "messages"))))
    else:
        raise ControlRefused(400, "`value` is what the notification carries.")
    return json_response({"sent": True}, 202)


async def _statuses(platform: WhatsAppPlatform, request: HttpRequest) -> HttpResponse:
    body = json_object(request)
    message = platform.chats.messages.get(str(body.get("id")))
    if message is None or message.direction != "out":
        raise ControlRefused(404, "There is no message of the business with that `id`.")
    if body.get("status") not in _STATUSES:
        raise ControlRefused(400, f"`status` is one of: {', '.join(_STATUSES)}.")
    code = body.get("error_code")
    if code is not None and code not in CODES:
        raise ControlRefused(400, "There is no such `error_code`.")
    platform.add_status(message, body["status"], code)
    return json_response({"id": message.id})


async def _read(platform: WhatsAppPlatform, request: HttpRequest) -> HttpResponse:
    return json_response({"read": platform.mark_chat_read(_person(platform, json_object(request)))})


async def _people(platform: WhatsAppPlatform, request: HttpRequest) -> HttpResponse:
    """Changes a person's names, and whether they want advertising."""
    body = json_object(request)
    person = _person(platform, body)
    for name in ("name", "username"):
        if name in body:
            setattr(person, name, body[name])
    if "stopped" in body and bool(body["stopped"]) != person.stopped_marketing:
        person.stopped_marketing = bool(body["stopped"])
        number = platform.number
        platform.notify(notifications.marketing_preference(number, person, platform.behaviour, platform.now()), number)
    platform.mark_changed()
    return json_response({"wa_id": person.wa_id, "user_id": person.user_id, "name": person.name})


async def _join_group(platform: WhatsAppPlatform, request: HttpRequest) -> HttpResponse:
    """A person opens the link of a group: she joins, or asks to."""
    body = json_object(request)
    group = platform.groups.with_link(body.get("invite_link"))
    if group is None:
        raise ControlRefused(404, "There is no group with that `invite_link`.")
    try:
        is_in = group.ask_to_join(_person(platform, body), platform.now())
    except GraphError as fault:
        raise ControlRefused(409, fault.message) from None
    platform.mark_changed()
    return json_response({"group": group.id, "is_in": is_in})


async def _faults(platform: WhatsAppPlatform, request: HttpRequest) -> HttpResponse:
    if request.method == "PUT":
        body = request.json()
        rules, seed = (body.get("rules"), body.get("seed")) if isinstance(body, dict) else (body, None)
        if not isinstance(rules, list):
            raise ControlRefused(400, "The body is a list of rules, or an object with `rules` and `seed`.")
        platform.faults.set(rules, seed)
        platform.mark_changed()
    return json_response([rule.report() for rule in platform.faults.rules])


async def _behaviour(platform: WhatsAppPlatform, request: HttpRequest) -> HttpResponse:
    if request.method == "PUT":
        platform.change_behaviour(json_object(request))
    return json_response(asdict(platform.behaviour))


async def _webhook_test(platform: WhatsAppPlatform, request: HttpRequest) -> HttpResponse:
    """The test button of the platform's dashboard. `bare` leaves out the envelope, as the dashboard displays it."""
    change = {"field": "messages", "value": notifications.DASHBOARD_TEST}
    body = change if json_object(request).get("bare") else notifications.envelope("0", [change])
    platform.webhooks.deliver(json_bytes(body), platform.config.webhook_url)
    return json_response({"sent": True}, 202)


async def _webhook_verify(platform: WhatsAppPlatform, request: HttpRequest) -> HttpResponse:
    body = json_object(request)
    url = platform.config.webhook_url
    if url is None:
        raise ControlRefused(409, "No webhook is configured.")
    token = str(body.get("verify_token", platform.config.verify_token))
    return json_response({"verified": await platform.webhooks.verify_receiver(url, token)})


async def _reset(platform: WhatsAppPlatform, _request: HttpRequest) -> HttpResponse:
    await platform.reset()
    return json_response({"version": platform.version})


async def _log(platform: WhatsAppPlatform, request: HttpRequest) -> HttpResponse:
    since = request.query.get("since", "0")
    after = int(since) if since.isdigit() else 0
    return json_response([entry for entry in platform.journal.entries_as_json() if entry["n"] > after])


async def _accepted(platform: WhatsAppPlatform, _request: HttpRequest) -> HttpResponse:
    return json_response(platform.journal.accepted_as_json())


async def _clock(platform: WhatsAppPlatform, request: HttpRequest) -> HttpResponse:
    try:
        platform.clock_offset += timedelta(seconds=float(json_object(request).get("advance_seconds", 0)))
    except (TypeError, ValueError):
        raise ControlRefused(400, "`advance_seconds` is a number.") from None
    platform.mark_changed()
    return json_response({"now": platform.now().isoformat()})


def _file(platform: WhatsAppPlatform, kind: str, name: str) -> HttpResponse:
    """A file, with headers that keep a browser from running it."""
    content, mime = None, ""
    if kind == "media" and (file := platform.media.files.get(name)) is not None:
        content, mime = file.content, file.mime_type
    elif kind == "pictures":
        for handle, session in platform.uploads.finished.items():
            if handle.endswith(f":{name}"):
                content, mime = bytes(session.content), session.file_type
    elif kind == "flows" and (flow := platform.flows.known.get(name)) is not None:
        content, mime = flow.content, "application/json"
    if content is None:
        raise ControlRefused(404, "There is no such file.")
    return HttpResponse(200, content, {"Content-Type": mime, "Content-Security-Policy": "sandbox; default-src 'none'"})


_Operation = Callable[[WhatsAppPlatform, HttpRequest], Awaitable[HttpResponse]]
_OPERATIONS: dict[tuple[str, str], _Operation] = {
    ("GET", "state"): _state,
    ("POST", "messages"): _message,
    ("POST", "messages/raw"): _raw,
    ("POST", "statuses"): _statuses,
    ("POST", "read"): _read,
    ("POST", "people"): _people,
    ("POST", "groups/join"): _join_group,
    ("GET", "faults"): _faults,
    ("PUT", "faults"): _faults,
    ("GET", "behaviour"): _behaviour,
    ("PUT", "behaviour"): _behaviour,
    ("POST", "webhook-test"): _webhook_test,
    ("POST", "webhook-verify"): _webhook_verify,
    ("POST", "reset"): _reset,
    ("GET", "log"): _log,
    ("GET", "accepted"): _accepted,
    ("POST", "clock"): _clock,
}
