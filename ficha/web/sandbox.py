"""The sandbox: what would have reached people, kept here instead. Development only.

The page is made of panels. Each gathers its own data and names its own template and its place: the phones of the
contacts go left, the desk goes right, mail and jobs below. A new channel brings one panel and one template.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Literal

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ficha.channels.mail import FolderMailer
from ficha.core.errors import NotFound
from ficha.http.deps import Parts as AskedParts
from ficha.jobs.letters import dead_letters, oldest_wait, waiting
from ficha.parts import Parts
from ficha.web.phrases.sandbox import PHRASES
from ficha.web.rendering import show

router = APIRouter(include_in_schema=False)

MAILS = 50


@dataclass(frozen=True)
class Panel:
    """`news` changes whenever there is something new to see in it."""

    template: str
    place: Literal["left", "right", "below"]
    news: str
    data: Any


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
            sorted(waiting(session).items()),
            round(oldest_wait(session, now).total_seconds()),
            dead_letters(session),
        )
    news = f"{queue.waiting} {[letter.id for letter in queue.dead]}"
    return Panel("sandbox/jobs.html", "below", news, queue)


PANELS: tuple[Callable[[Parts], Panel], ...] = (mail_panel, jobs_panel)


@router.api_route("/sandbox", methods=["GET", "HEAD"])
def sandbox_page(request: Request, parts: AskedParts) -> Response:
    panels = _panels(parts)
    return show(request, "sandbox/page.html", PHRASES, calls_us=True, panels=panels, news=_news(panels))


@router.api_route("/sandbox/news", methods=["GET", "HEAD"])
def sandbox_news(parts: AskedParts) -> Response:
    """One word that changes when there is something new: the page's script asks for it now and then."""
    return JSONResponse({"news": _news(_panels(parts))})


def _panels(parts: Parts) -> list[Panel]:
    if parts.settings.in_production:
        raise NotFound
    return [panel(parts) for panel in PANELS]


def _news(panels: list[Panel]) -> str:
    return sha256("\n".join(panel.news for panel in panels).encode()).hexdigest()[:16]
