"""/admin/personas: who has an account, and its roles, which an administrator grants and withdraws."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal

from fastapi import Query
from starlette.responses import Response

from ficha.accounts.accounts import Role
from ficha.accounts.people_list import ListedPerson, find_people, listed_person
from ficha.accounts.tokens import MAX_ID
from ficha.administration.roles import GIVEN_ROLES, grant_role, withdraw_role
from ficha.core.errors import NotFound
from ficha.core.transaction import Transaction
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Db, Now, Reading
from ficha.web.console.sections import MenuSection
from ficha.web.console.staff_access import AdminVisit, StaffVisit, Visit
from ficha.web.kit.forms import BadForm, FieldFault, PostedForm
from ficha.web.kit.lists import PAGE_SIZE, Cell, FilterChoice, RowAction, RowNumber, Search, tags
from ficha.web.kit.model_forms import ShownField
from ficha.web.kit.sections import Columns, facts_of, faults_in, go_on, table_of
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "people")

section = MenuSection("people", PHRASES)
routes, PATH = section.routes, section.path

COLUMNS: Columns[ListedPerson] = {
    "number": lambda _t, person: person.id,
    "name": lambda _t, person: Cell(person.nombre, link=f"{PATH}/{person.id}"),
    "correo": lambda _t, person: person.correo,
    "roles": lambda t, person: tags(t(f"role_{role}") for role in person.roles),
    "created": lambda _t, person: person.created_at,
    "sessions": lambda _t, person: person.sessions,
}
FACTS = {name: COLUMNS[name] for name in ("number", "correo", "created", "sessions")}
ROLES: Columns[str] = {"role": lambda t, role: section.word_of(t, "role", role)}


@routes.page(PATH)
def people_page(
    reading: Reading,
    visit: StaffVisit,
    now: Now,
    q: Search = "",
    rol: Annotated[Role | Literal[""], Query()] = "",
    cursor: Cursor = None,
) -> Response:
    before = row_before(cursor, MAX_ID)
    found = find_people(reading, now, search=q, role=Role(rol) if rol else None, before=before, limit=PAGE_SIZE + 1)
    filters = [section.filter(visit, "rol", "role", Role, rol)]
    return section.show_list(visit, COLUMNS, found, cursor, search=q, filters=filters)


@routes.page(PATH + "/{account_id}")
def person_page(reading: Reading, visit: StaffVisit, now: Now, account_id: RowNumber) -> Response:
    return _page(visit, _person(reading, account_id, now))


@routes.post(PATH + "/{account_id}")
def grant(db: Db, visit: AdminVisit, now: Now, account_id: RowNumber, form: PostedForm) -> Response:
    role = form.get("rol", "")
    if role not in GIVEN_ROLES:
        raise BadForm
    _person(db, account_id, now)
    if faults := faults_in(db, "rol", lambda: grant_role(db, account_id, Role(role), visit.actor, now)):
        return _page(visit, _person(db, account_id, now), faults)
    return go_on(visit, f"{PATH}/{account_id}", "granted")


@routes.page(PATH + "/{account_id}/quitar/{role}")
def ask_withdraw(reading: Reading, visit: AdminVisit, now: Now, account_id: RowNumber, role: Role) -> Response:
    person = _person(reading, account_id, now)
    if role not in GIVEN_ROLES or role not in person.roles:
        raise NotFound
    here, called = f"{PATH}/{account_id}", section.translate(visit)(f"role_{role}")
    return section.ask(
        visit, "role_withdraw", f"{here}/quitar/{role}", here, is_final=False, role=called, name=person.nombre
    )


@routes.post(PATH + "/{account_id}/quitar/{role}")
def withdraw(db: Db, visit: AdminVisit, now: Now, account_id: RowNumber, role: Role) -> Response:
    if faults := faults_in(db, "rol", lambda: withdraw_role(db, account_id, role, visit.actor, now)):
        return _page(visit, _person(db, account_id, now), faults)
    return go_on(visit, f"{PATH}/{account_id}", "withdrawn")


def _person(tx: Transaction, account_id: int, now: datetime) -> ListedPerson:
    found = listed_person(tx, account_id, now)
    if found is None:
        raise NotFound
    return found


def _page(visit: Visit, person: ListedPerson, faults: Sequence[FieldFault] = ()) -> Response:
    t, here = section.translate(visit), f"{PATH}/{person.id}"

    def actions(role: str) -> Sequence[RowAction]:
        take_it = RowAction(t("role_withdraw"), f"{here}/quitar/{role}", section.word_of(t, "role", role))
        return [take_it] if visit.is_admin and role in GIVEN_ROLES else ()

    choices = [FilterChoice(role.value, t(f"role_{role}")) for role in GIVEN_ROLES if role not in person.roles]
    return section.show(
        visit,
        "console/person.html",
        faults=faults,
        title=person.nombre,
        facts=facts_of(t, FACTS, person),
        roles=table_of(t, here, ROLES, person.roles, "role_none", actions),
        fields=[ShownField("rol", "choice", t("role"), "", choices=choices)],
        action=here,
        may_change=visit.is_admin and bool(choices),
    )
