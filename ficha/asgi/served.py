"""How a function of ours is served: its request is read on the event loop, and everything else, up to the finished
answer, is one call in one thread."""

import inspect
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, get_type_hints

from fastapi import params
from pydantic import TypeAdapter
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from ficha.asgi.answers import answer, check_answer
from ficha.asgi.application import Application, error_response
from ficha.asgi.bodies import SAFE_METHODS, BodyCutOff, ReadRequest, body_of, has_body, whole_body
from ficha.asgi.json_bodies import json_content
from ficha.asgi.plan import Asking, Plan
from ficha.asgi.threads import LARGE_BODY, TAKES_LARGE, Pool, ServerBusy, threads
from ficha.core.errors import FichaError


class Served:
    """A plain function runs in a thread. An asynchronous one runs on the event loop with all that it asks for, so that
    must be nothing that waits for a database."""

    # False where the function itself takes the body, piece by piece.
    reads_body = True
    request_class: type[ReadRequest] = ReadRequest

    def __init__(
        self,
        path: str,
        function: Callable[..., Any],
        *,
        status: int = 200,
        pool: Pool = Pool.REQUESTS,
        takes_files: bool = False,
        in_lane: type[FichaError] | None = None,
        dependencies: Sequence[params.Depends] = (),
        promised: Any = None,
        headers: Sequence[tuple[bytes, bytes]] = (),
    ) -> None:
        self.path, self.function, self.status, self.pool = path, function, status, pool
        self._takes_files, self._in_lane = takes_files, in_lane
        self._dependencies = dependencies
        self._promised, self._headers = promised, headers
        self._is_async = inspect.iscoroutinefunction(function)

    @cached_property
    def plan(self) -> Plan:
        """Made when a request first comes: the types of all operations together take a sixth of a start."""
        return Plan(self.function, Route(self.path, self.function).param_convertors, self._dependencies)

    @cached_property
    def promised(self) -> TypeAdapter[Any]:
        return TypeAdapter(self._promised or get_type_hints(self.function, include_extras=True).get("return", Any))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = self.request_class(scope, receive)
        try:
            if has_body(scope):
                self.expect_body(scope)
                if self.reads_body:
                    request.raw_body = await whole_body(receive)
        except BodyCutOff as error:
            response = error_response(request, error)  # Rarely is anybody left to read it.
        else:
            response = await self.respond(request)
        response.raw_headers.extend(self._headers)
        if scope["method"] == "HEAD":  # Nothing of a file or a stream is made for it.
            await send({"type": "http.response.start", "status": response.status_code, "headers": response.raw_headers})
            await send({"type": "http.response.body", "body": b""})
        else:
            await response(scope, receive, send)

    def expect_body(self, scope: Scope) -> None:
        """Before it is read. Raises BodyTooLarge, or ServerBusy for a large one while as many wait as may."""
        body = body_of(scope)
        if body is not None:
            if body.announced > LARGE_BODY and threads(self._pool_for(scope, body.announced)).is_full:
                raise ServerBusy
            body.expect(takes_files=self._takes_files, is_urgent=self.pool is Pool.URGENT)

    async def respond(self, request: ReadRequest) -> Response:
        if self._is_async:
            try:
                self.prepare(request)
                asking = self._asking(request)
                return self._answer(request, await self.function(**self.plan.arguments(asking)), asking)
            except FichaError as error:
                return error_response(request, error)
        return await threads(self._pool_for(request.scope, len(request.raw_body))).run(self.run, request)

    def _pool_for(self, scope: Scope, size: int) -> Pool:
        if size > LARGE_BODY and self.pool not in TAKES_LARGE:
            return Pool.LARGE
        if self.pool is Pool.REQUESTS and scope["app"].takes_one_writer:
            return Pool.SQLITE_READS if scope["method"] in SAFE_METHODS else Pool.SQLITE_WRITES
        return self.pool

    def run(self, request: ReadRequest) -> Response:
        """The whole of a request to a plain function, in one thread."""
        try:
            self.prepare(request)
            return self.call(request)
        except FichaError as error:
            return error_response(request, error)

    def prepare(self, request: ReadRequest) -> None:
        """What is checked before anything runs."""
        if self.plan.takes_json:
            request.content = json_content(request.headers.get("content-type", ""), request.raw_body)

    def call(self, request: ReadRequest) -> Response:
        asking = self._asking(request)
        arguments = self.plan.arguments(asking)
        if self._in_lane is not None:
            raise self._in_lane
        return self._answer(request, self.function(**arguments), asking)

    def _asking(self, request: ReadRequest) -> Asking:
        return Asking(request, Response(status_code=self.status) if self.plan.takes_response else NO_RESPONSE)

    def _answer(self, request: ReadRequest, value: Any, asking: Asking) -> Response:
        made = answer(value, asking.response if self.plan.takes_response else None, self.status)
        app: Application = request.app
        if app.checks_answers and made is not value and made.body:
            check_answer(value, bytes(made.body), self.promised)
        return made


# For functions that set nothing in their answer.
NO_RESPONSE = Response()
