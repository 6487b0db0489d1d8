"""Notifications of the platform, stored whole and sealed before they are read, so that none is ever lost. One that was
read whole is emptied: its messages have keys of their own, and are erased with their people."""

import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from sqlalchemy import delete, select

from ficha.core.crypto import seal, unseal
from ficha.core.errors import FichaError, Source
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.jobs.queue import put
from ficha.messaging.statements import insert_notifications
from ficha.messaging.tables import Notification, NotificationRow

# Clients that were answered together call again together, so a short silence does not yet mean that none will come.
QUIET_SECONDS = 0.004


class IntakePriority:
    """Lets the webhook answer first: the job that processes earlier notifications waits while new ones arrive, because
    both share one interpreter, and on SQLite one writer. It counts the requests that wait for an answer; used on the
    event loop, and read from a job's thread."""

    def __init__(self) -> None:
        self._unanswered = 0
        self._latest = 0.0

    @contextmanager
    def unanswered(self) -> Iterator[None]:
        self._unanswered += 1
        try:
            yield
        finally:
            self._unanswered -= 1
            self._latest = time.monotonic()

    def wait_for_intake(self, seconds: float) -> None:
        """Returns once no request waits, or after `seconds`: the earlier notifications must be processed too."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and self._is_busy():
            time.sleep(min(QUIET_SECONDS, left))

    def _is_busy(self) -> bool:
        return self._unanswered > 0 or time.monotonic() - self._latest < QUIET_SECONDS


INTAKE_PRIORITY = IntakePriority()


PROCESS = "whatsapp.notificaciones"
# The platform did not exist before.
EARLIEST = datetime(2009, 1, 1, tzinfo=UTC)
# Clocks that differ by less are taken as they are.
DIFFERENCE = timedelta(minutes=1)


class Unsigned(FichaError):
    status = 401
    code = "firma_ausente"
    message = "Falta la firma de la plataforma."
    source = Source("header", "X-Hub-Signature-256")


class WronglySigned(FichaError):
    status = 403
    code = "firma_incorrecta"
    message = "La firma no corresponde a lo que llegó."
    source = Source("header", "X-Hub-Signature-256")


def possible_time(at: datetime, now: datetime) -> datetime:
    """The nearest time at which it can have been written: the clocks of others may be wrong."""
    return now if at > now + DIFFERENCE else max(at, EARLIEST)


def seal_notification(secrets: Secrets, body: bytes, now: datetime, *, is_test: bool = False) -> NotificationRow:
    # A test has another digest, so that a real notification with the same body is not taken for it.
    digest = hashlib.sha256((b"test:" if is_test else b"") + body).digest()
    return NotificationRow(digest, is_test, seal(secrets.derive("notifications"), body, _sealing_context(digest)), now)


def open_notification(secrets: Secrets, notification: Notification | NotificationRow) -> bytes:
    return unseal(secrets.derive("notifications"), notification.sealed, _sealing_context(notification.digest))


def store_notifications(tx: Transaction, sealed: Sequence[NotificationRow]) -> None:
    """Stores them and puts the job that processes them, in the caller's transaction."""
    insert_notifications(tx, sealed)
    # One job processes all that wait, so the key allows only one waiting job.
    put(tx, PROCESS, {}, key=PROCESS, urgent=True)


def has_waiting_notifications(tx: Transaction, until: datetime) -> bool:
    """Whether one that came until then has not been processed."""
    oldest = oldest_waiting_notification(tx)
    return oldest is not None and oldest <= until


def oldest_waiting_notification(tx: Transaction) -> datetime | None:
    """When the first of those came that have not been processed; None if all are."""
    return tx.orm.scalar(
        select(Notification.received_at).where(Notification.processed_at.is_(None)).order_by(Notification.id).limit(1)
    )


def prune_notifications(tx: Transaction, now: datetime, days: int) -> None:
    """Deletes old notifications that were processed. Until then one that comes again is known by its digest."""
    tx.orm.execute(
        delete(Notification).where(
            Notification.processed_at.is_not(None), Notification.received_at < now - timedelta(days=days)
        )
    )


def _sealing_context(digest: bytes) -> str:
    return f"notification:{digest.hex()}"


class NotificationState(StrEnum):
    """`waiting`: not processed yet. `kept`: processed, and not all of it was understood or was for us."""

    WAITING = "waiting"
    KEPT = "kept"


def kept_notifications(
    tx: Transaction,
    *,
    before: int,
    limit: int,
    kind: str | None = None,
    state: NotificationState | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Sequence[Notification]:
    """Newest first, below the id `before`. Without a state: all that were not understood."""
    query = select(Notification).where(Notification.id < before)
    if state is NotificationState.WAITING:
        query = query.where(Notification.processed_at.is_(None))
    else:
        query = query.where(Notification.kind.is_not(None))
    if state is NotificationState.KEPT:
        query = query.where(Notification.processed_at.is_not(None))
    if kind is not None:
        query = query.where(Notification.kind == kind)
    if since is not None:
        query = query.where(Notification.received_at >= since)
    if until is not None:
        query = query.where(Notification.received_at < until)
    return tx.orm.scalars(query.order_by(Notification.id.desc()).limit(limit)).all()


def state_of_notification(notification: Notification) -> NotificationState:
    return NotificationState.WAITING if notification.processed_at is None else NotificationState.KEPT
