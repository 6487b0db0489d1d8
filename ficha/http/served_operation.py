"""How every JSON operation is served: strict input, one transaction, an answer that can be given again."""

import asyncio

from starlette.responses import Response

from ficha.core.errors import FichaError
from ficha.http.bodies import ReadRequest
from ficha.http.browser import Browser, NoBrowser
from ficha.http.callers import scope_of
from ficha.http.errors import error_response
from ficha.http.idempotency import (
    FIRST_PAUSE_SECONDS,
    LONGEST_PAUSE_SECONDS,
    MAX_WAIT_SECONDS,
    FirstRequestRunning,
    IdempotencyStore,
    KeyClaim,
    KeyedRequest,
    check_key,
)
from ficha.http.parameters import check_parameters
from ficha.http.served import Served
from ficha.http.transaction import RequestTransaction
from ficha.parts import Parts


class KeyIsTaken(Exception):
    """Another request with the same Idempotency-Key is running."""


class ServedOperation(Served):
    # Whether a request whose process died is carried out again: nothing of it was committed.
    repeats_lost = True

    async def respond(self, request: ReadRequest) -> Response:
        """While another request with the same Idempotency-Key runs, this one waits here and holds no thread."""
        if "idempotency-key" not in request.headers:
            return await super().respond(request)
        waited, pause = 0.0, FIRST_PAUSE_SECONDS
        while True:
            try:
                return await super().respond(request)
            except KeyIsTaken:
                if waited >= MAX_WAIT_SECONDS:
                    return error_response(request, FirstRequestRunning())
                await asyncio.sleep(pause)
                waited, pause = waited + pause, min(pause * 1.5, LONGEST_PAUSE_SECONDS)

    def prepare(self, request: ReadRequest) -> None:
        browser = request.state.browser = Browser(request, request.app.state.parts)
        browser.check_csrf()
        check_parameters(request, self.plan.query_names)
        super().prepare(request)

    def call(self, request: ReadRequest) -> Response:
        """Commits before the answer leaves, so that a failed commit is a failed request."""
        parts: Parts = request.app.state.parts
        store: IdempotencyStore = request.app.state.idempotency
        claim = _claim_key(request, parts, store, repeats_lost=self.repeats_lost)
        if isinstance(claim, Response):
            return claim
        transaction = request.state.transaction = RequestTransaction(parts.database)
        try:
            response = self._call_in(transaction, request, store, claim)
        except FichaError as error:
            response = error_response(request, error)
            if claim is not None:
                _keep_error(store, claim, error, response)
            return response
        except BaseException:
            if claim is not None:
                store.release(claim)
            raise
        if claim is not None and asks_to_repeat(response):
            store.release(claim)
        browser: Browser = request.state.browser
        if browser.secret is not None and "set-cookie" not in response.headers:
            browser.set_cookies(response)  # Every answer that did not fail renews both cookies.
        return response

    def _call_in(
        self, transaction: RequestTransaction, request: ReadRequest, store: IdempotencyStore, claim: KeyClaim | None
    ) -> Response:
        try:
            response = super().call(request)
            if claim is not None and not asks_to_repeat(response):
                store.keep(transaction.writer, claim, response)
            transaction.commit()
            return response
        except FichaError as error:
            if error.keeps_changes:
                transaction.commit()
            raise
        finally:
            transaction.close()


class ServedForPlatform(ServedOperation):
    """An operation that is called with a token of the platform: no browser session of ours means anything to it, and
    what was sent to the platform cannot be taken back."""

    repeats_lost = False

    def prepare(self, request: ReadRequest) -> None:
        request.state.browser = NoBrowser()
        Served.prepare(self, request)


def _claim_key(
    request: ReadRequest, parts: Parts, store: IdempotencyStore, *, repeats_lost: bool
) -> KeyClaim | Response | None:
    """For a POST with an Idempotency-Key: the claim to answer it, or the answer it already got. None for any other.
    Raises KeyIsTaken."""
    if request.method != "POST" or "idempotency-key" not in request.headers:
        return None
    key = check_key(request.headers["idempotency-key"])
    scope = scope_of(request, parts)
    if scope is None:
        return None
    target = f"{request.url.path}?{request.url.query}"
    fingerprint = store.fingerprint(request.method, target, request.raw_body)
    asked = KeyedRequest(scope, key, fingerprint, repeats_lost=repeats_lost)
    claim = store.claim(asked, parts.clock.now())
    if claim is None:
        raise KeyIsTaken
    return claim


def asks_to_repeat(response: Response) -> bool:
    return response.status_code == 429 or response.status_code >= 500


def _keep_error(store: IdempotencyStore, claim: KeyClaim, error: FichaError, response: Response) -> None:
    """Errors are kept like any first answer, except those after which the caller should try again."""
    if asks_to_repeat(response) and not error.may_have_acted:
        store.release(claim)
    else:
        store.keep_alone(claim, response)
