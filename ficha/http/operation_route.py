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
from ficha.http.idempotency import IdempotencyStore, KeyClaim, KeyedRequest, check_key
from ficha.http.threads import request_slot, run_in_side_thread
from ficha.http.transaction import RequestTransaction
from ficha.parts import Parts

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class OperationRoute(APIRoute):
    """FastAPI's route, with our own steps around the call of the endpoint."""

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()
        parameters = query_names(self)
        has_json = takes_json(self)

        async def run(plain: Request) -> Response:
            request = StrictRequest(plain.scope, plain.receive)
            parts: Parts = request.app.state.parts
            transaction = request.state.transaction = RequestTransaction(parts.database)
            browser = request.state.browser = Browser(request, parts)
            claim: KeyClaim | None = None
            try:
                body = await request.body()
                browser.check_csrf()
                check_parameters(request, parameters)
                if has_json:
                    await _check_json(request, body)
                outcome = await _claim_key(request, parts, body)
                if isinstance(outcome, Response):
                    return outcome
                claim = outcome
                async with request_slot():
                    return await _run(handle, request, transaction, claim)
            except (FichaError, RequestValidationError) as raised:
                error = raised if isinstance(raised, FichaError) else fields_error(raised.errors())
                response = error_response(request, error)
                if claim is not None:
                    await run_in_side_thread(_keep_error, _idempotency(request), claim, response)
                return response
            except ClientDisconnect:
                return Response(status_code=400)  # Nobody is left to read it.
            except BaseException:
                if claim is not None:
                    await run_in_side_thread(_idempotency(request).release, claim)
                raise

        return run


async def _run(handle: Handler, request: Request, transaction: RequestTransaction, claim: KeyClaim | None) -> Response:
    """Commits before the answer leaves, so that a failed commit is a failed request."""
    try:
        response = await handle(request)
        if claim is not None:
            await run_in_threadpool(_idempotency(request).keep, transaction.writer, claim, response)
        if transaction.has_changes:
            await run_in_threadpool(transaction.commit)
    except FichaError as error:
        if error.keeps_changes and transaction.has_changes:
            await run_in_threadpool(transaction.commit)
        raise
    finally:
        if transaction.is_used:
            await run_in_threadpool(transaction.close)
    browser: Browser = request.state.browser
    if browser.secret is not None and "set-cookie" not in response.headers:
        browser.set_cookies(response)  # Every answer that did not fail renews both cookies.
    return response


async def _claim_key(request: Request, parts: Parts, body: bytes) -> KeyClaim | Response | None:
    """For a POST with an Idempotency-Key: the claim to answer it, or the answer it already got. None for any other."""
    if request.method != "POST" or "idempotency-key" not in request.headers:
        return None
    key = check_key(request.headers["idempotency-key"])
    scope = await run_in_side_thread(scope_of, request, parts)
    if scope is None:
        return None
    store = _idempotency(request)
    target = f"{request.url.path}?{request.url.query}"
    asked = KeyedRequest(scope, key, store.fingerprint(request.method, target, body))
    return await store.claim(asked, parts.clock.now())


def _keep_error(store: IdempotencyStore, claim: KeyClaim, response: Response) -> None:
    """Errors are kept like any first answer, except those after which the caller should try again."""
    if response.status_code == 429 or response.status_code >= 500:
        store.release(claim)
    else:
        store.keep_alone(claim, response)


def _idempotency(request: Request) -> IdempotencyStore:
    store: IdempotencyStore = request.app.state.idempotency
    return store


async def _check_json(request: Request, body: bytes) -> None:
    if not body:
        return
    if not is_json(request.headers.get("content-type", "")):
        raise NotJsonType
    if is_too_deep(await request.json()):
        raise NotJson


def check_parameters(request: Request, known: Collection[str]) -> None:
    """Raises InvalidFields for query parameters that the operation does not have."""
    unknown = sorted({name for name in request.query_params if name not in known})
    if unknown:
        raise InvalidFields(
            [
                Problem("parametro_desconocido", "Este parámetro no existe.", Source("parameter", name[:200]))
                for name in unknown[:20]
            ]
        )
