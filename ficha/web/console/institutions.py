"""/admin/instituciones: who enrols others, as staff see it; of each, who works there, whom it enrolled, and the roles
there. Nothing medical."""

from collections.abc import Mapping, Sequence
from typing import Literal

from starlette.responses import Response

from ficha.accounts.accounts import Account
from ficha.core.errors import NotFound
from ficha.core.transaction import Transaction
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Db, Now, Reading
from ficha.institutions.institution import (
    Institution,
    InstitutionFacts,
    InstitutionRole,
    InstitutionWorker,
    give_institution_role,
    institution_with,
    institutions,
    people_of,
    take_institution_role,
)
from ficha.institutions.members import Member, MemberState, members_of
from ficha.web.console.sections import MenuSection
from ficha.web.console.staff_access import AdminVisit, StaffVisit, Visit
from ficha.web.kit.forms import BadForm, FieldFault, PostedForm
from ficha.web.kit.lists import (
    PAGE_SIZE,
    Cell,
    FilterChoice,
    RowAction,
    RowNumber,
    Search,
    SlugPath,
    code,
    row_number,
)
from ficha.web.kit.model_forms import ModelField
from ficha.web.kit.protection_words import protection_words
from ficha.web.kit.sections import Columns, go_on, list_page, table_of
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "institutions")

section = MenuSection("institutions", PHRASES)
routes, PATH = section.routes, section.path

NEW = f"{PATH}/nueva"
Estado = Literal["", "unclaimed", "accepted", "ended"]
GIVEN = (ModelField("cuenta"), ModelField("rol", "choice"))
COLUMNS: Columns[Institution] = {
    "number": lambda _t, each: each.id,
    "name": lambda _t, each: Cell(each.name, link=f"{PATH}/{each.slug}"),
    "slug": lambda _t, each: code(each.slug),
    "is_active": lambda _t, each: each.is_active,
    "created": lambda _t, each: each.created_at,
}
WORKERS: Columns[tuple[Account, InstitutionWorker]] = {
    "name": lambda _t, each: each[0].nombre,
    "correo": lambda _t, each: each[0].correo,
    "role": lambda t, each: t(f"role_{each[1].role}"),
    "created": lambda _t, each: each[1].granted_at,
}
MEMBERS: Columns[Member] = {
    "number": lambda _t, member: member.id,
    "external_id": lambda _t, member: member.external_id or None,
    "state": lambda t, member: section.word_of(t, "member", member.state),
    "invited": lambda _t, member: member.invited_at,
    "created": lambda _t, member: member.created_at,
}


@routes.page(PATH)
def institutions_page(reading: Reading, visit: StaffVisit, q: Search = "", cursor: Cursor = None) -> Response:
    found = institutions(reading, after=row_before(cursor, 0), limit=PAGE_SIZE + 1, search=q)
    return section.show_list(visit, COLUMNS, found, cursor, search=q, new_path=NEW if visit.is_admin else "")


@routes.page(PATH + "/{slug}")
def institution_page(
    reading: Reading, visit: StaffVisit, slug: SlugPath, estado: Estado = "", cursor: Cursor = None
) -> Response:
    return _page(reading, visit, institution_with(reading, slug), {}, estado=estado, cursor=cursor)


@routes.post(PATH + "/{slug}")
def give(db: Db, visit: AdminVisit, now: Now, slug: SlugPath, form: PostedForm) -> Response:
    institution = institution_with(db, slug)
    role = form.get("rol", "")
    try:
        if role not in set(InstitutionRole):
            raise NotFound
        account_id = row_number(form.get("cuenta", "").strip())
        give_institution_role(db, institution, account_id, InstitutionRole(role), visit.actor, now)
    except (BadForm, NotFound):
        fault = FieldFault("cuenta", section.translate(visit)("account_unknown"))
        return _page(db, visit, institution, form, [fault])
    return go_on(visit, f"{PATH}/{slug}", "given")


@routes.page(PATH + "/{slug}/quitar/{account_id}")
def ask_take(reading: Reading, visit: AdminVisit, slug: SlugPath, account_id: RowNumber) -> Response:
    institution = institution_with(reading, slug)
    found = [account.nombre for account, _ in people_of(reading, institution.id) if account.id == account_id]
    if not found:
        raise NotFound
    return section.ask(
        visit,
        "take",
        f"{PATH}/{slug}/quitar/{account_id}",
        f"{PATH}/{slug}",
        label="take_institution_role",
        is_final=False,
        name=found[0],
        institution=institution.name,
    )


@routes.post(PATH + "/{slug}/quitar/{account_id}")
def take(db: Db, visit: AdminVisit, now: Now, slug: SlugPath, account_id: RowNumber) -> Response:
    take_institution_role(db, institution_with(db, slug), account_id, visit.actor, now)
    return go_on(visit, f"{PATH}/{slug}", "taken")


def _page(
    tx: Transaction,
    visit: Visit,
    institution: InstitutionFacts,
    texts: Mapping[str, str],
    faults: Sequence[FieldFault] = (),
    *,
    estado: Estado = "",
    cursor: str | None = None,
) -> Response:
    t, here = section.translate(visit), f"{PATH}/{institution.slug}"
    state = MemberState(estado) if estado else None
    found = members_of(tx, institution.id, after=row_before(cursor, 0), limit=PAGE_SIZE + 1, state=state)
    filters = [section.filter(visit, "estado", "state", MemberState, estado, "member")]
    roles = [FilterChoice(role.value, t(f"role_{role}")) for role in InstitutionRole]

    def actions(worker: tuple[Account, InstitutionWorker]) -> Sequence[RowAction]:
        account, _ = worker
        take_it = RowAction(t("take_institution_role"), f"{here}/quitar/{account.id}", account.nombre)
        return [take_it] if visit.is_admin else ()

    return section.show(
        visit,
        "console/institution.html",
        faults=faults,
        title=institution.name,
        institution=institution,
        protection=protection_words(tx, visit.request, institution.id),
        workers=table_of(t, here, WORKERS, people_of(tx, institution.id), "workers_none", actions),
        members=list_page(t, here, MEMBERS, found, "members_none", cursor, filters=filters),
        fields=section.fields(visit, GIVEN, {"rol": InstitutionRole.STAFF, **texts}, {"rol": roles}),
        action=here,
        may_change=visit.is_admin,
    )
