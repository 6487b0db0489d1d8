"""How every JSON operation is served: strict input, one transaction, an answer that can be given again."""

import asyncio
from collections.abc import Sequence

from starlette.responses import Response
from starlette.types import Scope

from ficha.accounts.tokens import Unauthenticated
from ficha.core.errors import FichaError
from ficha.enrolment.quoted_people import people_in
from ficha.http.bodies import ReadRequest, body_of
from ficha.http.browser import Browser, NoBrowser
from ficha.http.callers import ACCOUNT_SCOPE, scope_of
from ficha.http.dependencies import address
from ficha.http.envelope import SAFE_METHODS
from ficha.http.errors import error_response
from ficha.http.idempotency import (
    FIRST_PAUSE_SECONDS,
    KEPT_ERROR_BYTES,
    LONGEST_PAUSE_SECONDS,
    MAX_WAIT_SECONDS,
    FirstRequestRunning,
    IdempotencyStore,
    KeyClaim,
    KeyedRequest,
    check_key,
)
from ficha.http.json_bodies import NotJsonType
from ficha.http.limits import TooManyRequests
from ficha.http.parameters import check_parameters
from ficha.http.served import Served
from ficha.http.threads import Pool
from ficha.http.transaction import RequestTransaction
from ficha.parts import Parts


class FileNotExpected(NotJsonType):
    headers = {"Connection": "close"}  # noqa: RUF012 - Nobody reads the rest of the body.


class KeyIsTaken(Exception):
    """Another request with the same Idempotency-Key is running."""


class ServedOperation(Served):
    # Whether a request whose process died is carried out again: nothing of it was committed.
    repeats_lost = True
    # How many Idempotency-Keys a caller without a session of ours may use.
    key_limit = "key"

    def expect_body(self, scope: Scope) -> None:
        """Raises NotJsonType for a file that no operation here takes: it may be large."""
        body = body_of(scope)
        if body is not None and body.has_file and not self._takes_files:
            raise FileNotExpected
        super().expect_body(scope)

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
        if request.is_prepared:  # It has waited for another with its key, and is not counted again.
            return
        browser = request.state.browser = Browser(request, request.app.state.parts)
        browser.check_csrf()
        check_parameters(request, self.plan.query_names)
        if request.method not in SAFE_METHODS:
            self._limit(request)
        super().prepare(request)
        request.is_prepared = True

    def _limit(self, request: ReadRequest) -> None:
        """Before the body is parsed and a key is claimed: to refuse whoever sends too much costs next to nothing.
        Raises TooManyRequests, Unauthenticated or BadIdempotencyKey."""
        is_keyed = request.method == "POST" and "idempotency-key" in request.headers
        try:
            self.plan.run_first(self._asking(request))
        except Unauthenticated:
            # A token that a renewal or a logout ended may ask for their answer again.
            if not is_keyed:
                raise
        if is_keyed:
            check_key(request.headers["idempotency-key"])
            request.key_scope = self._key_scope(request)

    def _key_scope(self, request: ReadRequest) -> str | None:
        """Whose the key is. Each answer is kept for a day, so a stranger has a limit; beyond it an alert is still
        answered, as if it had no key."""
        scope = scope_of(request, request.app.state.parts)
        if scope is not None and not scope.startswith(ACCOUNT_SCOPE):
            try:
                request.app.state.limiter.hit_address(request, self.key_limit, address(request))
            except TooManyRequests:
                if self.pool is not Pool.URGENT:
                    raise
                return None
        return scope

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
                people = self._people_in(response)
                store.keep(transaction.writer, claim, response, request.quoted_account, people)
            transaction.commit()
            return response
        except FichaError as error:
            if error.keeps_changes:
                transaction.commit()
            raise
        finally:
            transaction.close()

    def _people_in(self, _response: Response) -> Sequence[str]:
        """Whom the answer tells about, where no account of ours stands for it."""
        return ()


class ServedForPlatform(ServedOperation):
    """An operation that is called with a token of the platform: no browser session of ours means anything to it, and
    what was sent to the platform cannot be taken back."""

    repeats_lost = False
    key_limit = "platform_key"

    def prepare(self, request: ReadRequest) -> None:
        if request.is_prepared:
            return
        request.state.browser = NoBrowser()
        self._limit(request)
        Served.prepare(self, request)
        request.is_prepared = True

    def _people_in(self, response: Response) -> Sequence[str]:
        return people_in(bytes(response.body))


def _claim_key(
    request: ReadRequest, parts: Parts, store: IdempotencyStore, *, repeats_lost: bool
) -> KeyClaim | Response | None:
    """For a POST with an Idempotency-Key: the claim to answer it, or the answer it already got. None for any other.
    Raises KeyIsTaken."""
    if request.key_scope is None:
        return None
    target = f"{request.url.path}?{request.url.query}"
    fingerprint = store.fingerprint(request.method, target, request.raw_body)
    asked = KeyedRequest(request.key_scope, request.headers["idempotency-key"], fingerprint, repeats_lost=repeats_lost)
    claim = store.claim(asked, parts.clock.now())
    if claim is None:
        raise KeyIsTaken
    return claim


def asks_to_repeat(response: Response) -> bool:
    return response.status_code == 429 or response.status_code >= 500


def _keep_error(store: IdempotencyStore, claim: KeyClaim, error: FichaError, response: Response) -> None:
    """Errors are kept like any first answer, except those after which the caller should try again, and long ones: they
    changed nothing, so the same request gets the same error."""
    is_long = len(response.body) > KEPT_ERROR_BYTES
    if (asks_to_repeat(response) or is_long) and not error.may_have_acted:
        store.release(claim)
    else:
        store.keep_alone(claim, response)
