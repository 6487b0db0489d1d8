"""How every JSON operation runs: strict input, one transaction, an answer that can be replayed."""

from collections.abc import Callable, Collection, Coroutine
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from ficha.core.errors import FichaError, InvalidFields, Problem, Source
from ficha.http.bodies import NotJson, NotJsonType, StrictRequest, is_json, is_too_deep
from ficha.http.browser import Browser
from ficha.http.callers import scope_of
from ficha.http.errors import error_response, fields_error
from ficha.http.framework import query_names, takes_json
from ficha.http.idempotency import Claim, IdempotencyStore, KeyedRequest, check_key
from ficha.http.threads import request_slot, run_in_side_thread
from ficha.http.transaction import RequestTransaction
from ficha.parts import Parts

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class OperationRoute(APIRoute):
    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()
        parameters = query_names(self)
        has_json = takes_json(self)

        async def run(plain: Request) -> Response:
            request = StrictRequest(plain.scope, plain.receive)
            parts: Parts = request.app.state.parts
            unit = request.state.transaction = RequestTransaction(parts.database)
            browser = request.state.browser = Browser(request, parts)
            claim: Claim | None = None
            try:
                body = await request.body()
                browser.check_csrf()
                check_parameters(request, parameters)
                if has_json:
                    await _check_json(request, body)
                outcome = await _claimed(request, parts, body)
                if isinstance(outcome, Response):
                    return outcome
                claim = outcome
                async with request_slot():
                    return await _handled(handle, request, unit, claim)
            except (FichaError, RequestValidationError) as raised:
                error = raised if isinstance(raised, FichaError) else fields_error(raised.errors())
                response = error_response(request, error)
                if claim is not None:
                    await run_in_side_thread(_settle, _keeper(request), claim, response)
                return response
            except ClientDisconnect:
                return Response(status_code=400)  # Nobody is left to read it.
            except BaseException:
                if claim is not None:
                    await run_in_side_thread(_keeper(request).release, claim)
                raise

        return run


async def _handled(handle: Handler, request: Request, unit: RequestTransaction, claim: Claim | None) -> Response:
    """Commits before the answer leaves, so that a failed commit is a failed request."""
    try:
        response = await handle(request)
        if claim is not None:
            await run_in_threadpool(_keeper(request).keep, unit.writer, claim, response)
        if unit.has_changes:
            await run_in_threadpool(unit.commit)
    except FichaError as error:
        if error.keeps_changes and unit.has_changes:
            await run_in_threadpool(unit.commit)
        raise
    finally:
        if unit.is_used:
            await run_in_threadpool(unit.close)
    browser: Browser = request.state.browser
    if browser.secret is not None and "set-cookie" not in response.headers:
        browser.set_cookies(response)  # Every answer that did not fail renews both cookies.
    return response


async def _claimed(request: Request, parts: Parts, body: bytes) -> Claim | Response | None:
    """For a POST under an Idempotency-Key: the right to answer it, or the answer it already got."""
    if request.method != "POST" or "idempotency-key" not in request.headers:
        return None
    key = check_key(request.headers["idempotency-key"])
    scope = await run_in_side_thread(scope_of, request, parts)
    if scope is None:
        return None
    keeper = _keeper(request)
    target = f"{request.url.path}?{request.url.query}"
    asked = KeyedRequest(scope, key, keeper.fingerprint(request.method, target, body))
    return await keeper.claim(asked, parts.clock.now())


def _settle(keeper: IdempotencyStore, claim: Claim, response: Response) -> None:
    """Errors are kept like any first answer, except those that ask the caller to come back."""
    if response.status_code == 429 or response.status_code >= 500:
        keeper.release(claim)
    else:
        keeper.keep_apart(claim, response)


def _keeper(request: Request) -> IdempotencyStore:
    keeper: IdempotencyStore = request.app.state.idempotency
    return keeper


async def _check_json(request: Request, body: bytes) -> None:
    if not body:
        return
    if not is_json(request.headers.get("content-type", "")):
        raise NotJsonType
    if is_too_deep(await request.json()):
        raise NotJson


def check_parameters(request: Request, known: Collection[str]) -> None:
    unknown = sorted({name for name in request.query_params if name not in known})
    if unknown:
        raise InvalidFields(
            [
                Problem("parametro_desconocido", "Este parámetro no existe.", Source("parameter", name[:200]))
                for name in unknown[:20]
            ]
        )
