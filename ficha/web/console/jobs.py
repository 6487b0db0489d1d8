"""/admin/trabajos: the jobs that wait, and the dead ones, which an administrator tries again or discards."""

from collections.abc import Sequence

from starlette.responses import Response

from ficha.administration.admin_changes import note_change
from ficha.core.errors import NotFound
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Db, Now, Reading
from ficha.jobs.kinds import DeadJob
from ficha.jobs.queue import (
    count_waiting,
    dead_jobs,
    discard_dead,
    failing_kinds,
    oldest_wait,
    retry_dead,
)
from ficha.web.console.sections import MenuSection
from ficha.web.console.staff_access import AdminVisit, StaffVisit
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.lists import PAGE_SIZE, RowAction, RowNumber, code, row_number
from ficha.web.kit.sections import Columns, go_on, list_page, table_of
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "jobs")

section = MenuSection("jobs", PHRASES)
routes, PATH = section.routes, section.path

# A kind, how many of it wait, and how many of these fail.
WAITING: Columns[tuple[str, int, int]] = {
    "kind": lambda _t, one: code(one[0]),
    "jobs_waiting": lambda _t, one: one[1],
    "jobs_failing": lambda _t, one: one[2],
}
DEAD: Columns[DeadJob] = {
    "kind": lambda _t, job: code(job.kind),
    "attempts": lambda _t, job: job.attempts,
    "error": lambda _t, job: code(job.error or "–"),
    "died": lambda _t, job: job.died_at,
}


@routes.page(PATH)
def jobs_page(reading: Reading, visit: StaffVisit, now: Now, cursor: Cursor = None) -> Response:
    t = section.translate(visit)
    counts, failing = count_waiting(reading), failing_kinds(reading, now)
    waiting = [(kind, counts.get(kind, 0), failing.get(kind, 0)) for kind in sorted({*counts, *failing})]
    behind = round(oldest_wait(reading, now).total_seconds())
    found = dead_jobs(reading, limit=PAGE_SIZE + 1, after=row_before(cursor, 0))

    def actions(job: DeadJob) -> Sequence[RowAction]:
        about = f"{job.kind} {job.id}"
        retry_it = RowAction(t("retry"), PATH, about, field="reintentar", value=str(job.id))
        discard_it = RowAction(t("discard"), f"{PATH}/{job.id}/descartar", about)
        return [retry_it, discard_it] if visit.is_admin else ()

    return section.show(
        visit,
        "console/jobs.html",
        title=t("jobs"),
        behind=behind,
        waiting=table_of(t, PATH, WAITING, waiting, "jobs_none"),
        dead=list_page(t, PATH, DEAD, found, "dead_none", cursor, actions=actions),
    )


@routes.post(PATH)
def retry(db: Db, visit: AdminVisit, now: Now, form: PostedForm) -> Response:
    job_id = row_number(form.get("reintentar", ""))
    if not retry_dead(db, job_id):
        return go_on(visit, PATH, "gone")
    note_change(db, visit.actor, "job", job_id, "retried", now)
    return go_on(visit, PATH, "retried")


@routes.page(PATH + "/{job_id}/descartar")
def ask_discard(reading: Reading, visit: AdminVisit, job_id: RowNumber) -> Response:
    found = dead_jobs(reading, limit=1, after=job_id - 1)
    if not found or found[0].id != job_id:
        raise NotFound
    return section.ask(visit, "discard", f"{PATH}/{job_id}/descartar", PATH, id=job_id, kind=found[0].kind)


@routes.post(PATH + "/{job_id}/descartar")
def discard(db: Db, visit: AdminVisit, now: Now, job_id: RowNumber) -> Response:
    found = dead_jobs(db, limit=1, after=job_id - 1)
    if not discard_dead(db, job_id):
        return go_on(visit, PATH, "gone")
    note_change(db, visit.actor, "job", job_id, "discarded", now, before={"kind": found[0].kind})
    return go_on(visit, PATH, "discarded")
