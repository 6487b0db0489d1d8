"""/admin: how much waits for somebody, the most urgent first."""

from datetime import timedelta
from typing import NamedTuple

from starlette.responses import Response

from ficha.accounts.tokens import MAX_ID
from ficha.emergencies.staff_queue import count_live
from ficha.http.alarms import find_alarms
from ficha.http.dependencies import Now, Reading
from ficha.jobs.queue import count_waiting, dead_jobs
from ficha.products.decoys import raised_alarms
from ficha.web.console.sections import MenuSection
from ficha.web.console.staff_access import StaffVisit
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "home")

section = MenuSection("home", PHRASES)
routes = section.routes

LATELY = timedelta(hours=24)
# More than this is not counted: whoever sees it looks anyway.
MOST_COUNTED = 100


class Queue(NamedTuple):
    """`waits`: whether somebody should look now. Jobs that merely wait are done by themselves."""

    name: str
    path: str
    number: str
    waits: bool


@routes.page(section.path)
def home_page(reading: Reading, visit: StaffVisit, now: Now) -> Response:
    emergencies = count_live(reading)
    alarms = len(find_alarms(reading, now))
    dead = len(dead_jobs(reading, limit=MOST_COUNTED))
    raised = raised_alarms(reading, before=MAX_ID, limit=MOST_COUNTED)
    waiting = sum(count_waiting(reading).values())
    guessing = sum(alarm.at > now - LATELY for alarm in raised)
    queues = [
        _queue("home_emergencies", "/admin/emergencias", emergencies),
        _queue("home_service_alarms", "/admin/alarmas", alarms),
        _queue("home_guessing", "/admin/alarmas", guessing),
        _queue("home_dead_jobs", "/admin/trabajos", dead),
        Queue("home_waiting_jobs", "/admin/trabajos", str(waiting), waits=False),
    ]
    return section.show(visit, "console/home.html", title=section.translate(visit)("home"), queues=queues)


def _queue(name: str, path: str, count: int) -> Queue:
    return Queue(name, path, f"{count}+" if count == MOST_COUNTED else str(count), waits=count > 0)
