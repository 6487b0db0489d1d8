"""/admin/trabajos: the jobs that wait, and the dead ones, which an administrator tries again or discards."""

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response

from ficha.administration.admin_changes import note_change
from ficha.core.errors import NotFound
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Db, Now, Reading
from ficha.jobs.dead_jobs import dead_jobs, discard_dead, retry_dead
from ficha.jobs.kinds import DeadJob
from ficha.jobs.queue import count_waiting, failing_kinds, oldest_wait
from ficha.web.console.door import AdminVisit, StaffVisit
from ficha.web.console.frame import go_on, show_console, translate_for
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.language import Translate
from ficha.web.kit.lists import PAGE_SIZE, Cell, Row, RowAction, RowNumber, Table, code, moment, page_of, row_number
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "jobs")

routes = signed_in_routes()

PATH = "/admin/trabajos"


@routes.page(PATH)
def jobs_page(request: Request, reading: Reading, visit: StaffVisit, now: Now, cursor: Cursor = None) -> Response:
    t = translate_for(request, PHRASES)
    counts, failing = count_waiting(reading), failing_kinds(reading, now)
    behind = round(oldest_wait(reading, now).total_seconds())
    found = dead_jobs(reading, limit=PAGE_SIZE + 1, after=row_before(cursor, 0))
    return show_console(
        request,
        visit,
        "console/jobs.html",
        "jobs",
        PHRASES,
        title=t("jobs"),
        behind=behind,
        waiting=_waiting(t, counts, failing),
        dead=page_of(
            t,
            PATH,
            ("kind", "attempts", "error", "died"),
            found,
            lambda job: _dead(t, job, may_change=visit.is_admin),
            "dead_none",
            cursor,
        ),
    )


@routes.post(PATH)
def retry(request: Request, db: Db, visit: AdminVisit, now: Now, form: PostedForm) -> Response:
    job_id = row_number(form.get("reintentar", ""))
    if not retry_dead(db, job_id):
        return go_on(request, PATH, "gone")
    note_change(db, visit.actor, "job", job_id, "retried", now)
    return go_on(request, PATH, "retried")


@routes.page(PATH + "/{job_id}/descartar")
def ask_discard(request: Request, reading: Reading, visit: AdminVisit, job_id: RowNumber) -> Response:
    found = dead_jobs(reading, limit=1, after=job_id - 1)
    if not found or found[0].id != job_id:
        raise NotFound
    t = translate_for(request, PHRASES)
    return show_console(
        request,
        visit,
        "console/confirm.html",
        "jobs",
        PHRASES,
        title=t("discard_ask", id=job_id, kind=found[0].kind),
        how=t("discard_how"),
        is_final=True,
        action=f"{PATH}/{job_id}/descartar",
        label=t("discard"),
        back=PATH,
    )


@routes.post(PATH + "/{job_id}/descartar")
def discard(request: Request, db: Db, visit: AdminVisit, now: Now, job_id: RowNumber) -> Response:
    found = dead_jobs(db, limit=1, after=job_id - 1)
    if not discard_dead(db, job_id):
        return go_on(request, PATH, "gone")
    note_change(db, visit.actor, "job", job_id, "discarded", now, before={"kind": found[0].kind})
    return go_on(request, PATH, "discarded")


def _waiting(t: Translate, counts: Mapping[str, int], failing: Mapping[str, int]) -> Table:
    rows = [
        Row([code(kind), Cell(str(counts.get(kind, 0))), Cell(str(failing.get(kind, 0)))])
        for kind in sorted({*counts, *failing})
    ]
    return Table(PATH, [t(key) for key in ("kind", "jobs_waiting", "jobs_failing")], rows, t("jobs_none"))


def _dead(t: Translate, job: DeadJob, *, may_change: bool) -> Row:
    about = f"{job.kind} {job.id}"
    actions = [
        RowAction(t("retry"), PATH, about, field="reintentar", value=str(job.id)),
        RowAction(t("discard"), f"{PATH}/{job.id}/descartar", about),
    ]
    cells = [code(job.kind), Cell(str(job.attempts)), code(job.error or "–"), moment(job.died_at)]
    return Row(cells, actions if may_change else ())
