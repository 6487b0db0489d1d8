"""The job that deals with notifications: in their order, a few items to a transaction, each exactly once."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from ficha.channels.messaging.message import Event, Incoming, Status, Unreadable
from ficha.channels.messaging.provider import Messenger
from ficha.core.clock import Clock
from ficha.core.db import Database
from ficha.core.log import log
from ficha.core.secrets import Secrets
from ficha.jobs.kinds import Job
from ficha.jobs.queue import put
from ficha.messaging.arrivals import Desk
from ficha.messaging.notifications import PROCESS, Notification, opened
from ficha.messaging.rush import RUSH
from ficha.messaging.statuses import take_statuses

# Small enough that whoever else wants to write does not wait long.
SLICE = 50
# Long enough to be worth it, short enough for a stop.
RUN_SECONDS = 2.0
# While notifications pour in, a slice is followed by a rest at most this many times as long as it took.
REST = 4
# One process deals with notifications at a time, so that each person's messages stay in order.
ONE_AT_A_TIME = text("SELECT pg_try_advisory_xact_lock(72_3501)")


@dataclass(frozen=True)
class SortingRoom:
    database: Database
    secrets: Secrets
    clock: Clock
    messenger: Messenger
    desk: Desk

    def process(self, _job: Job) -> None:
        deadline = time.monotonic() + RUN_SECONDS
        while (waiting := self._next()) is not None:
            notification, events = waiting
            for start in range(notification.done, max(len(events), 1), SLICE):
                began = time.monotonic()
                if not self._deal_with(notification.id, start, events[start : start + SLICE], len(events)):
                    return  # Somebody else is at it, and takes the rest too.
                RUSH.make_way(REST * (time.monotonic() - began))
                if time.monotonic() > deadline:
                    with self.database.writing() as session:
                        put(session, PROCESS, {}, key=PROCESS, urgent=True)
                    return

    def _next(self) -> tuple[Notification, Sequence[Event]] | None:
        with self.database.reading() as session:
            oldest = select(Notification).where(Notification.processed_at.is_(None)).order_by(Notification.id).limit(1)
            notification = session.scalars(oldest).one_or_none()
        if notification is None:
            return None
        return notification, self.messenger.parse(opened(self.secrets, notification))

    def _deal_with(self, notification_id: int, start: int, events: Sequence[Event], of: int) -> bool:
        try:
            with self.database.writing() as session:
                return self._slice(session, notification_id, start, events, of)
        except (OperationalError, TimeoutError):
            raise  # The database is busy or away: all of it is tried again later.
        except Exception as error:
            if len(events) <= 1:
                return self._set_aside(notification_id, start, of, error)
            log().warning("whatsapp.slice_failed", notification_id=notification_id, error=type(error).__name__)
        # One of them is bad. Each gets a transaction of its own, so that it takes no neighbour with it.
        return all(self._deal_with(notification_id, start + place, [event], of) for place, event in enumerate(events))

    def _slice(self, session: Session, notification_id: int, start: int, events: Sequence[Event], of: int) -> bool:
        notification = self._held(session, notification_id, start)
        if notification is None:
            return False
        now = self.clock.now()
        for unreadable in (event for event in events if isinstance(event, Unreadable)):
            notification.unreadable += 1
            log().warning("whatsapp.unreadable", notification_id=notification.id, why=unreadable.why)
        incoming = [event for event in events if isinstance(event, Incoming)]
        self.desk.take_in(session, incoming, now, is_test=notification.is_test)
        if not notification.is_test:  # News that somebody made up moves nothing.
            take_statuses(session, self.desk.failures, [event for event in events if isinstance(event, Status)], now)
        # Anything else is kept with the notification, and nothing has to be done about it.
        self._done(notification, start + len(events), of, now)
        return True

    def _set_aside(self, notification_id: int, start: int, of: int, error: Exception) -> bool:
        """An item that we cannot deal with, through a mistake of ours. It stays in the notification, counted."""
        log().error("whatsapp.item_failed", notification_id=notification_id, item=start, error=type(error).__name__)
        with self.database.writing() as session:
            notification = self._held(session, notification_id, start)
            if notification is None:
                return False
            notification.unreadable += 1
            self._done(notification, start + 1, of, self.clock.now())
        return True

    def _held(self, session: Session, notification_id: int, start: int) -> Notification | None:
        if not self.database.is_sqlite and not session.scalar(ONE_AT_A_TIME):
            return None
        notification = session.get_one(Notification, notification_id, with_for_update=True)
        return notification if notification.done == start and notification.processed_at is None else None

    def _done(self, notification: Notification, done: int, of: int, now: datetime) -> None:
        notification.done = done
        if done >= of:
            notification.processed_at = now
