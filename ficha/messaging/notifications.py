"""Notifications of the platform, stored whole and sealed before they are read, so that none is ever lost. One that was
read whole is emptied: its messages have keys of their own, and are erased with their people."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from sqlalchemy import delete, select

from ficha.core.crypto import seal, unseal
from ficha.core.errors import FichaError, Source
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.jobs.queue import put
from ficha.messaging.statements import insert_notifications
from ficha.messaging.tables import Notification, NotificationRow

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
    return NotificationRow(digest, is_test, seal(secrets.derive("notifications"), body, _place(digest)), now)


def open_notification(secrets: Secrets, notification: Notification | NotificationRow) -> bytes:
    return unseal(secrets.derive("notifications"), notification.sealed, _place(notification.digest))


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


def _place(digest: bytes) -> str:
    return f"notification:{digest.hex()}"
