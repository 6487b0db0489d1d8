"""What should worry whoever runs the service although every part answers: nobody who works, work that keeps failing,
alerts and news that wait. docs/alarms.md says of each what to do."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum

from ficha.core.clock import Clock
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.live_processes import count_live_workers
from ficha.core.log import log
from ficha.core.master_keys import missing_keys
from ficha.core.transaction import Transaction
from ficha.emergencies.steps import unsent_alerts
from ficha.jobs.queue import failing_kinds, oldest_wait
from ficha.messaging.notifications import oldest_waiting_notification

# The platform's notifications are processed within a second, and so is the first step of an alert.
LONGEST_WAIT = timedelta(minutes=1)
# An urgent job is begun in the moment in which it is due.
LONGEST_URGENT_WAIT = timedelta(seconds=5)


class Alarm(StrEnum):
    """In the order in which to look at them."""

    NO_WORKER = "no_worker"
    URGENT_JOBS_WAIT = "urgent_jobs_wait"
    ALERTS_WAIT = "alerts_wait"
    JOBS_FAIL = "jobs_fail"
    NOTIFICATIONS_WAIT = "notifications_wait"
    KEYS_MISSING = "keys_missing"


def find_alarms(tx: Transaction, now: datetime) -> dict[Alarm, str]:
    """Each with what an engineer looks at next. Names of kinds and numbers only: it is written to logs."""
    found: dict[Alarm, str] = {}
    if not count_live_workers(tx):
        found[Alarm.NO_WORKER] = "start `ficha worker`, or set FICHA_JOBS_IN_SERVER=true"
    urgent = oldest_wait(tx, now, urgent=True)
    if urgent > LONGEST_URGENT_WAIT:
        found[Alarm.URGENT_JOBS_WAIT] = f"for {urgent.total_seconds():.0f} s"
    alerts = unsent_alerts(tx)
    if alerts.since is not None and now - alerts.since > LONGEST_WAIT:
        found[Alarm.ALERTS_WAIT] = f"{alerts.number} since {alerts.since.isoformat(timespec='seconds')}"
    failing = failing_kinds(tx, now)
    if failing:
        found[Alarm.JOBS_FAIL] = ", ".join(sorted(failing))
    since = oldest_waiting_notification(tx)
    if since is not None and now - since > LONGEST_WAIT:
        found[Alarm.NOTIFICATIONS_WAIT] = f"since {since.isoformat(timespec='seconds')}"
    return found


class AlarmWatch:
    """Looks at intervals, so that whoever asks for the service's health costs no query. An alarm is written to the log
    when it begins and when it ends."""

    def __init__(self, database: Database, clock: Clock, keyring: Keyring) -> None:
        self._database, self._clock, self._keyring = database, clock, keyring
        self.current: Mapping[Alarm, str] = {}
        # How many processes run jobs; None before the first look.
        self.workers: int | None = None

    def check(self) -> None:
        with self._database.reading() as tx:
            now = self._clock.now()
            found, self.workers = find_alarms(tx, now), count_live_workers(tx)
            lacking = missing_keys(tx, self._keyring, now)
        if lacking:
            found[Alarm.KEYS_MISSING] = lacking
        for alarm in found.keys() - self.current.keys():
            log().error("alarm.began", alarm=alarm, about=found[alarm])
        for alarm in self.current.keys() - found.keys():
            log().info("alarm.ended", alarm=alarm)
        self.current = found
