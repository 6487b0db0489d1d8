"""Handles every request to Chatwoot: control operations, limits, faults, its APIs and the journal."""

import asyncio
import secrets
from dataclasses import replace
from datetime import timedelta

from ficha.sandbox.chatwoot.api import PUBLIC, answer
from ficha.sandbox.chatwoot.control import PREFIX, control
from ficha.sandbox.chatwoot.errors import ChatwootError, Throttled
from ficha.sandbox.chatwoot.faults import ENDINGS, ChatwootFault
from ficha.sandbox.chatwoot.journal import ChatwootRequest
from ficha.sandbox.chatwoot.platform import ChatwootPlatform
from ficha.sandbox.fault_rules import BAD_GATEWAY_PAGE
from ficha.sandbox.http_messages import Ending, HttpRequest, HttpResponse


class ChatwootHandler:
    def __init__(self, platform: ChatwootPlatform) -> None:
        self._platform = platform

    async def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path.startswith(PREFIX):
            return await control(self._platform, request)
        wait, fault = self._platform.faults.choose(request)
        await asyncio.sleep(wait)
        response = self._answer(request) if fault is None else await self._answer_with(fault, request)
        self._note(request, response, fault.action if fault is not None else "latency" if wait else None)
        headers = {"X-Request-Id": secrets.token_hex(8), "X-Runtime": "0.010000"}
        if request.path.startswith(PUBLIC):
            headers["Access-Control-Allow-Origin"] = "*"
        return replace(response, headers={**headers, **response.headers})

    async def _answer_with(self, fault: ChatwootFault, request: HttpRequest) -> HttpResponse:
        match fault.action:
            case "http":
                body = BAD_GATEWAY_PAGE if fault.body is None else fault.body
                headers = {"Content-Type": fault.content_type} | (
                    {"Location": fault.location} if fault.location else {}
                )
                return HttpResponse(fault.status, body.encode(), headers)
            case "drop_before" | "timeout_before":
                return HttpResponse(200, ending=ENDINGS[fault.action])
            case "late_answer":
                response = self._answer(request)
                await asyncio.sleep(fault.ms / 1000)
                return response
            case _:
                return replace(self._answer(request), ending=ENDINGS[fault.action])

    def _answer(self, request: HttpRequest) -> HttpResponse:
        platform = self._platform
        try:
            if not platform.limits.allows("all", platform.behaviour.requests_per_minute, timedelta(minutes=1)):
                raise Throttled
            return answer(platform, request)
        except ChatwootError as error:
            return error.response

    def _note(self, request: HttpRequest, response: HttpResponse, fault: str | None) -> None:
        journal = self._platform.journal
        status = response.status if response.ending in (Ending.WHOLE, Ending.HALF) else None
        entry = ChatwootRequest(
            journal.next_number(), request.method, request.target, dict(request.headers), status, fault
        )
        journal.entries.append(entry)
