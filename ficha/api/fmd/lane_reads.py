"""Answers the five reads of a record in the fast lane: who asks, what they may see, the log entry, the bytes."""

import asyncio
from functools import lru_cache, partial
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from ficha.api.fmd.lane_answers import ORDER, LaneAnswers
from ficha.asgi.application import InternalError
from ficha.asgi.parameters import check_parameters
from ficha.core.crypto import Tampered
from ficha.core.errors import InvalidFields, Problem, Sentence, Source
from ficha.core.log import log
from ficha.fastlane.envelope_bytes import EnvelopeBytes
from ficha.fastlane.lane import Answering, LaneRequest, LaneResponse, LaneRoute, RawHeaders, origin_of
from ficha.fastlane.paths import EXISTENCE, Read, ReadTarget, target_of
from ficha.fastlane.statements import find_read
from ficha.fastlane.store import Store
from ficha.fmd.access import access_in
from ficha.fmd.catalog import CATALOG
from ficha.http.browser import Browser
from ficha.http.callers import presented_credentials
from ficha.http.client_address import TrustedProxies
from ficha.http.etags import is_same
from ficha.http.limits import Limiter
from ficha.parts import Parts


class LaneReads:
    def __init__(
        self, parts: Parts, limiter: Limiter, store: Store, envelope: EnvelopeBytes, trusted: TrustedProxies
    ) -> None:
        self._parts = parts
        self._limiter = limiter
        self._limits_wait = bool(parts.settings.limits_url.get_secret_value())
        self._store = store
        self._envelope = envelope
        self._trusted = trusted
        self._answers = LaneAnswers(parts.keyring, self._store).by_read
        self._prefix = f"{parts.settings.v2}/fmd/"
        self._routes = {read: LaneRoute(f"{parts.settings.v2}{read}") for read in Read}

    def find(self, method: str, path: str) -> tuple[LaneRoute, Answering] | None:
        if method not in ("GET", "HEAD") or not path.startswith(self._prefix):
            return None
        found = target_of(path[len(self._prefix) :])
        if found is None:
            return None
        target, code = found
        return self._routes[target.read], partial(self._answer, target, code)

    async def open(self) -> None:
        await self._store.open()

    async def close(self) -> None:
        await self._store.close()

    async def _answer(self, target: ReadTarget, code: str, request: LaneRequest) -> LaneResponse:
        """Raises Unauthenticated, FmdNotFound, Unavailable, or ReadNotLogged if the read cannot be written down."""
        parts = self._parts
        scope, _, headers = request
        read = target.read
        names = names_of(scope, target)
        now = parts.clock.now()
        # Where the headers rule one out there is none: a Request and its cookies cost time that most callers need not
        # spend.
        browser = None
        if b"cookie" in headers and (b"referer" in headers or b"origin" in headers):
            browser = Browser(Request(scope), parts)
        credentials = presented_credentials(
            None if browser is None else browser.secret, headers.get(b"authorization", b"").decode("latin-1")
        )
        found = await find_read(self._store, read, credentials, now, code, names)
        token_id, account_id = found.token_id, found.account_id
        parts.last_used.note(token_id, now, browser_hash=found.credential.browser_hash)
        if self._limiter.is_on:
            if self._limits_wait:
                await asyncio.to_thread(self._limiter.hit_token, Request(scope), token_id)
            else:
                self._limiter.hit_token(Request(scope), token_id)
        access = access_in(account_id, found.access)
        try:
            payload = self._answers[read](access, found, names)
        except Tampered as fault:  # It says the place that does not open: ids and a model's name.
            log().error("entry.damaged", place=str(fault))
            raise InternalError from None
        if access.via != "owner" or read not in EXISTENCE:
            # Written down before it is shown.
            action = "record.exists" if read in EXISTENCE else "record.read"
            origin = origin_of(scope, self._trusted)
            parts.read_log.note(
                access.record_id, f"account:{account_id}", action, payload.models, now, via=access.via, origin=origin
            )
        more: RawHeaders = []
        if payload.etag:
            more.append((b"etag", f'"{payload.etag}"'.encode()))
        if browser is not None and browser.secret is not None:
            # Every answer that did not fail renews both cookies.
            response = Response()
            browser.set_cookies(response)
            more += [pair for pair in response.raw_headers if pair[0] == b"set-cookie"]
        # For others the same version may look different tomorrow: `consentimiento` decides.
        if (
            payload.etag
            and access.sees_all
            and b"if-none-match" in headers
            and is_same(headers[b"if-none-match"].decode("latin-1"), payload.etag)
        ):
            return LaneResponse(304, None, more)
        return LaneResponse(200, self._envelope.wrap(payload, now), more)


def names_of(scope: Scope, target: ReadTarget) -> tuple[str, ...]:
    """Which models a request names: in its path, in `names`, or all of them."""
    query: bytes = scope["query_string"]
    if target.read is Read.MODELS:
        return _named(query) if query else ORDER
    if query:
        check_parameters(Request(scope), set())
    return target.models


# Programs ask in the same words again and again.
@lru_cache(maxsize=256)
def _named(query: bytes) -> tuple[str, ...]:
    check_parameters(Request({"type": "http", "query_string": query}), {"names"})
    given = dict(parse_qsl(query.decode("latin-1"), keep_blank_values=True)).get("names")
    if given is None:
        return ORDER
    names = tuple(dict.fromkeys(name.strip() for name in given.split(",")))
    if not CATALOG.names.issuperset(names):
        detail = Sentence("Debe ser uno de: {expected}.", expected=", ".join(ORDER))
        raise InvalidFields([Problem("valor_desconocido", detail, Source("parameter", "names"))])
    return names
