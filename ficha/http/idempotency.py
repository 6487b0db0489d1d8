"""`Idempotency-Key`: the first answer is kept for a day and given again, also to requests that arrive at the same time.

A key is first claimed in a short transaction of its own. The answer is then written in the transaction of the effect,
so there is never an effect without its answer. A claim whose process died is taken over after fifteen seconds: its
answer is missing, so its effect is missing too. A claim that cannot be given back because the database is gone is given
back by the same process once it is there again (`idempotency_releaser.py`).
"""

import asyncio
import hashlib
import json
import secrets as random
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Index, LargeBinary, String, Text, and_, bindparam, delete, select, update
from sqlalchemy.orm import Mapped, mapped_column
from starlette.requests import Request
from starlette.responses import Response

from ficha.asgi.json_bodies import TooManyValues, is_json, refuse_many_values
from ficha.core.db import Base, BigId, Database, Utc, is_unavailable, partial_index
from ficha.core.errors import FichaError, Source
from ficha.core.multipart import read_multipart
from ficha.core.prepared import Prepared, insert_if_new
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.enrolment.people_in_kept_answers import as_lines
from ficha.http.idempotency_releaser import ClaimReleaser

KEEP_FOR = timedelta(hours=24)
CLAIM_ENDS_AFTER = timedelta(seconds=15)
# How long a request waits while another with its key runs, and how often it asks.
MAX_WAIT_SECONDS = 16.0
FIRST_PAUSE_SECONDS = 0.02
LONGEST_PAUSE_SECONDS = 0.25
MAX_KEY_LENGTH = 255
# An error that is longer is not kept.
KEPT_ERROR_BYTES = 4_000
# Of a longer answer it is kept that it was given. An import of 400 facts is answered with 77 kB, a picture with 10 MB.
KEPT_ANSWER_BYTES = 100_000
# Set-Cookie is left out on purpose: an answer given again opens no browser session.
KEPT_HEADERS = ("content-type", "content-disposition", "etag", "location", "www-authenticate")


class KeptAnswer(Base):
    """A claimed key, and its answer once there is one. Answers may hold a token, so they are encrypted; bodies may hold
    a clave, so `fingerprint` is a keyed hash."""

    __tablename__ = "kept_answers"
    __table_args__ = (
        Index("ux_kept_answers_scope_key", "scope", "key", unique=True),
        partial_index("ix_kept_answers_account_id", "account_id", where="account_id IS NOT NULL"),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    scope: Mapped[str] = mapped_column(String(200))
    key: Mapped[str] = mapped_column(String(MAX_KEY_LENGTH))
    fingerprint: Mapped[bytes] = mapped_column(LargeBinary(32))
    holder: Mapped[str] = mapped_column(String(32))
    claimed_at: Mapped[datetime] = mapped_column(Utc, index=True)
    status: Mapped[int | None]
    answer: Mapped[bytes | None] = mapped_column(LargeBinary)
    # Whom the answer quotes, where the scope does not say it: it is erased with that account.
    account_id: Mapped[int | None] = mapped_column(BigId)
    # Whom a platform's answer tells about (enrolment/people_in_kept_answers.py): its words are erased with any of them.
    people: Mapped[str | None] = mapped_column(Text)


_kept_answers = Base.metadata.tables[KeptAnswer.__tablename__]
CLAIMED = ("scope", "key", "fingerprint", "holder", "claimed_at")
_IS_HELD = and_(_kept_answers.c.id == bindparam("row_id"), _kept_answers.c.holder == bindparam("held_by"))
_KEEP = Prepared(update(_kept_answers).where(_IS_HELD), columns=("status", "answer", "account_id", "people"))
# Only while it has no answer: a commit whose answer was lost on the way may have been carried out, and PostgreSQL lets
# this statement wait while that is undecided.
_RELEASE = Prepared(
    delete(_kept_answers).where(
        _kept_answers.c.scope == bindparam("of_scope"),
        _kept_answers.c.key == bindparam("of_key"),
        _kept_answers.c.holder == bindparam("held_by"),
        _kept_answers.c.status.is_(None),
    )
)


class BadIdempotencyKey(FichaError):
    status = 400
    code = "clave_de_idempotencia_invalida"
    message = "Idempotency-Key debe tener de 1 a 255 caracteres visibles."
    source = Source("header", "Idempotency-Key")


class IdempotencyKeyReused(FichaError):
    status = 409
    code = "clave_de_idempotencia_reusada"
    message = "Esa Idempotency-Key ya se usó con otra petición. Use una nueva."
    source = Source("header", "Idempotency-Key")


class FirstRequestRunning(FichaError):
    status = 409
    code = "peticion_en_curso"
    message = "La primera petición con esa Idempotency-Key sigue en curso. Vuelva a probar en un momento."
    source = Source("header", "Idempotency-Key")
    headers = {"Retry-After": "2"}  # noqa: RUF012


class FirstRequestLost(FichaError):
    status = 409
    code = "peticion_sin_respuesta"
    message = (
        "La primera petición con esa Idempotency-Key se perdió, y puede haber salido. Compruébelo; luego use otra."
    )
    source = Source("header", "Idempotency-Key")


class AnswerErased(FichaError):
    status = 409
    code = "respuesta_borrada"
    message = (
        "Lo que pidió con esa Idempotency-Key ya se hizo. Su respuesta no se guardó o se borró, porque era sobre otra "
        "persona: lea lo que hay ahora."
    )
    source = Source("header", "Idempotency-Key")


class AnswerNotKept(FichaError):
    status = 409
    code = "respuesta_no_guardada"
    message = (
        "Lo que pidió con esa Idempotency-Key ya se hizo, y su respuesta era muy larga para guardarla. "
        "Consulte lo que se hizo."
    )
    source = Source("header", "Idempotency-Key")


class KeyIsTaken(Exception):
    """Another request with the same key is running."""


@dataclass(frozen=True)
class KeyedRequest:
    """A request with a key. `scope` keeps one caller's keys apart from another's. `fingerprint` is of what it means,
    `fingerprint_of_bytes` of how it was written, which versions before kept. `repeats_lost`: whether it may be carried
    out again when the first one's process died, because all it does is in our transaction."""

    scope: str
    key: str
    fingerprint: bytes
    fingerprint_of_bytes: Callable[[], bytes]
    repeats_lost: bool = True

    def is_same(self, kept: bytes) -> bool:
        """Whether this is the request that was kept."""
        return random.compare_digest(kept, self.fingerprint) or random.compare_digest(kept, self.fingerprint_of_bytes())


@dataclass(frozen=True)
class KeyClaim:
    """The right to answer a key, held by one request at a time."""

    row_id: int
    holder: str
    scope: str
    key: str


def check_key(key: str) -> str:
    """Raises BadIdempotencyKey."""
    if not 1 <= len(key) <= MAX_KEY_LENGTH or not key.isascii() or not key.isprintable():
        raise BadIdempotencyKey
    return key


class IdempotencyStore:
    def __init__(self, database: Database, secrets: Secrets) -> None:
        self._database = database
        self._secrets = secrets
        self._releaser = ClaimReleaser(self.release, CLAIM_ENDS_AFTER.total_seconds())

    def fingerprint(self, method: str, target: str, body: bytes) -> bytes:
        return self._secrets.keyed_hash("idempotency", f"{method} {target}\n{body.hex()}")

    def claim(self, asked: KeyedRequest, now: datetime) -> KeyClaim | Response | None:
        """The claim, or the answer that was already given; None while another request holds the claim. Raises
        IdempotencyKeyReused if the key was used with another request, FirstRequestLost, AnswerErased, AnswerNotKept."""
        holder = random.token_hex(16)
        try:
            return self._claim(asked, holder, now)
        except Exception as error:
            if is_unavailable(error):  # Whether it was claimed, nobody knows.
                self.release_later(KeyClaim(0, holder, asked.scope, asked.key))
            raise

    def _claim(self, asked: KeyedRequest, holder: str, now: datetime) -> KeyClaim | Response | None:
        with self._database.writing() as tx:
            claimed = tx.first(
                insert_if_new(tx.dialect.name, _kept_answers, CLAIMED, ("id",)),
                scope=asked.scope,
                key=asked.key,
                fingerprint=asked.fingerprint,
                holder=holder,
                claimed_at=now,
            )
            if claimed is not None:
                return KeyClaim(claimed.id, holder, asked.scope, asked.key)
            row = tx.orm.scalars(
                select(KeptAnswer).where(KeptAnswer.scope == asked.scope, KeptAnswer.key == asked.key).with_for_update()
            ).one_or_none()
            if row is None:  # Released between our two statements.
                return None
            is_lost = row.status is None and row.claimed_at <= now - CLAIM_ENDS_AFTER
            if row.claimed_at <= now - KEEP_FOR or (is_lost and asked.repeats_lost):
                row.fingerprint, row.holder, row.claimed_at = asked.fingerprint, holder, now
                row.status = row.answer = row.account_id = row.people = None
                return KeyClaim(row.id, holder, asked.scope, asked.key)
            if not asked.is_same(row.fingerprint):
                raise IdempotencyKeyReused
            if is_lost:
                raise FirstRequestLost
            if row.status is None:
                return None
            if row.answer is None:
                raise AnswerErased
            return self._replay(row.id, row.status, row.answer)

    def keep(
        self,
        tx: Transaction,
        claim: KeyClaim,
        response: Response,
        account_id: int | None = None,
        people: Collection[str] = (),
    ) -> None:
        """Writes the answer in the transaction of its effect, or of a long one that it was given. `account_id` and
        `people` say whom it quotes. Raises FirstRequestRunning if the claim was taken over meanwhile, so that the
        effect is rolled back too."""
        headers = {name: response.headers[name] for name in KEPT_HEADERS if name in response.headers}
        plain = _written(headers, None if is_long(response) else bytes(response.body))
        answer = self._secrets.seal("answers", plain, f"answer:{claim.row_id}")
        _end_claim(tx, claim, response.status_code, answer=answer, account_id=account_id, people=as_lines(people))

    def keep_no_words(self, tx: Transaction, claim: KeyClaim, status: int) -> None:
        """Writes in the transaction of the effect that there was one, and nothing of its answer. Raises as `keep`."""
        _end_claim(tx, claim, status, answer=None, account_id=None, people=None)

    def keep_alone(self, claim: KeyClaim, response: Response, people: Collection[str] = ()) -> None:
        """In a transaction of its own: for an error, whose effect was rolled back, and for what a platform did."""
        with self._database.writing() as tx:
            self.keep(tx, claim, response, people=people)

    def release(self, claim: KeyClaim) -> None:
        """Gives the claim back and keeps nothing: for answers after which the caller should try again."""
        with self._database.writing() as tx:
            tx.run(_RELEASE, of_scope=claim.scope, of_key=claim.key, held_by=claim.holder)

    def release_later(self, claim: KeyClaim) -> None:
        """The same as soon as the database is there again. Whoever asks once more does not wait for the claim's end."""
        self._releaser.add(claim)

    def _replay(self, row_id: int, status: int, sealed: bytes) -> Response:
        headers, body = _read(self._secrets.unseal("answers", sealed, f"answer:{row_id}"))
        if body is None:
            raise AnswerNotKept
        return Response(body, status, headers | {"Idempotency-Replayed": "true"})


def _end_claim(tx: Transaction, claim: KeyClaim, status: int, **kept: Any) -> None:
    if not tx.changed(_KEEP, row_id=claim.row_id, held_by=claim.holder, status=status, **kept):
        raise FirstRequestRunning


def _written(headers: Mapping[str, str], body: bytes | None) -> bytes:
    """A picture stands behind its headers as it is: as JSON it would be six times as long."""
    try:
        return json.dumps([headers, None if body is None else body.decode()]).encode()
    except UnicodeDecodeError:
        return json.dumps(headers).encode() + b"\n" + (body or b"")


def _read(plain: bytes) -> tuple[dict[str, str], bytes | None]:
    if plain.startswith(b"{"):
        head, _, body = plain.partition(b"\n")
        return json.loads(head), body
    headers, text = json.loads(plain)
    return headers, None if text is None else text.encode(errors="surrogateescape")


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


def asks_to_repeat(response: Response) -> bool:
    return response.status_code == 429 or response.status_code >= 500


def is_long(response: Response) -> bool:
    return len(response.body) > KEPT_ANSWER_BYTES


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


def delete_old_answers(tx: Transaction, now: datetime) -> None:
    tx.orm.execute(delete(KeptAnswer).where(KeptAnswer.claimed_at < now - KEEP_FOR))
