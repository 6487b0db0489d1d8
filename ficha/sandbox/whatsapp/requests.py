"""Every request comes through here: the control side, the faults, the Graph API, and a line in the journal."""

import asyncio
import json
import secrets
from dataclasses import replace

from ficha.sandbox.http_messages import Ending, HttpRequest, HttpResponse, as_error
from ficha.sandbox.whatsapp.control import PREFIX, control
from ficha.sandbox.whatsapp.errors import GraphError
from ficha.sandbox.whatsapp.faults import HTML, Rule
from ficha.sandbox.whatsapp.graph import graph
from ficha.sandbox.whatsapp.journal import Came
from ficha.sandbox.whatsapp.platform import Platform

_ENDINGS = {
    "drop_before": Ending.CLOSED,
    "drop_after": Ending.CLOSED,
    "cut_request": Ending.CLOSED,
    "timeout_before_acceptance": Ending.SILENT,
    "timeout_after_acceptance": Ending.SILENT,
    "half_answer": Ending.HALF,
}


class Door:
    def __init__(self, platform: Platform) -> None:
        self._platform = platform

    async def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path.startswith(PREFIX):
            return await control(self._platform, request)
        wait, fault = self._platform.faults.of(request)
        await asyncio.sleep(wait / 1000)
        answer = await self._meet(request, fault)
        what = fault.action if fault is not None else "latency" if wait else None
        self._write_down(request, answer, what)
        return replace(answer, headers={**self._headers(request), **answer.headers})

    async def _meet(self, request: HttpRequest, fault: Rule | None) -> HttpResponse:
        """Faults that happen before anything is accepted never reach the platform; the others hide its answer."""
        match fault.action if fault else None:
            case None:
                return await self._answer(request)
            case "error":
                assert fault is not None
                return as_error(GraphError(fault.code, fault.details, status=fault.status))
            case "http":
                assert fault is not None
                body = HTML if fault.body is None else fault.body
                return HttpResponse(fault.status or 502, body.encode(), {"Content-Type": "text/html"} if body else {})
            case "drop_before" | "timeout_before_acceptance" as action:
                return HttpResponse(0, ending=_ENDINGS[action])
            case "cut_request":
                request = replace(request, body=request.body[: len(request.body) // 2])
            case "late_answer":
                assert fault is not None
                answer = await self._answer(request)
                await asyncio.sleep(fault.ms / 1000)
                return answer
        assert fault is not None
        return replace(await self._answer(request), ending=_ENDINGS[fault.action])

    async def _answer(self, request: HttpRequest) -> HttpResponse:
        try:
            return await graph(self._platform, request)
        except GraphError as error:
            return as_error(error)

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

    def _write_down(self, request: HttpRequest, answer: HttpResponse, fault: str | None) -> None:
        """Without the query: it can hold a token."""
        was_answered = answer.ending in (Ending.WHOLE, Ending.HALF)
        code = _error_code(answer) if answer.status >= 400 else None
        journal = self._platform.journal
        at = self._platform.now().isoformat()
        status = answer.status if was_answered else None
        entry = Came(journal.next(), at, request.method, request.path, status, answer.accepted, fault, code)
        journal.entries.append(entry)


def _error_code(answer: HttpResponse) -> int | None:
    try:
        return int(json.loads(answer.body)["error"]["code"])
    except (ValueError, KeyError, TypeError):
        return None
