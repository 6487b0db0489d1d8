"""The panels of the sandbox page, each with its data, its template and its side, and the panels of mails and jobs.

Phones are left, the help desk right, mails and jobs below. A new channel brings one panel and one template.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from ficha.channels.mail import FolderMailer
from ficha.jobs.queue import count_waiting, dead_jobs, oldest_wait
from ficha.parts import Parts

MOST_MAILS = 50


@dataclass(frozen=True)
class Panel:
    """`version` is another whenever the panel shows something else."""

    template: str
    side: Literal["left", "right", "below"]
    version: str
    data: Any


@dataclass(frozen=True)
class PanelSource:
    """Makes a panel. `version` is for panels whose version can be found without gathering all their data, given the
    version that was seen last."""

    panel: Callable[[Parts], Panel]
    version: Callable[[Parts, str], str] | None = None

    def version_since(self, parts: Parts, seen: str) -> str:
        return self.panel(parts).version if self.version is None else self.version(parts, seen)


@dataclass(frozen=True)
class JobQueue:
    """How many jobs of each kind wait, how long the oldest has waited, and the dead jobs."""

    waiting: Sequence[tuple[str, int]]
    behind_seconds: int
    dead: Sequence[Any]


def mail_panel(parts: Parts) -> Panel:
    mails = parts.mailer.newest(MOST_MAILS) if isinstance(parts.mailer, FolderMailer) else None
    newest = mails[0].message_id if mails else ""
    return Panel("sandbox/mail.html", "below", newest, mails)


def jobs_panel(parts: Parts) -> Panel:
    now: datetime = parts.clock.now()
    with parts.database.reading() as tx:
        queue = JobQueue(
            sorted(count_waiting(tx).items()),
            round(oldest_wait(tx, now).total_seconds()),
            dead_jobs(tx),
        )
    version = f"{queue.waiting} {[job.id for job in queue.dead]}"
    return Panel("sandbox/jobs.html", "below", version, queue)
