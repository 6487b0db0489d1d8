"""/admin/personas/{number}: one account, whose roles an administrator grants and withdraws. Nothing of a record."""

from collections.abc import Sequence
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Role
from ficha.accounts.people_list import ListedPerson, listed_person
from ficha.administration.roles import GIVEN_ROLES, grant_role, withdraw_role
from ficha.core.errors import NotFound
from ficha.core.transaction import Transaction
from ficha.http.dependencies import Db, Now, Reading
from ficha.web.console.door import AdminVisit, StaffVisit, Visit
from ficha.web.console.forms import faults_in
from ficha.web.console.frame import go_on, show_console, translate_for, word_of
from ficha.web.console.people import PATH
from ficha.web.kit.forms import BadForm, FieldFault, PostedForm
from ficha.web.kit.lists import Cell, FilterChoice, Row, RowAction, RowNumber, Table, moment
from ficha.web.kit.model_forms import ShownField
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "people")

routes = signed_in_routes()


@routes.page(PATH + "/{account_id}")
def person_page(request: Request, reading: Reading, visit: StaffVisit, now: Now, account_id: RowNumber) -> Response:
    return _page(request, visit, _person(reading, account_id, now))


@routes.post(PATH + "/{account_id}")
def grant(request: Request, db: Db, visit: AdminVisit, now: Now, account_id: RowNumber, form: PostedForm) -> Response:
    role = _role(form.get("rol", ""))
    _person(db, account_id, now)
    if faults := faults_in(db, "rol", lambda: grant_role(db, account_id, role, visit.actor, now)):
        return _page(request, visit, _person(db, account_id, now), faults)
    return go_on(request, f"{PATH}/{account_id}", "granted")


@routes.page(PATH + "/{account_id}/quitar/{role}")
def ask_withdraw(
    request: Request, reading: Reading, visit: AdminVisit, now: Now, account_id: RowNumber, role: Role
) -> Response:
    person = _person(reading, account_id, now)
    if role not in GIVEN_ROLES or role not in person.roles:
        raise NotFound
    t = translate_for(request, PHRASES)
    here = f"{PATH}/{account_id}"
    return show_console(
        request,
        visit,
        "console/confirm.html",
        "people",
        PHRASES,
        title=t("role_withdraw_ask", role=t(f"role_{role}"), name=person.nombre),
        how=t("role_withdraw_how"),
        is_final=False,
        action=f"{here}/quitar/{role}",
        label=t("role_withdraw"),
        back=here,
    )


@routes.post(PATH + "/{account_id}/quitar/{role}")
def withdraw(request: Request, db: Db, visit: AdminVisit, now: Now, account_id: RowNumber, role: Role) -> Response:
    if faults := faults_in(db, "rol", lambda: withdraw_role(db, account_id, role, visit.actor, now)):
        return _page(request, visit, _person(db, account_id, now), faults)
    return go_on(request, f"{PATH}/{account_id}", "withdrawn")


def _person(tx: Transaction, account_id: int, now: datetime) -> ListedPerson:
    found = listed_person(tx, account_id, now)
    if found is None:
        raise NotFound
    return found


def _role(text: str) -> Role:
    """Raises BadForm."""
    if text not in GIVEN_ROLES:
        raise BadForm
    return Role(text)


def _page(request: Request, visit: Visit, person: ListedPerson, faults: Sequence[FieldFault] = ()) -> Response:
    t = translate_for(request, PHRASES)
    here = f"{PATH}/{person.id}"
    rows = []
    for role in person.roles:
        action = RowAction(t("role_withdraw"), f"{here}/quitar/{role}", word_of(t, PHRASES, "role", role))
        can_be_taken = visit.is_admin and role in GIVEN_ROLES
        rows.append(Row([Cell(word_of(t, PHRASES, "role", role))], [action] if can_be_taken else ()))
    choices = [FilterChoice(role.value, t(f"role_{role}")) for role in GIVEN_ROLES if role not in person.roles]
    return show_console(
        request,
        visit,
        "console/person.html",
        "people",
        PHRASES,
        status=422 if faults else 200,
        title=person.nombre,
        facts=[
            (t("number"), Cell(str(person.id))),
            (t("correo"), Cell(person.correo)),
            (t("created"), moment(person.created_at)),
            (t("sessions"), Cell(str(person.sessions))),
        ],
        roles=Table(here, [t("role")], rows, t("role_none")),
        fields=[ShownField("rol", "choice", t("role"), "", choices=choices)],
        faults=faults,
        action=here,
        may_change=visit.is_admin and bool(choices),
    )
