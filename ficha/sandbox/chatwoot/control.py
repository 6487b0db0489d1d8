"""/_sandbox/chatwoot/: what developers and tests do to Chatwoot, and what an agent does at the desk. Needs no token."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any

from ficha.sandbox.behaviour import BadBehaviour
from ficha.sandbox.chatwoot import answers
from ficha.sandbox.chatwoot.platform import ChatwootPlatform
from ficha.sandbox.chatwoot.records import OUTGOING, STATUSES, Conversation, Message, Sender
from ficha.sandbox.control_requests import ControlRefused, answer_control, answer_state, json_object
from ficha.sandbox.fault_rules import BadRule
from ficha.sandbox.http_messages import HttpRequest, HttpResponse, json_response

PREFIX = "/_sandbox/chatwoot/"
# Who sits at the desk of the sandbox page.
DESK_AGENT = 2


async def control(platform: ChatwootPlatform, request: HttpRequest) -> HttpResponse:
    """Answers a request under /_sandbox/chatwoot/."""
    return await answer_control(request, lambda request: _answer(platform, request))


async def _answer(platform: ChatwootPlatform, request: HttpRequest) -> HttpResponse:
    operation = _OPERATIONS.get((request.method, request.path.removeprefix(PREFIX).strip("/")))
    if operation is None:
        raise ControlRefused(404, f"There is no {request.method} {request.path}.")
    try:
        return await operation(platform, request)
    except (BadRule, BadBehaviour) as fault:
        raise ControlRefused(400, str(fault)) from None


async def _state(platform: ChatwootPlatform, request: HttpRequest) -> HttpResponse:
    return await answer_state(platform, request, lambda: state(platform))


def state(platform: ChatwootPlatform) -> dict[str, Any]:
    """The conversations with all their messages, the one with the newest activity first."""
    found = sorted(platform.conversations.values(), key=lambda each: (each.last_activity_at, each.id), reverse=True)
    return {
        "version": platform.version,
        "changed": True,
        "pending": platform.pending,
        "conversations": [
            answers.conversation(platform, each)
            | {"all_messages": [answers.message(platform, each, message) for message in each.messages]}
            for each in found
        ],
    }


async def _reply(platform: ChatwootPlatform, request: HttpRequest) -> HttpResponse:
    """The agent writes: to the contact, or with `private` a note to colleagues."""
    body = json_object(request)
    found = _conversation(platform, body)
    content = body.get("content")
    if not isinstance(content, str) or not content.strip():
        raise ControlRefused(400, "`content` is a text.")
    message = Message(
        next(platform.ids["message"]),
        content,
        OUTGOING,
        platform.now(),
        Sender("user", int(body.get("agent", DESK_AGENT))),
        private=body.get("private") is True,
    )
    platform.add_message(found, message)
    return json_response({"id": message.id}, 201)


async def _status(platform: ChatwootPlatform, request: HttpRequest) -> HttpResponse:
    body = json_object(request)
    found = _conversation(platform, body)
    if body.get("status") not in STATUSES:
        raise ControlRefused(400, f"`status` is one of: {', '.join(STATUSES)}.")
    platform.change_status(found, body["status"])
    return json_response({"status": found.status})


async def _faults(platform: ChatwootPlatform, request: HttpRequest) -> HttpResponse:
    if request.method == "PUT":
        rules = request.json()
        if not isinstance(rules, list):
            raise ControlRefused(400, "The body is a list of rules.")
        platform.faults.set(rules)
        platform.mark_changed()
    return json_response([rule.report() for rule in platform.faults.rules])


async def _behaviour(platform: ChatwootPlatform, request: HttpRequest) -> HttpResponse:
    if request.method == "PUT":
        platform.change_behaviour(json_object(request))
    return json_response(asdict(platform.behaviour))


async def _reset(platform: ChatwootPlatform, _request: HttpRequest) -> HttpResponse:
    await platform.reset()
    return json_response({"version": platform.version})


async def _log(platform: ChatwootPlatform, request: HttpRequest) -> HttpResponse:
    since = request.query.get("since", "0")
    after = int(since) if since.isdigit() else 0
    return json_response([entry for entry in platform.journal.as_json() if entry["n"] > after])


def _conversation(platform: ChatwootPlatform, body: dict[str, Any]) -> Conversation:
    found = platform.conversations.get(body.get("conversation") or 0)
    if found is None:
        raise ControlRefused(404, "There is no such `conversation`.")
    return found


_Operation = Callable[[ChatwootPlatform, HttpRequest], Awaitable[HttpResponse]]
_OPERATIONS: dict[tuple[str, str], _Operation] = {
    ("GET", "state"): _state,
    ("POST", "messages"): _reply,
    ("POST", "status"): _status,
    ("GET", "faults"): _faults,
    ("PUT", "faults"): _faults,
    ("GET", "behaviour"): _behaviour,
    ("PUT", "behaviour"): _behaviour,
    ("POST", "reset"): _reset,
    ("GET", "log"): _log,
}
