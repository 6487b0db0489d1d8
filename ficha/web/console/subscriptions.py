"""/admin/suscripciones: who is subscribed; an administrator changes state and plan, by the known steps only."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from fastapi import Query
from pydantic import BaseModel, ConfigDict
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import account_facts
from ficha.administration.admin_changes import note_change
from ficha.administration.subscriptions import (
    STEPS,
    Subscription,
    SubscriptionState,
    change_subscription,
    subscription_of,
    subscriptions,
)
from ficha.core.web_values import Keyword
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Db, Now, Reading
from ficha.web.console.door import AdminVisit, StaffVisit, Visit
from ficha.web.console.forms import faults_in, show_form
from ficha.web.console.frame import go_on, show_console, show_list, translate_for
from ficha.web.console.project_phrases import SUBSCRIPTIONS as PHRASES
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.lists import (
    PAGE_SIZE,
    Cell,
    Filter,
    FilterChoice,
    Row,
    RowNumber,
    Table,
    code,
    cut,
    moment,
    page_link,
)
from ficha.web.kit.model_forms import ModelField, read_model
from ficha.web.kit.signed_in import signed_in_routes

routes = signed_in_routes()

PATH = "/admin/suscripciones"
COLUMNS = ("account", "name", "plan", "state", "started", "changed", "ends")
# From these no step leads on.
ENDS = [state.value for state in SubscriptionState if not STEPS[state]]
FIELDS = (ModelField("state", "choice"), ModelField("plan"))


class SubscriptionForm(BaseModel):
    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    state: SubscriptionState | None = None
    plan: Keyword | None = None


@routes.page(PATH)
def subscriptions_page(
    request: Request,
    reading: Reading,
    visit: StaffVisit,
    now: Now,
    estado: Annotated[SubscriptionState | Literal[""], Query()] = "",
    cursor: Cursor = None,
) -> Response:
    t = translate_for(request, PHRASES)
    state = SubscriptionState(estado) if estado else None
    found = subscriptions(reading, after=row_before(cursor, 0), limit=PAGE_SIZE + 1, state=state)
    shown, following = cut(found, lambda pair: pair[0].account_id)
    rows = [
        Row(
            [
                Cell(str(account.id)),
                Cell(account.nombre, link=f"{PATH}/{account.id}" if visit.is_admin else ""),
                code(row.plan),
                Cell(t(f"state_{row.state_at(now)}")),
                moment(row.started_at),
                moment(row.changed_at),
                moment(row.ends_at),
            ]
        )
        for row, account in shown
    ]
    states = [FilterChoice("", t("all")), *(FilterChoice(each.value, t(f"state_{each}")) for each in SubscriptionState)]
    table = Table(
        PATH,
        [t(key) for key in COLUMNS],
        rows,
        t("none"),
        filters=[Filter("estado", t("state"), states, estado)],
        is_first_page=cursor is None,
        next_link=page_link(PATH, {"estado": estado}, following),
    )
    return show_list(request, visit, "subscriptions", PHRASES, table, lead=t("lead"))


@routes.page(PATH + "/{account_id}")
def change_page(request: Request, reading: Reading, visit: AdminVisit, now: Now, account_id: RowNumber) -> Response:
    found = subscription_of(reading, account_id)
    name = account_facts(reading, account_id).nombre
    return _form(request, visit, found, name, now, {"state": found.state_at(now), "plan": found.plan})


@routes.post(PATH + "/{account_id}")
def change(request: Request, db: Db, visit: AdminVisit, now: Now, account_id: RowNumber, form: PostedForm) -> Response:
    found = subscription_of(db, account_id)
    before = _values(found, now)

    def save() -> None:
        given = read_model(SubscriptionForm, FIELDS, form)
        plan = given.plan if given.plan != before["plan"] else None
        after = _values(change_subscription(db, account_id, now, state=given.state, plan=plan), now)
        if after != before:
            note_change(db, visit.actor, "subscription", account_id, "changed", now, before=before, after=after)

    if form.get("state") in ENDS and before["state"] not in ENDS and "confirmed" not in form:
        return _ask(request, visit, account_id, account_facts(db, account_id).nombre, form)
    if faults := faults_in(db, "state", save):
        found, name = subscription_of(db, account_id), account_facts(db, account_id).nombre
        return _form(request, visit, found, name, now, form, faults)
    return go_on(request, PATH, "saved")


def _ask(request: Request, visit: Visit, account_id: int, name: str, form: Mapping[str, str]) -> Response:
    t = translate_for(request, PHRASES)
    return show_console(
        request,
        visit,
        "console/confirm.html",
        "subscriptions",
        PHRASES,
        title=t("end_ask", name=name),
        how=t("hint_state"),
        is_final=True,
        kept={"state": form["state"], "plan": form.get("plan", ""), "confirmed": "1"},
        action=f"{PATH}/{account_id}",
        label=t("end"),
        back=f"{PATH}/{account_id}",
    )


def _values(found: Subscription, now: Now) -> dict[str, str]:
    return {"state": found.state_at(now).value, "plan": found.plan}


def _form(
    request: Request,
    visit: Visit,
    found: Subscription,
    name: str,
    now: Now,
    texts: Mapping[str, str],
    faults: Sequence[FieldFault] = (),
) -> Response:
    """Only the states that it can step to are offered."""
    t = translate_for(request, PHRASES)
    at_present = found.state_at(now)
    states = [each for each in SubscriptionState if each is at_present or each in STEPS[at_present]]
    return show_form(
        request,
        visit,
        "subscriptions",
        PHRASES,
        FIELDS,
        title=t("change", name=name),
        action=f"{PATH}/{found.account_id}",
        texts=texts,
        faults=faults,
        choices={"state": [FilterChoice(each.value, t(f"state_{each}")) for each in states]},
        back=PATH,
    )
