"""Handles every request to WhatsApp: control operations, faults, the Graph API and the journal."""

import asyncio
import json
import secrets
from dataclasses import replace

from ficha.core.log import log
from ficha.sandbox.fault_rules import BAD_GATEWAY_PAGE
from ficha.sandbox.http_messages import Ending, HttpRequest, HttpResponse
from ficha.sandbox.whatsapp.control import PREFIX, control
from ficha.sandbox.whatsapp.errors import GraphError
from ficha.sandbox.whatsapp.faults import WhatsAppFault
from ficha.sandbox.whatsapp.graph import graph
from ficha.sandbox.whatsapp.journal import RequestEntry
from ficha.sandbox.whatsapp.platform import WhatsAppPlatform
from ficha.sandbox.whatsapp.responses import error_response

_ENDINGS = {
    "drop_before": Ending.CLOSED,
    "drop_after": Ending.CLOSED,
    "cut_request": Ending.CLOSED,
    "timeout_before_acceptance": Ending.SILENT,
    "timeout_after_acceptance": Ending.SILENT,
    "half_answer": Ending.HALF,
}


class RequestHandler:
    def __init__(self, platform: WhatsAppPlatform) -> None:
        self._platform = platform

    async def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path.startswith(PREFIX):
            return await control(self._platform, request)
        wait, fault = self._platform.faults.choose(request)
        await asyncio.sleep(wait)
        response = await self._answer(request) if fault is None else await self._answer_with(fault, request)
        name = fault.action if fault is not None else "latency" if wait else None
        self._add_to_journal(request, response, name)
        return replace(response, headers={**self._headers(request), **response.headers})

    async def _answer_with(self, fault: WhatsAppFault, request: HttpRequest) -> HttpResponse:
        """Faults before acceptance keep the request from the platform; the others change or lose its response."""
        match fault.action:
            case "error":
                return error_response(GraphError(fault.code, fault.details, status=fault.status))
            case "http":
                body = BAD_GATEWAY_PAGE if fault.body is None else fault.body
                return HttpResponse(fault.status or 502, body.encode(), {"Content-Type": "text/html"} if body else {})
            case "drop_before" | "timeout_before_acceptance" as action:
                return HttpResponse(0, ending=_ENDINGS[action])
            case "late_answer":
                response = await self._answer(request)
                await asyncio.sleep(fault.ms / 1000)
                return response
            case "cut_request" | "take_half":
                request = replace(request, body=request.body[: len(request.body) // 2])
                if fault.action == "take_half":
                    return await self._answer(request)
        return replace(await self._answer(request), ending=_ENDINGS[fault.action])

    async def _answer(self, request: HttpRequest) -> HttpResponse:
        try:
            check_characters(request)
            return await graph(self._platform, request)
        except GraphError as error:
            return error_response(error)
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as fault:
            # A shape that no check of ours expects: the platform refuses it in its own words, whatever it is.
            log().warning("sandbox.unexpected_request", error=type(fault).__name__)
            return error_response(GraphError(100, "The request has a parameter of an unexpected type.", subcode=33))

    def _headers(self, request: HttpRequest) -> dict[str, str]:
        platform = self._platform
        used = platform.limits.usage(platform.behaviour)
        shares = {"call_count": used, "total_cputime": 1, "total_time": 1}
        business = {"type": "whatsapp", **shares, "estimated_time_to_regain_access": 60 if used >= 100 else 0}
        version = request.path.lstrip("/").partition("/")[0]
        return {
            "x-fb-trace-id": secrets.token_urlsafe(8),
            "x-fb-request-id": secrets.token_urlsafe(12),
            "facebook-api-version": version if version.startswith("v") else "v23.0",
            "x-app-usage": json.dumps(shares),
            "x-business-use-case-usage": json.dumps({platform.config.business_id: [business]}),
        }

    def _add_to_journal(self, request: HttpRequest, response: HttpResponse, fault: str | None) -> None:
        """Without the query, which can hold a token."""
        was_answered = response.ending in (Ending.WHOLE, Ending.HALF)
        journal = self._platform.journal
        journal.entries.append(
            RequestEntry(
                n=journal.next_number(),
                at=self._platform.now().isoformat(),
                method=request.method,
                path=request.path,
                status=response.status if was_answered else None,
                accepted=response.accepted,
                fault=fault,
                error_code=_error_code(response) if response.status >= 400 else None,
            )
        )


def check_characters(request: HttpRequest) -> None:
    """Half a character is no text: raises GraphError."""
    if b"\\u" in request.body and isinstance(content := request.json(), dict | list):
        try:
            json.dumps(content, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise GraphError(100, "Invalid UTF-8 in the request.", subcode=33) from None


def _error_code(response: HttpResponse) -> int | None:
    try:
        return int(json.loads(response.body)["error"]["code"])
    except (ValueError, KeyError, TypeError):
        return None
