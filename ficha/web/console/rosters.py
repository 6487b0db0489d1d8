"""/admin/instituciones/{slug}/nominas: a roster is uploaded, tried, and imported once somebody agrees; and dudas: rows
that may be about somebody who is enrolled, about which a person decides."""

from collections.abc import Sequence
from typing import Any

from starlette.responses import Response

from ficha.accounts.tokens import MAX_ID
from ficha.core.errors import NotFound
from ficha.core.transaction import Transaction
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Db, Now, Reading
from ficha.http.dependencies import Parts as AskedParts
from ficha.institutions.institution import InstitutionFacts, institution_with
from ficha.institutions.person_to_enrol import EnrolContext
from ficha.institutions.roster_doubts import SENTENCES, WaitingDoubt, decide_doubt, waiting_doubts
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
from ficha.web.console.institutions import PATH
from ficha.web.console.sections import Columns, MenuSection, go_on, list_page, table_of
from ficha.web.console.staff_access import AdminVisit, Visit
from ficha.web.kit.forms import BadForm, FieldFault, PostedForm, PostedUpload
from ficha.web.kit.lists import PAGE_SIZE, Cell, RowAction, RowNumber, SlugPath, code
from ficha.web.kit.texts import page_texts

DOUBT_PHRASES = page_texts("console", "institutions")
PHRASES = page_texts("console", "rosters")


section, doubts_section = MenuSection("institutions", PHRASES), MenuSection("institutions", DOUBT_PHRASES)
routes = section.routes

# A page that shows how far it is comes again by itself, without a script, after so many seconds.
AGAIN_AFTER = "3"
OUTCOMES = ("created", "changed", "unchanged", "doubtful", "refused")
ROWS: Columns[dict[str, Any]] = {
    "row": lambda _t, row: row["row"],
    "external_id": lambda _t, row: code(row["external_id"] or "–"),
    "outcome": lambda t, row: t(f"row_{row['outcome']}"),
    "why": lambda _t, row: " · ".join(row["reasons"]),
}
DOUBTS: Columns[WaitingDoubt] = {
    "row": lambda _t, doubt: doubt.row_number,
    "external_id": lambda _t, doubt: code(doubt.person.external_id),
    "enrolled_as": lambda _t, doubt: code(doubt.member_external_id or "–"),
    "why": lambda _t, doubt: SENTENCES[doubt.reason],
    "created": lambda _t, doubt: doubt.created_at,
}


@routes.page(PATH + "/{slug}/nominas")
def rosters_page(reading: Reading, visit: AdminVisit, slug: SlugPath, cursor: Cursor = None) -> Response:
    return _list(reading, visit, institution_with(reading, slug), cursor)


@routes.post(PATH + "/{slug}/nominas", takes_files=True)
def add(db: Db, parts: AskedParts, visit: AdminVisit, now: Now, slug: SlugPath, form: PostedUpload) -> Response:
    institution = institution_with(db, slug)
    try:
        upload = add_upload(db, institution, form.files.get("nomina", b""), visit.actor, parts.keyring, now)
    except RosterEmpty as empty:
        return _list(db, visit, institution, None, [FieldFault("nomina", empty.message)])
    return go_on(visit, f"{PATH}/{slug}/nominas/{upload.id}")


@routes.page(PATH + "/{slug}/nominas/{upload_id}")
def roster_page(
    reading: Reading, parts: AskedParts, visit: AdminVisit, slug: SlugPath, upload_id: RowNumber
) -> Response:
    institution = institution_with(reading, slug)
    upload = upload_with(reading, institution.id, upload_id)
    t, told = section.translate(visit), told_of(upload, parts.secrets)
    here = f"{PATH}/{slug}/nominas/{upload_id}"
    response = section.show(
        visit,
        "console/roster.html",
        title=t("roster_title", id=upload_id, institution=institution.name),
        upload=upload,
        state=t(f"state_{upload.state}"),
        counts=[(t(f"outcome_{name}"), upload.counts.get(name, 0)) for name in OUTCOMES] if upload.counts else [],
        ignored=", ".join(told["ignored_columns"]),
        rows=table_of(t, here, ROWS, told["told"], "rows_none"),
        may_agree=upload.state == RosterState.CHECKED,
        action=here,
        doubts=f"{PATH}/{slug}/dudas",
        back=f"{PATH}/{slug}/nominas",
    )
    if upload.is_running:
        response.headers["Refresh"] = AGAIN_AFTER
    return response


@routes.post(PATH + "/{slug}/nominas/{upload_id}")
def agree_to(db: Db, visit: AdminVisit, now: Now, slug: SlugPath, upload_id: RowNumber) -> Response:
    agree(db, institution_with(db, slug), upload_id, visit.actor, now)
    return go_on(visit, f"{PATH}/{slug}/nominas/{upload_id}")


def _list(
    tx: Transaction,
    visit: Visit,
    institution: InstitutionFacts,
    cursor: str | None,
    faults: Sequence[FieldFault] = (),
) -> Response:
    t, here = section.translate(visit), f"{PATH}/{institution.slug}/nominas"
    found = uploads_of(tx, institution.id, before=row_before(cursor, MAX_ID), limit=PAGE_SIZE + 1)
    uploads: Columns[RosterUpload] = {
        "number": lambda _t, upload: Cell(str(upload.id), link=f"{here}/{upload.id}"),
        "state": lambda t, upload: t(f"state_{upload.state}"),
        "rows": lambda _t, upload: f"{upload.done} / {upload.rows}",
        "created": lambda _t, upload: upload.created_at,
        "ended": lambda _t, upload: upload.ended_at,
    }
    return section.show(
        visit,
        "console/rosters.html",
        faults=faults,
        title=t("rosters_of", institution=institution.name),
        table=list_page(t, here, uploads, found, "rosters_none", cursor),
        action=here,
        back=f"{PATH}/{institution.slug}",
    )


@routes.page(PATH + "/{slug}/dudas")
def doubts_page(
    reading: Reading, parts: AskedParts, visit: AdminVisit, slug: SlugPath, cursor: Cursor = None
) -> Response:
    institution, t = institution_with(reading, slug), doubts_section.translate(visit)
    here = f"{PATH}/{slug}/dudas"
    after = row_before(cursor, 0)
    found = waiting_doubts(reading, institution.id, parts.secrets, after=after, limit=PAGE_SIZE + 1)
    return doubts_section.show_list(
        visit,
        DOUBTS,
        found,
        cursor,
        what="doubts",
        path=here,
        lead={"institution": institution.name},
        actions=lambda doubt: [RowAction(t("decide"), f"{here}/{doubt.id}", doubt.person.external_id)],
    )


@routes.page(PATH + "/{slug}/dudas/{doubt_id}")
def doubt_page(reading: Reading, parts: AskedParts, visit: AdminVisit, slug: SlugPath, doubt_id: RowNumber) -> Response:
    """Asks, since what is decided stays decided."""
    institution = institution_with(reading, slug)
    found = waiting_doubts(reading, institution.id, parts.secrets, after=doubt_id - 1, limit=1)
    if not found or found[0].id != doubt_id:
        raise NotFound
    return doubts_section.show(
        visit,
        "console/doubt.html",
        title=doubts_section.translate(visit)("doubt_title", row=found[0].row_number),
        doubt=found[0],
        why=SENTENCES[found[0].reason],
        action=f"{PATH}/{slug}/dudas/{doubt_id}",
        back=f"{PATH}/{slug}/dudas",
    )


@routes.post(PATH + "/{slug}/dudas/{doubt_id}")
def decide(
    db: Db, parts: AskedParts, visit: AdminVisit, now: Now, slug: SlugPath, doubt_id: RowNumber, form: PostedForm
) -> Response:
    institution = institution_with(db, slug)
    said = form.get("es", "")
    if said not in ("misma", "otra"):
        raise BadForm
    is_same = said == "misma"
    context = EnrolContext(institution, parts.keyring, parts.secrets, now)
    made = decide_doubt(db, context, doubt_id, visit.actor, is_same=is_same)
    return go_on(visit, f"{PATH}/{slug}/dudas", "decided" if made else "not_enrolled")
