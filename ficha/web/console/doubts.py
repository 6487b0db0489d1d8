"""/admin/instituciones/{slug}/dudas: rows of rosters that may be about somebody who is enrolled; a person decides."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.core.errors import NotFound
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Db, Now, Reading
from ficha.http.dependencies import Parts as AskedParts
from ficha.institutions.institution import institution_with
from ficha.institutions.roster_doubts import SENTENCES, decide_doubt, waiting_doubts
from ficha.web.console.door import AdminVisit
from ficha.web.console.frame import go_on, show_console, show_list, translate_for
from ficha.web.console.institutions import PATH
from ficha.web.kit.forms import BadForm, PostedForm
from ficha.web.kit.lists import PAGE_SIZE, Cell, Row, RowAction, RowNumber, SlugPath, code, moment, page_of
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "institutions")

routes = signed_in_routes()

COLUMNS = ("row", "external_id", "enrolled_as", "why", "created")


@routes.page(PATH + "/{slug}/dudas")
def doubts_page(
    request: Request, reading: Reading, parts: AskedParts, visit: AdminVisit, slug: SlugPath, cursor: Cursor = None
) -> Response:
    institution = institution_with(reading, slug)
    t = translate_for(request, PHRASES)
    here = f"{PATH}/{slug}/dudas"
    after = row_before(cursor, 0)
    found = waiting_doubts(reading, institution.id, parts.secrets, after=after, limit=PAGE_SIZE + 1)
    table = page_of(
        t,
        here,
        COLUMNS,
        found,
        lambda doubt: Row(
            [
                Cell(str(doubt.row_number)),
                code(doubt.person.external_id),
                code(doubt.member_external_id or "–"),
                Cell(SENTENCES[doubt.reason]),
                moment(doubt.created_at),
            ],
            [RowAction(t("decide"), f"{here}/{doubt.id}", doubt.person.external_id)],
        ),
        "doubts_none",
        cursor,
    )
    lead = t("doubts_lead", institution=institution.name)
    return show_list(request, visit, "institutions", PHRASES, table, title=t("doubts"), lead=lead)


@routes.page(PATH + "/{slug}/dudas/{doubt_id}")
def doubt_page(
    request: Request, reading: Reading, parts: AskedParts, visit: AdminVisit, slug: SlugPath, doubt_id: RowNumber
) -> Response:
    """Asks, since what is decided stays decided."""
    institution = institution_with(reading, slug)
    found = waiting_doubts(reading, institution.id, parts.secrets, after=doubt_id - 1, limit=1)
    if not found or found[0].id != doubt_id:
        raise NotFound
    return show_console(
        request,
        visit,
        "console/doubt.html",
        "institutions",
        PHRASES,
        title=translate_for(request, PHRASES)("doubt_title", row=found[0].row_number),
        doubt=found[0],
        why=SENTENCES[found[0].reason],
        action=f"{PATH}/{slug}/dudas/{doubt_id}",
        back=f"{PATH}/{slug}/dudas",
    )


@routes.post(PATH + "/{slug}/dudas/{doubt_id}")
def decide(
    request: Request,
    db: Db,
    parts: AskedParts,
    visit: AdminVisit,
    now: Now,
    slug: SlugPath,
    doubt_id: RowNumber,
    form: PostedForm,
) -> Response:
    institution = institution_with(db, slug)
    said = form.get("es", "")
    if said not in ("misma", "otra"):
        raise BadForm
    is_same = said == "misma"
    made = decide_doubt(db, institution, doubt_id, visit.actor, parts.keyring, parts.secrets, now, is_same=is_same)
    return go_on(request, f"{PATH}/{slug}/dudas", "decided" if made else "not_enrolled")
