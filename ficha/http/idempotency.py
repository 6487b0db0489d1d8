"""`Idempotency-Key`: a request is carried out once, however often it is sent, also at the same time. What is kept of
it, and for how long, is in `kept_answers.py`."""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from ficha.asgi.json_bodies import TooManyValues, is_json, refuse_many_values
from ficha.core.db import is_unavailable
from ficha.core.errors import FichaError, Source
from ficha.core.multipart import read_multipart
from ficha.core.transaction import Transaction
from ficha.http.kept_answers import (
    MAX_KEY_LENGTH,
    FirstRequestRunning,
    IdempotencyStore,
    KeyClaim,
    KeyedRequest,
    is_long,
)

# How long a request waits while another with its key runs, and how often it asks.
MAX_WAIT_SECONDS = 16.0
FIRST_PAUSE_SECONDS = 0.02
LONGEST_PAUSE_SECONDS = 0.25
# An error that is longer is not kept.
KEPT_ERROR_BYTES = 4_000


class BadIdempotencyKey(FichaError):
    status = 400
    code = "clave_de_idempotencia_invalida"
    message = "Idempotency-Key debe tener de 1 a 255 caracteres visibles."
    source = Source("header", "Idempotency-Key")


class KeyIsTaken(Exception):
    """Another request with the same key is running."""


def check_key(key: str) -> str:
    """Raises BadIdempotencyKey."""
    if not 1 <= len(key) <= MAX_KEY_LENGTH or not key.isascii() or not key.isprintable():
        raise BadIdempotencyKey
    return key


class KeyedCall:
    """One request with an Idempotency-Key: `begin` first, and then one of the others says how it ended. Operations and
    what is passed on to a platform are both carried out in one."""

    def __init__(
        self, store: IdempotencyStore, request: Request, scope: str, body: bytes, *, repeats_lost: bool = True
    ) -> None:
        target = f"{request.url.path}?{request.url.query}"
        meaning = meaning_of(request.headers.get("content-type", ""), body)
        self._store = store
        self._asked = KeyedRequest(
            scope,
            request.headers["idempotency-key"],
            store.fingerprint(request.method, target, meaning),
            lambda: store.fingerprint(request.method, target, body),
            repeats_lost,
        )
        self._claim: KeyClaim | None = None
        self._begins_anew = False

    def begin(self, now: datetime) -> Response | None:
        """The answer that was already given, or None for who is to answer. Raises KeyIsTaken, and what `claim` does."""
        found = self._store.claim(self._asked, now)
        if found is None:
            raise KeyIsTaken
        if isinstance(found, Response):
            return found
        self._claim = found
        return None

    def keep(
        self,
        tx: Transaction,
        response: Response,
        account_id: int | None,
        people: Collection[str],
        *,
        changed_nothing: bool,
    ) -> None:
        """In the transaction of what was done. Not for an answer after which the caller should try again, nor for a
        long one to a request that changed nothing: the next with this key gets it anew."""
        self._begins_anew = asks_to_repeat(response) or (changed_nothing and is_long(response))
        if self._claim is not None and not self._begins_anew:
            self._store.keep(tx, self._claim, response, account_id, people)

    def keep_no_words(self, tx: Transaction, response: Response) -> None:
        """The same for an answer that is given only once."""
        if self._claim is not None and not asks_to_repeat(response):
            self._store.keep_no_words(tx, self._claim, response.status_code)

    def end(self, response: Response, people: Collection[str] = (), *, is_kept: bool = False) -> None:
        """Outside of a transaction, and after it: keeps the answer, unless that was done or the caller should try
        again."""
        if self._begins_anew or asks_to_repeat(response):
            self.give_up()
        elif self._claim is not None and not is_kept:
            self._store.keep_alone(self._claim, response, people)

    def end_with_error(self, error: FichaError, response: Response) -> None:
        """Errors are kept like any first answer, except those after which the caller should try again, and long ones:
        they changed nothing, so the same request gets the same error."""
        is_too_long = len(response.body) > KEPT_ERROR_BYTES
        if (asks_to_repeat(response) or is_too_long) and not error.may_have_acted:
            self.give_up()
        elif self._claim is not None:
            try:
                self._store.keep_alone(self._claim, response)
            except Exception as trouble:
                if is_unavailable(trouble) and not error.may_have_acted:
                    self._store.release_later(self._claim)
                raise

    def give_up(self, error: BaseException | None = None) -> None:
        """Nothing was done: the next request with this key begins anew. After an `error` of the database it need not be
        asked now; then it is also unknown whether something was done that is not in our transaction, and such a claim
        stays."""
        if self._claim is None:
            return
        if isinstance(error, Exception) and is_unavailable(error):
            if self._asked.repeats_lost:
                self._store.release_later(self._claim)
            return
        try:
            self._store.release(self._claim)
        except Exception as trouble:
            if not is_unavailable(trouble):
                raise
            self._store.release_later(self._claim)


def meaning_of(content_type: str, body: bytes) -> bytes:
    """A digest that is the same for the same JSON in another order or spacing, and for the same form with other
    boundaries: a client that repeats its request writes both anew. Nobody may have been asked yet who sends it: JSON of
    too many values is not parsed."""
    if is_json(content_type):
        with suppress(ValueError, RecursionError, TooManyValues):
            refuse_many_values(body)
            body = json.dumps(json.loads(body), sort_keys=True).encode()
    elif content_type.lower().startswith("multipart/form-data"):
        parts = read_multipart(content_type, body)
        digests = [
            (part.name, part.filename, part.content_type, hashlib.sha256(part.content).hexdigest()) for part in parts
        ]
        body = repr(digests).encode() if parts else body
    return hashlib.sha256(body).digest()


def asks_to_repeat(response: Response) -> bool:
    return response.status_code == 429 or response.status_code >= 500


async def wait_for_key(respond: Callable[[], Awaitable[Response]]) -> Response:
    """While another request with the same key runs, this one waits here and holds no thread. Raises
    FirstRequestRunning."""
    waited, pause = 0.0, FIRST_PAUSE_SECONDS
    while True:
        try:
            return await respond()
        except KeyIsTaken:
            if waited >= MAX_WAIT_SECONDS:
                raise FirstRequestRunning from None
            await asyncio.sleep(pause)
            waited, pause = waited + pause, min(pause * 1.5, LONGEST_PAUSE_SECONDS)
