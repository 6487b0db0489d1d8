"""The job that deals with notifications: in their order, a few items to a transaction, each exactly once."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import bindparam, func, select, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session, defer

from ficha.channels.messages import Incoming, NotificationItem, StatusUpdate, UnreadableItem
from ficha.channels.messenger import Messenger
from ficha.core.clock import Clock
from ficha.core.crypto import Tampered
from ficha.core.db import Database
from ficha.core.log import log
from ficha.core.secrets import Secrets
from ficha.jobs.kinds import Job
from ficha.jobs.queue import put
from ficha.messaging.incoming_messages import IncomingMessages
from ficha.messaging.intake_priority import INTAKE_PRIORITY
from ficha.messaging.notifications import PROCESS, Notification, opened
from ficha.messaging.statuses import take_statuses

# Small enough that whoever else wants to write does not wait long.
SLICE = 50
MOST_BYTES = 1_000_000
# Long enough to be worth it, short enough for a stop.
RUN_SECONDS = 2.0
# While notifications pour in, a slice is followed by a rest at most this many times as long as it took.
REST = 8
# One process deals with notifications at a time, so that each person's messages stay in order.
ONE_AT_A_TIME = text("SELECT pg_try_advisory_xact_lock(723501)")
WAITING = (
    select(Notification.id, func.length(Notification.sealed))
    .where(Notification.processed_at.is_(None))
    .order_by(Notification.id)
    .limit(SLICE)
)
AT = select(Notification).where(Notification.id.in_(bindparam("ids", expanding=True))).order_by(Notification.id)
THESE = AT.options(defer(Notification.sealed)).with_for_update()
# What notifications hold that are not dealt with to their end.
Begun = dict[int, Sequence[NotificationItem]]


class StillHeld(Exception):
    """Another process holds what this one was to take over."""


@dataclass(frozen=True)
class NotificationProcessor:
    database: Database
    secrets: Secrets
    clock: Clock
    messenger: Messenger
    desk: IncomingMessages

    def process(self, job: Job) -> None:
        deadline = time.monotonic() + RUN_SECONDS
        begun: Begun = {}
        while waiting := self._next(begun):
            began = time.monotonic()
            if not self._deal_with(waiting):
                if job.attempt > 1:
                    raise StillHeld  # By one that we took for dead, perhaps. It is asked for again a little later.
                return  # Somebody else is at it, and takes the rest too.
            INTAKE_PRIORITY.make_way(REST * (time.monotonic() - began))
            if time.monotonic() > deadline:
                with self.database.writing() as session:
                    put(session, PROCESS, {}, key=PROCESS, urgent=True)
                return

    def _next(self, begun: Begun) -> list["Part"]:
        """What comes next, of as many notifications as fit into one transaction."""
        found: list[Part] = []
        room = SLICE
        with self.database.reading() as session:
            for notification in session.scalars(AT, {"ids": self._oldest(session)}):
                if found and (not room or notification.is_test != found[0].is_test):
                    break
                part = self._part(notification, room, begun)
                found.append(part)
                room -= len(part.events)
        return found

    def _oldest(self, session: Session) -> list[int]:
        """Of those that wait. Many small ones, or one that is megabytes long."""
        found, size = list[int](), 0
        for id_, length in session.execute(WAITING):
            size += length
            if found and size > MOST_BYTES:
                break
            found.append(id_)
        return found

    def _part(self, notification: Notification, room: int, begun: Begun) -> "Part":
        events = begun.pop(notification.id, None)
        if events is None:
            events = self._events(notification)
        part = Part(
            notification.id, notification.is_test, notification.done, events[notification.done :][:room], len(events)
        )
        if part.end < part.of:
            begun[notification.id] = events
        return part

    def _events(self, notification: Notification) -> Sequence[NotificationItem]:
        """One that does not open, or that we cannot read through a mistake of ours, must not stop those behind it."""
        try:
            return self.messenger.parse(opened(self.secrets, notification))
        except (Tampered, ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
            log().error("whatsapp.notification_failed", notification_id=notification.id, error=type(error).__name__)
            return [UnreadableItem(type(error).__name__, None)]

    def _deal_with(self, parts: Sequence["Part"]) -> bool:
        try:
            with self.database.writing() as session:
                return self._slice(session, parts)
        except (OperationalError, TimeoutError):
            raise  # The database is busy or away: all of it is tried again later.
        except Exception as error:
            if len(parts) == 1 and len(parts[0].events) <= 1:
                return self._set_aside(parts[0], error)
            log().warning("whatsapp.slice_failed", notification_id=parts[0].id, error=type(error).__name__)
        # One of them is bad. Each gets a transaction of its own, so that it takes no neighbour with it.
        return all(self._deal_with([one]) for part in parts for one in part.ones())

    def _slice(self, session: Session, parts: Sequence["Part"]) -> bool:
        held = self._held(session, parts)
        if held is None:
            return False
        now = self.clock.now()
        events = [event for part in parts for event in part.events]
        is_test = parts[0].is_test
        # A status may be the first to say which id the platform gave a message, and a reply speaks of it by that id.
        if not is_test:  # News that somebody made up moves nothing.
            take_statuses(
                session, self.desk.failures, [event for event in events if isinstance(event, StatusUpdate)], now
            )
        self.desk.take_in(session, [event for event in events if isinstance(event, Incoming)], now, is_test=is_test)
        # Anything else is kept with the notification, and nothing has to be done about it.
        for part, notification in zip(parts, held, strict=True):
            for unreadable in (event for event in part.events if isinstance(event, UnreadableItem)):
                notification.unreadable += 1
                log().warning("whatsapp.unreadable", notification_id=notification.id, why=unreadable.why)
            self._done(notification, part, now)
        return True

    def _set_aside(self, part: "Part", error: Exception) -> bool:
        """An item that we cannot deal with, through a mistake of ours. It stays in the notification, counted."""
        log().error("whatsapp.item_failed", notification_id=part.id, item=part.start, error=type(error).__name__)
        with self.database.writing() as session:
            held = self._held(session, [part])
            if held is None:
                return False
            held[0].unreadable += 1
            self._done(held[0], part, self.clock.now())
        return True

    def _held(self, session: Session, parts: Sequence["Part"]) -> Sequence[Notification] | None:
        """None when somebody else is at one of them, or was."""
        if not self.database.is_sqlite and not session.scalar(ONE_AT_A_TIME):
            return None
        held = session.scalars(THESE, {"ids": [part.id for part in parts]}).all()
        as_found = all(
            one.done == part.start and one.processed_at is None for one, part in zip(held, parts, strict=True)
        )
        return held if as_found else None

    def _done(self, notification: Notification, part: "Part", now: datetime) -> None:
        notification.done = part.end
        if part.end >= part.of:
            notification.processed_at = now


class Part(NamedTuple):
    """The items of one notification that are dealt with together: from `start`, of `of` in all."""

    id: int
    is_test: bool
    start: int
    events: Sequence[NotificationItem]
    of: int

    @property
    def end(self) -> int:
        return self.start + len(self.events)

    def ones(self) -> list["Part"]:
        if not self.events:
            return [self]
        return [self._replace(start=self.start + place, events=[event]) for place, event in enumerate(self.events)]
