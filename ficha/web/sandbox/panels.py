"""The page is made of panels. Each gathers its own data and names its own template and its place.

The phones of the contacts go left, the desk goes right, mail and jobs below. A new channel brings one panel and one
template.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from ficha.channels.mail import FolderMailer
from ficha.jobs.dead_jobs import dead_jobs
from ficha.jobs.queue import count_waiting, oldest_wait
from ficha.parts import Parts

MAILS = 50


@dataclass(frozen=True)
class Panel:
    """`news` changes whenever there is something new to see in it."""

    template: str
    place: Literal["left", "right", "below"]
    news: str
    data: Any


@dataclass(frozen=True)
class Source:
    """Where a panel comes from. `news` is for those that can say more cheaply whether anything changed since the word
    that was seen last; the others are gathered whole."""

    panel: Callable[[Parts], Panel]
    news: Callable[[Parts, str], str] | None = None

    def news_since(self, parts: Parts, seen: str) -> str:
        return self.panel(parts).news if self.news is None else self.news(parts, seen)


@dataclass(frozen=True)
class Queue:
    """The work put aside: what waits, for how long it is behind, and what died."""

    waiting: Sequence[tuple[str, int]]
    behind_seconds: int
    dead: Sequence[Any]


def mail_panel(parts: Parts) -> Panel:
    mails = parts.mailer.newest(MAILS) if isinstance(parts.mailer, FolderMailer) else None
    newest = mails[0].message_id if mails else ""
    return Panel("sandbox/mail.html", "below", newest, mails)


def jobs_panel(parts: Parts) -> Panel:
    now: datetime = parts.clock.now()
    with parts.database.reading() as session:
        queue = Queue(
            sorted(count_waiting(session).items()),
            round(oldest_wait(session, now).total_seconds()),
            dead_jobs(session),
        )
    news = f"{queue.waiting} {[job.id for job in queue.dead]}"
    return Panel("sandbox/jobs.html", "below", news, queue)
