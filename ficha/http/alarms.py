"""What should worry whoever runs the service although every part answers: work that keeps failing, news that waits."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum

from ficha.core.clock import Clock
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.log import log
from ficha.core.master_keys import missing_keys
from ficha.core.transaction import Transaction
from ficha.jobs.queue import failing_kinds
from ficha.messaging.notifications import oldest_waiting_notification

# The platform's notifications are processed within a second.
LONGEST_WAIT = timedelta(minutes=1)


class Alarm(StrEnum):
    JOBS_FAIL = "jobs_fail"
    NOTIFICATIONS_WAIT = "notifications_wait"
    KEYS_MISSING = "keys_missing"


def find_alarms(tx: Transaction, now: datetime) -> dict[Alarm, str]:
    """Each with what an engineer looks at next. Names of kinds and numbers only: it is written to logs."""
    found: dict[Alarm, str] = {}
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

    def check(self) -> None:
        with self._database.reading() as tx:
            now = self._clock.now()
            found = find_alarms(tx, now)
            lacking = missing_keys(tx, self._keyring, now)
        if lacking:
            found[Alarm.KEYS_MISSING] = lacking
        for alarm in found.keys() - self.current.keys():
            log().error("alarm.began", alarm=alarm, about=found[alarm])
        for alarm in self.current.keys() - found.keys():
            log().info("alarm.ended", alarm=alarm)
        self.current = found
