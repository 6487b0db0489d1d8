"""/_sandbox: what people and tests do to the platform. This machine only, no token."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from ficha.sandbox.http_messages import HttpRequest, HttpResponse, as_json, dump
from ficha.sandbox.whatsapp import notifications, view
from ficha.sandbox.whatsapp.config import LOOPBACK, BadBehaviour
from ficha.sandbox.whatsapp.errors import CODES
from ficha.sandbox.whatsapp.faults import BadRule
from ficha.sandbox.whatsapp.inbound import BadMessage, receive
from ficha.sandbox.whatsapp.people import NotAPerson, Person
from ficha.sandbox.whatsapp.platform import Platform

PREFIX = "/_sandbox/"
LONGEST_WAIT = 30
_STATUSES = ("sent", "delivered", "read", "played", "failed")


class Refused(Exception):
    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


async def control(platform: Platform, request: HttpRequest) -> HttpResponse:
    """A page of another machine must not drive it through somebody's browser: neither by address nor by origin."""
    origin = request.headers.get("origin")
    if not _is_here(f"//{request.headers.get('host', '')}") or (origin and not _is_here(origin)):
        return as_json({"error": "The sandbox is for this machine only."}, 403)
    path = request.path.removeprefix(PREFIX).strip("/")
    if request.method == "OPTIONS":
        return _for(origin, HttpResponse(204))
    try:
        answer = await _dispatch(platform, request, path)
    except (BadMessage, BadRule, BadBehaviour, NotAPerson) as fault:
        answer = as_json({"error": str(fault)}, 400)
    except Refused as fault:
        answer = as_json({"error": str(fault)}, fault.status)
    return _for(origin, answer)


async def _dispatch(platform: Platform, request: HttpRequest, path: str) -> HttpResponse:
    kind, _, name = path.partition("/")
    if request.method == "GET" and kind in ("media", "pictures") and name:
        return _file(platform, kind, name)
    operation = _OPERATIONS.get((request.method, path))
    if operation is None:
        raise Refused(404, f"There is no {request.method} {request.path}.")
    return await operation(platform, request)


def _is_here(address: str) -> bool:
    return urlsplit(address).hostname in LOOPBACK


def _for(origin: str | None, answer: HttpResponse) -> HttpResponse:
    headers = {**answer.headers, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    if origin:
        headers |= {
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Allow-Methods": "GET, POST, PUT",
            "Access-Control-Allow-Headers": "Content-Type",
            "Vary": "Origin",
        }
    return HttpResponse(answer.status, answer.body, headers)


def _body(request: HttpRequest) -> dict[str, Any]:
    body = request.json() if request.body else {}
    if not isinstance(body, dict):
        raise Refused(400, "The body is a JSON object.")
    return body


def _person(platform: Platform, body: dict[str, Any]) -> Person:
    user = body.get("user")
    if isinstance(user, dict):
        user = user.get("wa_id") or user.get("user_id")
    if not isinstance(user, str):
        raise Refused(400, "`user` is a number or a user id.")
    return platform.people.with_id(user)


async def _state(platform: Platform, request: HttpRequest) -> HttpResponse:
    """`since` answers shortly when nothing changed; with `wait`, only when something does or the seconds are over."""
    since = request.query.get("since", "")
    if since.isdigit():
        wait = request.query.get("wait", "0")
        await platform.wait_for_news(int(since), min(float(wait) if wait.isdigit() else 0, LONGEST_WAIT))
        if int(since) == platform.version:
            return as_json({"version": platform.version, "changed": False})
    return as_json(view.state(platform))


async def _message(platform: Platform, request: HttpRequest) -> HttpResponse:
    return as_json({"id": receive(platform, _body(request)).id}, 201)


async def _raw(platform: Platform, request: HttpRequest) -> HttpResponse:
    """Any value, any field, or a whole body of one's own."""
    body = _body(request)
    if "body" in body:
        platform.webhooks.deliver(dump(body["body"]), platform.config.webhook_url)
    elif isinstance(body.get("value"), dict):
        platform.emit(notifications.change(body["value"], str(body.get("field", "messages"))))
    else:
        raise Refused(400, "`value` is what the notification carries.")
    return as_json({"sent": True}, 202)


async def _statuses(platform: Platform, request: HttpRequest) -> HttpResponse:
    body = _body(request)
    message = platform.chats.messages.get(str(body.get("id")))
    if message is None or message.direction != "out":
        raise Refused(404, "There is no message of the business with that `id`.")
    if body.get("status") not in _STATUSES:
        raise Refused(400, f"`status` is one of: {', '.join(_STATUSES)}.")
    code = body.get("error_code")
    if code is not None and code not in CODES:
        raise Refused(400, "There is no such `error_code`.")
    platform.note(message, body["status"], code)
    return as_json({"id": message.id})


async def _read(platform: Platform, request: HttpRequest) -> HttpResponse:
    return as_json({"read": platform.read_chat(_person(platform, _body(request)))})


async def _people(platform: Platform, request: HttpRequest) -> HttpResponse:
    """Who they are, and whether they want advertising."""
    body = _body(request)
    person = _person(platform, body)
    for name in ("name", "username"):
        if name in body:
            setattr(person, name, body[name])
    if "stopped" in body and bool(body["stopped"]) != person.stopped_marketing:
        person.stopped_marketing = bool(body["stopped"])
        number = platform.number
        platform.emit(notifications.preference(number, person, platform.behaviour, platform.now()), number)
    platform.changed()
    return as_json({"wa_id": person.wa_id, "user_id": person.user_id, "name": person.name})


async def _faults(platform: Platform, request: HttpRequest) -> HttpResponse:
    if request.method == "PUT":
        body = request.json()
        rules, seed = (body.get("rules"), body.get("seed")) if isinstance(body, dict) else (body, None)
        if not isinstance(rules, list):
            raise Refused(400, "The body is a list of rules, or an object with `rules` and `seed`.")
        platform.faults.set(rules, seed)
        platform.changed()
    return as_json([rule.report() for rule in platform.faults.rules])


async def _behaviour(platform: Platform, request: HttpRequest) -> HttpResponse:
    if request.method == "PUT":
        platform.behaviour = platform.behaviour.changed(_body(request))
        platform.changed()
    return as_json(asdict(platform.behaviour))


async def _webhook_test(platform: Platform, request: HttpRequest) -> HttpResponse:
    """The dashboard's button: delivered in the envelope; `bare` sends the form that the dashboard only displays."""
    change = {"field": "messages", "value": notifications.DASHBOARD_TEST}
    body = change if _body(request).get("bare") else notifications.envelope("0", [change])
    platform.webhooks.deliver(dump(body), platform.config.webhook_url)
    return as_json({"sent": True}, 202)


async def _webhook_verify(platform: Platform, request: HttpRequest) -> HttpResponse:
    body = _body(request)
    url = platform.config.webhook_url
    if url is None:
        raise Refused(409, "No webhook is configured.")
    token = str(body.get("verify_token", platform.config.verify_token))
    return as_json({"verified": await platform.webhooks.handshake(url, token)})


async def _reset(platform: Platform, _request: HttpRequest) -> HttpResponse:
    await platform.reset()
    return as_json({"version": platform.version})


async def _log(platform: Platform, request: HttpRequest) -> HttpResponse:
    since = request.query.get("since", "0")
    after = int(since) if since.isdigit() else 0
    return as_json([entry for entry in platform.journal.report() if entry["n"] > after])


async def _accepted(platform: Platform, _request: HttpRequest) -> HttpResponse:
    return as_json(platform.journal.accepted_report())


async def _clock(platform: Platform, request: HttpRequest) -> HttpResponse:
    try:
        platform.ahead += timedelta(seconds=float(_body(request).get("advance_seconds", 0)))
    except (TypeError, ValueError):
        raise Refused(400, "`advance_seconds` is a number.") from None
    platform.changed()
    return as_json({"now": platform.now().isoformat()})


def _file(platform: Platform, kind: str, name: str) -> HttpResponse:
    """Shown inert: whatever somebody sent must not run in the page's place."""
    content, mime = None, ""
    if kind == "media" and (file := platform.media.files.get(name)) is not None:
        content, mime = file.content, file.mime_type
    elif kind == "pictures":
        for handle, session in platform.uploads.finished.items():
            if handle.endswith(f":{name}"):
                content, mime = bytes(session.content), session.file_type
    if content is None:
        raise Refused(404, "There is no such file.")
    return HttpResponse(200, content, {"Content-Type": mime, "Content-Security-Policy": "sandbox; default-src 'none'"})


_Operation = Callable[[Platform, HttpRequest], Awaitable[HttpResponse]]
_OPERATIONS: dict[tuple[str, str], _Operation] = {
    ("GET", "state"): _state,
    ("POST", "messages"): _message,
    ("POST", "messages/raw"): _raw,
    ("POST", "statuses"): _statuses,
    ("POST", "read"): _read,
    ("POST", "people"): _people,
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
