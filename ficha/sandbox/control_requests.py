"""Control requests, under /_sandbox/ on every platform: only pages and programs of this machine may send them."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from ficha.sandbox.changes import Changes
from ficha.sandbox.http_messages import HttpRequest, HttpResponse, json_response
from ficha.sandbox.listener import Handler
from ficha.sandbox.loopback import LOOPBACK

LONGEST_WAIT = 30


class ControlRefused(Exception):
    """A control request was refused; the text says why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


async def answer_control(request: HttpRequest, operation: Handler) -> HttpResponse:
    """The response of `operation`, or the refusal that it raised, for a request that comes from this machine."""
    if not _is_from_this_machine(request):
        return json_response({"error": "The sandbox is for this machine only."}, 403)
    try:
        response = HttpResponse(204) if request.method == "OPTIONS" else await operation(request)
    except ControlRefused as refused:
        response = json_response({"error": str(refused)}, refused.status)
    return HttpResponse(response.status, response.body, {**response.headers, **_headers(request)})


def json_object(request: HttpRequest) -> dict[str, Any]:
    """The body, empty if none was sent; raises ControlRefused if it is not a JSON object."""
    body = request.json() if request.body else {}
    if not isinstance(body, dict):
        raise ControlRefused(400, "The body is a JSON object.")
    return body


async def answer_state(platform: Changes, request: HttpRequest, state: Callable[[], dict[str, Any]]) -> HttpResponse:
    """A short response if the version is still the one of `since`; with `wait`, only after so many seconds without a
    change."""
    since = request.query.get("since", "")
    if since.isdigit():
        wait = request.query.get("wait", "0")
        await platform.wait_for_change(int(since), min(float(wait) if wait.isdigit() else 0, LONGEST_WAIT))
        if int(since) == platform.version:
            return json_response({"version": platform.version, "changed": False})
    return json_response(state())


def _is_from_this_machine(request: HttpRequest) -> bool:
    """Not so for a page of another machine that acts through somebody's browser: its origin is another, or the name by
    which it calls this machine is."""
    origin = request.headers.get("origin")
    return _is_local(f"//{request.headers.get('host', '')}") and (not origin or _is_local(origin))


def _is_local(address: str) -> bool:
    return urlsplit(address).hostname in LOOPBACK


def _headers(request: HttpRequest) -> dict[str, str]:
    """Let pages of this machine, whatever their port, read the response."""
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    if origin := request.headers.get("origin"):
        headers |= {
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Allow-Methods": "GET, POST, PUT",
            "Access-Control-Allow-Headers": "Content-Type",
            "Vary": "Origin",
        }
    return headers
