"""Answers the five reads of a record: who asks, what they may see, the log entry, the bytes."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from ficha.fastlane.callers import origin_of, rows_for_caller
from ficha.fastlane.envelope_bytes import EnvelopeBytes
from ficha.fastlane.model_names import names_of
from ficha.fastlane.paths import Read, ReadTarget
from ficha.fastlane.record_payloads import RecordPayloads
from ficha.fastlane.response_headers import Headers, LaneResponse, matches
from ficha.fastlane.statements import ACCESS_END, CALLER_END, NAMES, read_statements
from ficha.fastlane.store import Store
from ficha.fmd.access import access_in
from ficha.http.address import TrustedProxies
from ficha.http.browser import Browser
from ficha.http.callers import presented_credentials
from ficha.http.limits import Limiter
from ficha.http.threads import Pool, threads
from ficha.parts import Parts

EXISTENCE = frozenset({Read.RECORD_EXISTS, Read.MODEL_EXISTS})


class RecordReads:
    def __init__(
        self, parts: Parts, limiter: Limiter, store: Store, envelope: EnvelopeBytes, trusted: TrustedProxies
    ) -> None:
        self._parts = parts
        self._limiter = limiter
        self._limits_wait = bool(parts.settings.limits_url.get_secret_value())
        self._store = store
        self._envelope = envelope
        self._trusted = trusted
        self._statements = read_statements(store.dialect)
        self._payloads = RecordPayloads(parts.keyring, store).by_read

    async def answer(self, scope: Scope, target: ReadTarget, code: str, headers: dict[bytes, bytes]) -> LaneResponse:
        """Raises Unauthenticated, FmdNotFound, Unavailable, or ReadNotLogged if the read cannot be written down."""
        parts = self._parts
        read = target.read
        names = names_of(scope, target)
        now = parts.clock.now()
        values: tuple[Any, ...] = (self._store.moment(now), code, *names)
        if read is Read.MODELS:
            values += (None,) * (len(NAMES) - len(names))
        # Where the headers rule one out there is none: a Request and its cookies cost time that most callers need not
        # spend.
        browser = None
        if b"cookie" in headers and (b"referer" in headers or b"origin" in headers):
            browser = Browser(Request(scope), parts)
        credentials = presented_credentials(
            None if browser is None else browser.secret, headers.get(b"authorization", b"").decode("latin-1")
        )
        credential, rows = await rows_for_caller(credentials, self._store, self._statements[read], values)
        _, token_id, account_id = rows[0][:CALLER_END]
        parts.last_used.note(token_id, now, browser_hash=credential.browser_hash)
        if self._limiter.is_on:
            await self._count(scope, token_id)
        access = access_in(account_id, rows[0][CALLER_END:ACCESS_END])
        payload = self._payloads[read](access, rows, names)
        if access.via != "owner" or read not in EXISTENCE:
            # Written down before it is shown.
            action = "record.exists" if read in EXISTENCE else "record.read"
            origin = origin_of(scope, self._trusted)
            parts.read_log.note(
                access.record_id, f"account:{account_id}", action, payload.models, now, via=access.via, origin=origin
            )
        more: Headers = []
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
            and matches(headers[b"if-none-match"], payload.etag)
        ):
            return LaneResponse(304, None, more)
        return LaneResponse(200, self._envelope.wrap(payload, now), more)

    async def _count(self, scope: Scope, token_id: int) -> None:
        if self._limits_wait:
            await threads(Pool.SIDE).run(self._limiter.hit, Request(scope), "token", str(token_id))
        else:
            self._limiter.hit(Request(scope), "token", str(token_id))
