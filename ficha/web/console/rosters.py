"""/admin/instituciones/{slug}/nominas: a roster is uploaded, tried, and imported once somebody agrees."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.tokens import MAX_ID
from ficha.core.transaction import Transaction
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Db, Now, Reading
from ficha.http.dependencies import Parts as AskedParts
from ficha.institutions.institution import InstitutionFacts, institution_with
from ficha.institutions.roster_uploads import (
    RosterEmpty,
    RosterState,
    RosterUpload,
    add_upload,
    agree,
    told_of,
    upload_with,
    uploads_of,
)
from ficha.web.console.door import AdminVisit, Visit
from ficha.web.console.frame import go_on, show_console, translate_for
from ficha.web.console.institutions import PATH
from ficha.web.kit.forms import FieldFault
from ficha.web.kit.language import Translate
from ficha.web.kit.lists import PAGE_SIZE, Cell, Row, RowNumber, SlugPath, Table, code, moment, page_of
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.kit.uploads import PostedUpload

PHRASES = page_texts("console", "rosters")

routes = signed_in_routes()

# A page that shows how far it is comes again by itself, without a script, after so many seconds.
AGAIN_AFTER = "3"
OUTCOMES = ("created", "changed", "unchanged", "doubtful", "refused")


@routes.page(PATH + "/{slug}/nominas")
def rosters_page(
    request: Request, reading: Reading, visit: AdminVisit, slug: SlugPath, cursor: Cursor = None
) -> Response:
    return _list(request, reading, visit, institution_with(reading, slug), cursor)


@routes.post(PATH + "/{slug}/nominas", takes_files=True)
def add(
    request: Request, db: Db, parts: AskedParts, visit: AdminVisit, now: Now, slug: SlugPath, form: PostedUpload
) -> Response:
    institution = institution_with(db, slug)
    try:
        upload = add_upload(db, institution, form.files.get("nomina", b""), visit.actor, parts.keyring, now)
    except RosterEmpty as empty:
        return _list(request, db, visit, institution, None, [FieldFault("nomina", empty.message)])
    return go_on(request, f"{PATH}/{slug}/nominas/{upload.id}", "")


@routes.page(PATH + "/{slug}/nominas/{upload_id}")
def roster_page(
    request: Request, reading: Reading, parts: AskedParts, visit: AdminVisit, slug: SlugPath, upload_id: RowNumber
) -> Response:
    institution = institution_with(reading, slug)
    upload = upload_with(reading, institution.id, upload_id)
    t = translate_for(request, PHRASES)
    told = told_of(upload, parts.secrets)
    here = f"{PATH}/{slug}/nominas/{upload_id}"
    rows = [
        Row(
            [
                Cell(str(row["row"])),
                code(row["external_id"] or "–"),
                Cell(t(f"row_{row['outcome']}")),
                Cell(" · ".join(row["reasons"])),
            ]
        )
        for row in told["told"]
    ]
    response = show_console(
        request,
        visit,
        "console/roster.html",
        "institutions",
        PHRASES,
        title=t("roster_title", id=upload_id, institution=institution.name),
        upload=upload,
        state=t(f"state_{upload.state}"),
        counts=[(t(f"outcome_{name}"), upload.counts.get(name, 0)) for name in OUTCOMES] if upload.counts else [],
        ignored=", ".join(told["ignored_columns"]),
        rows=Table(here, [t(key) for key in ("row", "external_id", "outcome", "why")], rows, t("rows_none")),
        may_agree=upload.state == RosterState.CHECKED,
        action=here,
        doubts=f"{PATH}/{slug}/dudas",
        back=f"{PATH}/{slug}/nominas",
    )
    if upload.is_running:
        response.headers["Refresh"] = AGAIN_AFTER
    return response


@routes.post(PATH + "/{slug}/nominas/{upload_id}")
def agree_to(request: Request, db: Db, visit: AdminVisit, now: Now, slug: SlugPath, upload_id: RowNumber) -> Response:
    agree(db, institution_with(db, slug), upload_id, visit.actor, now)
    return go_on(request, f"{PATH}/{slug}/nominas/{upload_id}", "")


def _list(
    request: Request,
    tx: Transaction,
    visit: Visit,
    institution: InstitutionFacts,
    cursor: str | None,
    faults: Sequence[FieldFault] = (),
) -> Response:
    t = translate_for(request, PHRASES)
    here = f"{PATH}/{institution.slug}/nominas"
    found = uploads_of(tx, institution.id, before=row_before(cursor, MAX_ID), limit=PAGE_SIZE + 1)
    return show_console(
        request,
        visit,
        "console/rosters.html",
        "institutions",
        PHRASES,
        status=422 if faults else 200,
        title=t("rosters_of", institution=institution.name),
        table=page_of(
            t,
            here,
            ("number", "state", "rows", "created", "ended"),
            found,
            lambda upload: _row(t, here, upload),
            "rosters_none",
            cursor,
        ),
        faults=faults,
        action=here,
        back=f"{PATH}/{institution.slug}",
    )


def _row(t: Translate, here: str, upload: RosterUpload) -> Row:
    return Row(
        [
            Cell(str(upload.id), link=f"{here}/{upload.id}"),
            Cell(t(f"state_{upload.state}")),
            Cell(f"{upload.done} / {upload.rows}"),
            moment(upload.created_at),
            moment(upload.ended_at),
        ]
    )
