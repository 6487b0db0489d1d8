"""/admin/instituciones/{slug}: who works there, whom it enrolled, and roles there. Nothing medical."""

from collections.abc import Mapping, Sequence
from typing import Literal

from starlette.requests import Request
from starlette.responses import Response

from ficha.core.errors import NotFound
from ficha.core.transaction import Transaction
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Db, Now, Reading
from ficha.institutions.institution import InstitutionFacts, institution_with
from ficha.institutions.institution_roles import PlaceRole, give_place, people_of, take_place
from ficha.institutions.members import Member, MemberState, members_of
from ficha.web.console.door import AdminVisit, StaffVisit, Visit
from ficha.web.console.frame import go_on, show_console, translate_for, word_of
from ficha.web.console.institutions import PATH
from ficha.web.kit.forms import BadForm, FieldFault, PostedForm
from ficha.web.kit.language import Translate
from ficha.web.kit.lists import (
    PAGE_SIZE,
    Cell,
    FilterChoice,
    Row,
    RowAction,
    RowNumber,
    SlugPath,
    Table,
    filter_of,
    moment,
    page_of,
    row_number,
)
from ficha.web.kit.model_forms import ShownField
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "institutions")

routes = signed_in_routes()

Estado = Literal["", "unclaimed", "accepted", "ended"]


@routes.page(PATH + "/{slug}")
def institution_page(
    request: Request,
    reading: Reading,
    visit: StaffVisit,
    slug: SlugPath,
    estado: Estado = "",
    cursor: Cursor = None,
) -> Response:
    return _page(request, reading, visit, institution_with(reading, slug), estado=estado, cursor=cursor)


@routes.post(PATH + "/{slug}")
def give(request: Request, db: Db, visit: AdminVisit, now: Now, slug: SlugPath, form: PostedForm) -> Response:
    institution = institution_with(db, slug)
    role = form.get("rol", "")
    try:
        if role not in set(PlaceRole):
            raise NotFound
        account_id = row_number(form.get("cuenta", "").strip())
        give_place(db, institution, account_id, PlaceRole(role), visit.actor, now)
    except (BadForm, NotFound):
        fault = FieldFault("cuenta", translate_for(request, PHRASES)("account_unknown"))
        return _page(request, db, visit, institution, texts=form, faults=[fault])
    return go_on(request, f"{PATH}/{slug}", "given")


@routes.page(PATH + "/{slug}/quitar/{account_id}")
def ask_take(request: Request, reading: Reading, visit: AdminVisit, slug: SlugPath, account_id: RowNumber) -> Response:
    institution = institution_with(reading, slug)
    found = [account.nombre for account, _ in people_of(reading, institution.id) if account.id == account_id]
    if not found:
        raise NotFound
    t = translate_for(request, PHRASES)
    return show_console(
        request,
        visit,
        "console/confirm.html",
        "institutions",
        PHRASES,
        title=t("take_ask", name=found[0], institution=institution.name),
        how=t("take_how"),
        is_final=False,
        action=f"{PATH}/{slug}/quitar/{account_id}",
        label=t("take_place"),
        back=f"{PATH}/{slug}",
    )


@routes.post(PATH + "/{slug}/quitar/{account_id}")
def take(request: Request, db: Db, visit: AdminVisit, now: Now, slug: SlugPath, account_id: RowNumber) -> Response:
    take_place(db, institution_with(db, slug), account_id, visit.actor, now)
    return go_on(request, f"{PATH}/{slug}", "taken")


def _page(
    request: Request,
    tx: Transaction,
    visit: Visit,
    institution: InstitutionFacts,
    *,
    estado: Estado = "",
    cursor: str | None = None,
    texts: Mapping[str, str] | None = None,
    faults: Sequence[FieldFault] = (),
) -> Response:
    t = translate_for(request, PHRASES)
    here = f"{PATH}/{institution.slug}"
    state = MemberState(estado) if estado else None
    found = members_of(tx, institution.id, after=row_before(cursor, 0), limit=PAGE_SIZE + 1, state=state)
    return show_console(
        request,
        visit,
        "console/institution.html",
        "institutions",
        PHRASES,
        status=422 if faults else 200,
        title=institution.name,
        institution=institution,
        workers=_workers(t, tx, institution, may_change=visit.is_admin),
        members=page_of(
            t,
            here,
            ("number", "external_id", "state", "invited", "created"),
            found,
            lambda member: _member(t, member),
            "members_none",
            cursor,
            filters=[filter_of(t, "estado", "state", MemberState, estado, "member")],
        ),
        fields=_fields(t, texts or {}),
        faults=faults,
        action=here,
        may_change=visit.is_admin,
    )


def _workers(t: Translate, tx: Transaction, institution: InstitutionFacts, *, may_change: bool) -> Table:
    here = f"{PATH}/{institution.slug}"
    rows = []
    for account, place in people_of(tx, institution.id):
        cells = [Cell(account.nombre), Cell(account.correo), Cell(t(f"place_{place.role}")), moment(place.granted_at)]
        take_it = RowAction(t("take_place"), f"{here}/quitar/{account.id}", account.nombre)
        rows.append(Row(cells, [take_it] if may_change else ()))
    return Table(here, [t(key) for key in ("name", "correo", "role", "created")], rows, t("workers_none"))


def _member(t: Translate, member: Member) -> Row:
    state = word_of(t, PHRASES, "member", member.state)
    name = member.external_id or "–"
    return Row([Cell(str(member.id)), Cell(name), Cell(state), moment(member.invited_at), moment(member.created_at)])


def _fields(t: Translate, texts: Mapping[str, str]) -> list[ShownField]:
    roles = [FilterChoice(role.value, t(f"place_{role}")) for role in PlaceRole]
    return [
        ShownField("cuenta", "text", t("field_cuenta"), texts.get("cuenta", ""), t("hint_cuenta")),
        ShownField("rol", "choice", t("field_rol"), texts.get("rol", PlaceRole.STAFF), choices=roles),
    ]
