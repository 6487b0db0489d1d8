"""Since when a server of ours runs, and the platform can tell us anything. What it says before then it repeats
afterwards, ever more slowly, over minutes to hours. So a doubt about a message counts from when we hear again."""

import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from ficha.core.clock import Clock
from ficha.core.db import Database, insert_new
from ficha.core.transaction import Transaction
from ficha.messaging.tables import Uptime

UPTIME_SECONDS = 10.0
# A process that could not write for as long, could not store notifications either.
SILENT_SECONDS = 30.0
# The platform's retries come at intervals that double: after a silence, the next one comes within as long again. Nobody
# waits longer than this for it.
LONGEST_EXTRA = timedelta(hours=2)
ONLY_ROW = 1


@dataclass
class UptimeBeat:
    """What each server process writes at intervals. It begins anew with the process, and where it could not write."""

    database: Database
    clock: Clock
    _written: float | None = field(default=None, init=False)

    def write(self) -> None:
        began, before = time.monotonic(), self._written
        is_new = before is None or began - before > SILENT_SECONDS
        with self.database.writing() as tx:
            note_uptime(tx, self.clock.now(), is_new=is_new)
        self._written = time.monotonic()


def note_uptime(tx: Transaction, now: datetime, *, is_new: bool) -> None:
    """A server runs. `is_new`: perhaps none did since the last time."""
    found = tx.orm.get(Uptime, ONLY_ROW, with_for_update=True)
    if found is None:
        first = {"id": ONLY_ROW, "silent_from": now, "since": now, "last_at": now}
        insert_new(tx, Uptime, [first], Uptime.id)
        return
    if is_new:
        silence, before = max(now - found.last_at, timedelta()), found.since - found.silent_from
        if now - found.since <= before + timedelta(seconds=SILENT_SECONDS):
            # Another process started just before us, and the platform's retries after that silence still come.
            silence = max(silence, before)
        found.silent_from, found.since = now - silence, now
    found.last_at = max(found.last_at, now)


def doubt_ends(tx: Transaction, called_at: datetime, doubt: timedelta) -> datetime:
    """Until when a status may still tell about a call. After a silence that began before we heard of it, as long
    again as the silence lasted, because the platform's next retry may take that long."""
    uptime = tx.orm.get(Uptime, ONLY_ROW, populate_existing=True)
    if uptime is None or uptime.since <= called_at:
        return called_at + doubt
    return uptime.since + doubt + min(uptime.since - uptime.silent_from, LONGEST_EXTRA)
