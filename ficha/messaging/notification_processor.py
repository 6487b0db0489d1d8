"""The job that processes notifications: in their order, a few items to a transaction, each exactly once."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from typing import NamedTuple

from sqlalchemy.exc import OperationalError

from ficha.channels.job_services import JobServices
from ficha.channels.messages import Incoming, KnownItem, NotificationItem, OtherItem, StatusUpdate, UnreadableItem
from ficha.channels.messenger import Messenger
from ficha.core.crypto import MasterKeyMissing, Tampered
from ficha.core.log import log
from ficha.core.transaction import Transaction
from ficha.jobs.kinds import Job
from ficha.jobs.queue import put
from ficha.messaging.incoming_messages import IncomingMessages
from ficha.messaging.joined_threads import note_same_people
from ficha.messaging.notifications import INTAKE_PRIORITY, PROCESS, open_notification
from ficha.messaging.platform_account import apply_updates
from ficha.messaging.statements import (
    MOST_ITEMS,
    lock_processing,
    lock_waiting,
    mark_processed,
    read_notifications,
    waiting_notifications,
)
from ficha.messaging.statuses import apply_statuses
from ficha.messaging.tables import NotificationRow
from ficha.messaging.threads import Person

MOST_BYTES = 1_000_000
# How long one job goes on. Short enough that a stopping worker does not wait long.
RUN_SECONDS = 2.0
# While notifications arrive, a batch is followed by a pause of at most this many times the batch's own duration.
LONGEST_PAUSE = 8
# While they arrive one by one, those of this time are gathered and processed in one transaction.
GATHER_SECONDS = 0.03
# The items of notifications that are only partly processed, so that they are not parsed again.
UnfinishedItems = dict[int, Sequence[NotificationItem]]


class OneAtATime:
    """Lets one thread do the work of a process: whoever asks while it works may go away, and it is told to look once
    more."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_taken = self._is_asked_again = False

    def begin(self) -> bool:
        """False if another thread works, which will look once more."""
        with self._lock:
            if self._is_taken:
                self._is_asked_again = True
                return False
            self._is_taken = True
            return True

    def is_asked_again(self) -> bool:
        """For who has found nothing more to do; if False, the work is over."""
        with self._lock:
            self._is_taken, self._is_asked_again = self._is_asked_again, False
            return self._is_taken

    def abandon(self) -> None:
        with self._lock:
            self._is_taken = self._is_asked_again = False


class LockedElsewhere(Exception):
    """Another job has the lock, and processes notifications at this moment."""


class ProcessedElsewhere(Exception):
    """Another job has processed some of these notifications since they were read."""


@dataclass(frozen=True)
class NotificationProcessor:
    services: JobServices
    messenger: Messenger
    incoming_messages: IncomingMessages
    # Every notification puts a job. Those that begin while another runs in this process would only wait for its lock.
    turn: OneAtATime = field(default_factory=OneAtATime)

    def process(self, job: Job) -> None:
        """Processes waiting notifications for a short time, and puts another job if some are left."""
        if not self.turn.begin():
            return
        try:
            while self._process_waiting(job):
                if not self.turn.is_asked_again():
                    return
        except BaseException:
            self.turn.abandon()
            raise
        self.turn.abandon()

    def _process_waiting(self, job: Job) -> bool:
        """Whether all were processed. If not, another job was put."""
        deadline = time.monotonic() + RUN_SECONDS
        unfinished: UnfinishedItems = {}
        is_first = True
        while batch := self._next_batch(unfinished):
            started = time.monotonic()
            try:
                self._process_batch(batch)
            except LockedElsewhere:
                if job.attempt > 1:
                    raise  # Perhaps by a process that we took for dead. The job is tried again.
                return True  # Whoever has the lock reads again after this transaction, and processes the rest too.
            except ProcessedElsewhere:
                pass  # Another job may have met our lock just now: it has ended, and relies on us to read again.
            INTAKE_PRIORITY.wait_for_intake(LONGEST_PAUSE * (time.monotonic() - started))
            if not is_first and len(batch) < MOST_ITEMS // 2:
                time.sleep(GATHER_SECONDS)
            is_first = False
            if time.monotonic() > deadline:
                with self.services.database.writing() as tx:
                    put(tx, PROCESS, {}, key=PROCESS, urgent=True)
                return False
        return True

    def _next_batch(self, unfinished: UnfinishedItems) -> list["NotificationPart"]:
        """The next items, of as many notifications as fit into one transaction."""
        batch: list[NotificationPart] = []
        most_items = MOST_ITEMS
        with self.services.database.reading() as tx:
            while not batch and (ids := self._oldest_waiting(tx)):
                for notification in read_notifications(tx, ids):
                    if batch and (not most_items or notification.is_test != batch[0].is_test):
                        break
                    part = self._next_part(notification, most_items, unfinished)
                    batch.append(part)
                    most_items -= len(part.items)
        return batch

    def _oldest_waiting(self, tx: Transaction) -> list[int]:
        """The ids of many small notifications, or of one that is megabytes long."""
        ids, size = list[int](), 0
        for notification_id, length in waiting_notifications(tx):
            size += length
            if ids and size > MOST_BYTES:
                break
            ids.append(notification_id)
        return ids

    def _next_part(self, notification: NotificationRow, most: int, unfinished: UnfinishedItems) -> "NotificationPart":
        items = unfinished.pop(notification.id, None)
        if items is None:
            items = self._items_of(notification)
        next_items = items[notification.done :][:most]
        part = NotificationPart(
            notification.id, notification.is_test, notification.done, next_items, len(items), _kind_of(items)
        )
        if part.end < part.total:
            unfinished[notification.id] = items
        return part

    def _items_of(self, notification: NotificationRow) -> Sequence[NotificationItem]:
        """One that cannot be unsealed, or that a mistake of ours cannot read, must not stop those after it."""
        try:
            return self.messenger.parse(open_notification(self.services.secrets, notification))
        except (Tampered, ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            log().error("whatsapp.notification_failed", notification_id=notification.id, error=type(error).__name__)
            return [UnreadableItem(type(error).__name__, None)]

    def _process_batch(self, batch: Sequence["NotificationPart"]) -> None:
        """Raises LockedElsewhere or ProcessedElsewhere if another job was quicker."""
        try:
            with self.services.database.writing() as tx:
                self._process_in_transaction(tx, batch)
            return
        except (LockedElsewhere, ProcessedElsewhere):
            raise
        except (OperationalError, TimeoutError, MasterKeyMissing):
            raise  # The database is busy or down, or this process lacks a key: everything is tried again later.
        except Exception as error:
            if len(batch) == 1 and len(batch[0].items) <= 1:
                self._skip_item(batch[0], error)
                return
            log().warning("whatsapp.slice_failed", notification_id=batch[0].id, error=type(error).__name__)
        # One item is bad. Each gets a transaction of its own, so that the others are not lost with it.
        for part in batch:
            for one in part.single_items():
                self._process_batch([one])

    def _process_in_transaction(self, tx: Transaction, batch: Sequence["NotificationPart"]) -> None:
        self._lock(tx, batch)
        now = self.services.clock.now()
        items = [item for part in batch for item in part.items]
        is_test = batch[0].is_test
        named: list[tuple[str, Person]] = []
        # Statuses first: they may be the first with the platform's id of a message, and a reply refers to it.
        if not is_test:  # A test must not change real messages.
            statuses = [item for item in items if isinstance(item, StatusUpdate)]
            named = apply_statuses(tx, self.incoming_messages.failures, statuses, now)
            failures = self.incoming_messages.failures
            apply_updates(tx, failures.keyring, failures.hooks, items, now)
        messages = [item for item in items if isinstance(item, Incoming)]
        self.incoming_messages.process(tx, messages, now, is_test=is_test)
        note_same_people(tx, named)
        # All other items only stay in the stored notification.
        failed = []
        for part in batch:
            unreadable = [item for item in part.items if isinstance(item, UnreadableItem)]
            for item in unreadable:
                log().warning("whatsapp.unreadable", notification_id=part.id, why=item.why)
            failed.append(len(unreadable))
        _mark_processed(tx, batch, failed, now)

    def _skip_item(self, part: "NotificationPart", error: Exception) -> None:
        """Counts an item as unreadable that a mistake of ours cannot process. It stays in the stored notification."""
        log().error("whatsapp.item_failed", notification_id=part.id, item=part.start, error=type(error).__name__)
        with self.services.database.writing() as tx:
            self._lock(tx, [part])
            _mark_processed(tx, [part], [1], self.services.clock.now())

    def _lock(self, tx: Transaction, batch: Sequence["NotificationPart"]) -> None:
        """Locks the notifications' rows. Raises LockedElsewhere or ProcessedElsewhere if another job was quicker."""
        if not lock_processing(tx):
            raise LockedElsewhere
        if lock_waiting(tx, [part.id for part in batch]) != {part.id: part.start for part in batch}:
            raise ProcessedElsewhere


def _mark_processed(tx: Transaction, batch: Sequence["NotificationPart"], failed: Sequence[int], now: datetime) -> None:
    """`failed` says for each part how many of its items could not be read."""
    mark_processed(
        tx,
        [
            {
                "notification": part.id,
                "end": part.end,
                "moment": now if part.end >= part.total else None,
                "failed": count,
                "what": part.kind or ("failed" if count else None),
                "is_read": part.kind is None and part.end >= part.total and not count,
            }
            for part, count in zip(batch, failed, strict=True)
        ],
    )


def _kind_of(items: Sequence[NotificationItem]) -> str | None:
    """What of these we do not act upon, in a word."""
    for item in items:
        if not isinstance(item, KnownItem):
            return item.kind[:40] if isinstance(item, OtherItem) else "unreadable"
    return None


class NotificationPart(NamedTuple):
    """The items of one notification that are processed together: from `start`, of `total` items. `kind` names what of
    the notification we do not act upon; None if there is nothing."""

    id: int
    is_test: bool
    start: int
    items: Sequence[NotificationItem]
    total: int
    kind: str | None

    @property
    def end(self) -> int:
        return self.start + len(self.items)

    def single_items(self) -> list["NotificationPart"]:
        """This part as parts of one item each."""
        if not self.items:
            return [self]
        return [self._replace(start=self.start + index, items=[item]) for index, item in enumerate(self.items)]
