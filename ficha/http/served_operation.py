"""How every JSON operation is served: strict input, one transaction, an answer that can be given again."""

from collections.abc import Sequence
from functools import partial

from starlette.responses import Response
from starlette.types import Scope

from ficha.accounts.tokens import Unauthenticated
from ficha.asgi.application import error_response
from ficha.asgi.bodies import SAFE_METHODS, ReadRequest, body_of
from ficha.asgi.json_bodies import NotJsonType
from ficha.asgi.parameters import check_parameters
from ficha.asgi.served import Served
from ficha.asgi.threads import Pool
from ficha.core.errors import FichaError
from ficha.enrolment.people_in_kept_answers import people_in
from ficha.http.browser import Browser, NoBrowser
from ficha.http.callers import ACCOUNT_SCOPE, scope_of
from ficha.http.dependencies import OperationRequest, RequestTransaction, address
from ficha.http.idempotency import KeyedCall, check_key, wait_for_key
from ficha.http.kept_answers import FirstRequestRunning
from ficha.http.limits import RateLimit, TooManyRequests
from ficha.parts import Parts


class FileNotExpected(NotJsonType):
    headers = {"Connection": "close"}  # noqa: RUF012 - Nobody reads the rest of the body.


class ServedOperation(Served):
    request_class = OperationRequest
    # Whether a request whose process died is carried out again: nothing of it was committed.
    repeats_lost = True
    # Whether it answers whatever parameters it is called with: a probe may add its own against caches.
    takes_any_query = False
    # How many Idempotency-Keys a caller without a session of ours may use.
    key_limit = RateLimit.KEY

    def expect_body(self, scope: Scope) -> None:
        """Raises NotJsonType for a file that no operation here takes: it may be large."""
        body = body_of(scope)
        if body is not None and body.has_file and not self._takes_files:
            raise FileNotExpected
        super().expect_body(scope)

    async def respond(self, request: ReadRequest) -> Response:
        if "idempotency-key" not in request.headers:
            return await super().respond(request)
        try:
            return await wait_for_key(partial(super().respond, request))
        except FirstRequestRunning as error:
            return error_response(request, error)

    def prepare(self, request: ReadRequest) -> None:
        assert isinstance(request, OperationRequest)
        if request.is_prepared:  # It has waited for another with its key, and is not counted again.
            return
        browser = request.state.browser = Browser(request, request.app.state.parts)
        browser.check_csrf()
        if not self.takes_any_query:
            check_parameters(request, self.plan.query_names)
        if request.method not in SAFE_METHODS:
            self._limit(request)
        super().prepare(request)
        request.is_prepared = True

    def _limit(self, request: OperationRequest) -> None:
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
        assert isinstance(request, OperationRequest)
        parts: Parts = request.app.state.parts
        keyed = self._keyed(request)
        given = None if keyed is None else keyed.begin(parts.clock.now())
        if given is not None:
            return given
        transaction = request.state.transaction = RequestTransaction(parts.database)
        try:
            response = self._call_in(transaction, request, keyed)
        except FichaError as error:
            response = error_response(request, error)
            if keyed is not None:
                keyed.end_with_error(error, response)
            return response
        except BaseException as error:
            if keyed is not None:
                keyed.give_up(error)
            raise
        if keyed is not None:
            keyed.end(response, is_kept=True)
        browser: Browser = request.state.browser
        if browser.secret is not None and "set-cookie" not in response.headers:
            browser.set_cookies(response)  # Every answer that did not fail renews both cookies.
        return response

    def _call_in(self, transaction: RequestTransaction, request: OperationRequest, keyed: KeyedCall | None) -> Response:
        try:
            response = super().call(request)
            if keyed is not None:
                if request.is_given_once:
                    keyed.keep_no_words(transaction.writer, response)
                else:
                    changed_nothing = self.repeats_lost and not transaction.is_writing
                    people = self._people_in(response)
                    keyed.keep(
                        transaction.writer, response, request.quoted_account, people, changed_nothing=changed_nothing
                    )
            transaction.commit()
            return response
        except FichaError as error:
            if error.keeps_changes:
                transaction.commit()
            raise
        finally:
            transaction.close()

    def _keyed(self, request: OperationRequest) -> KeyedCall | None:
        """For a POST with an Idempotency-Key that counts."""
        if request.key_scope is None:
            return None
        store = request.app.state.idempotency
        return KeyedCall(store, request, request.key_scope, request.raw_body, repeats_lost=self.repeats_lost)

    def _people_in(self, _response: Response) -> Sequence[str]:
        """Whom the answer tells about, where no account of ours stands for it."""
        return ()


class ServedForPlatform(ServedOperation):
    """An operation that is called with a token of the platform: no browser session of ours means anything to it, and
    what was sent to the platform cannot be taken back."""

    repeats_lost = False
    key_limit = RateLimit.PLATFORM_KEY

    def prepare(self, request: ReadRequest) -> None:
        assert isinstance(request, OperationRequest)
        if request.is_prepared:
            return
        request.state.browser = NoBrowser()
        self._limit(request)
        Served.prepare(self, request)
        request.is_prepared = True

    def _people_in(self, response: Response) -> Sequence[str]:
        return people_in(bytes(response.body))


class ServedToAnyProgram(ServedOperation):
    """An operation of a protocol that others defined: programs of any origin call it, without a session of ours, and
    what they send beyond what we know is ignored, as the protocol asks."""

    takes_any_query = True

    def prepare(self, request: ReadRequest) -> None:
        assert isinstance(request, OperationRequest)
        request.state.browser = NoBrowser()
        Served.prepare(self, request)
