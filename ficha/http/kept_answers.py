"""The first answers to requests with an `Idempotency-Key`, kept for a day to be given again.

A key is first claimed in a short transaction of its own. The answer is then written in the transaction of the effect,
so there is never an effect without its answer. A claim whose process died is taken over after fifteen seconds: its
answer is missing, so its effect is missing too. A claim that cannot be given back because the database is gone is given
back by the same process once it is there again (`idempotency_releaser.py`).
"""

import json
import secrets as random
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Index, LargeBinary, String, Text, and_, bindparam, delete, select, update
from sqlalchemy.orm import Mapped, mapped_column
from starlette.responses import Response

from ficha.core.db import Base, BigId, Database, Utc, is_unavailable, partial_index
from ficha.core.errors import FichaError, Source
from ficha.core.prepared import Prepared, insert_if_new
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.enrolment.people_in_kept_answers import as_lines
from ficha.http.idempotency_releaser import ClaimReleaser

KEEP_FOR = timedelta(hours=24)
CLAIM_ENDS_AFTER = timedelta(seconds=15)
MAX_KEY_LENGTH = 255
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


def is_long(response: Response) -> bool:
    return len(response.body) > KEPT_ANSWER_BYTES


def delete_old_answers(tx: Transaction, now: datetime) -> None:
    tx.orm.execute(delete(KeptAnswer).where(KeptAnswer.claimed_at < now - KEEP_FOR))
