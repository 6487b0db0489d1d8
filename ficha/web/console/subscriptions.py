"""/admin/suscripciones: who is subscribed; an administrator changes state and plan, by the known steps only."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Literal

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.statements import read_account
from ficha.administration.subscriptions import (
    STEPS,
    SUBSCRIPTIONS,
    ChangedSubscription,
    SubscriptionState,
    put_subscription,
    subscription_of,
    subscriptions,
)
from ficha.core.transaction import Transaction
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Db, Now, Reading
from ficha.web.console.door import AdminVisit, StaffVisit, Visit
from ficha.web.console.forms import faults_in
from ficha.web.console.frame import go_on, show_console, translate_for
from ficha.web.console.resources import ResourcePages
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.lists import PAGE_SIZE, FilterChoice, RowNumber, filter_of
from ficha.web.kit.model_forms import read_model
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.texts import page_texts

routes = signed_in_routes()

PATH = "/admin/suscripciones"
PAGES = ResourcePages("subscriptions", PATH, SUBSCRIPTIONS, page_texts("console", "subscriptions"))
# From these no step leads on.
ENDS = [state.value for state in SubscriptionState if not STEPS[state]]


@routes.page(PATH)
def subscriptions_page(
    request: Request,
    reading: Reading,
    visit: StaffVisit,
    now: Now,
    estado: Annotated[SubscriptionState | Literal[""], Query()] = "",
    cursor: Cursor = None,
) -> Response:
    state = SubscriptionState(estado) if estado else None
    found = subscriptions(reading, now, after=row_before(cursor, 0), limit=PAGE_SIZE + 1, state=state)
    t = translate_for(request, PAGES.phrases)
    filters = [filter_of(t, "estado", "field_state", SubscriptionState, estado, "state")]
    return PAGES.show_list(request, visit, found, cursor, filters=filters)


@routes.page(PATH + "/{account_id}")
def change_page(request: Request, reading: Reading, visit: AdminVisit, now: Now, account_id: RowNumber) -> Response:
    found = subscription_of(reading, account_id)
    return _form(request, reading, visit, account_id, now, {"state": found.state_at(now), "plan": found.plan})


@routes.post(PATH + "/{account_id}")
def change(request: Request, db: Db, visit: AdminVisit, now: Now, account_id: RowNumber, form: PostedForm) -> Response:
    def save() -> None:
        given = read_model(ChangedSubscription, PAGES.fields(), form)
        put_subscription(db, str(account_id), given, visit.actor, now)

    is_over = subscription_of(db, account_id).state_at(now) in ENDS
    if form.get("state") in ENDS and not is_over and "confirmed" not in form:
        return _ask(request, visit, account_id, read_account(db, account_id).nombre, form)
    if faults := faults_in(db, "state", save):
        return _form(request, db, visit, account_id, now, form, faults)
    return go_on(request, PATH, "saved")


def _ask(request: Request, visit: Visit, account_id: int, name: str, form: Mapping[str, str]) -> Response:
    t = translate_for(request, PAGES.phrases)
    return show_console(
        request,
        visit,
        "console/confirm.html",
        "subscriptions",
        PAGES.phrases,
        title=t("end_ask", name=name),
        how=t("hint_state"),
        is_final=True,
        kept={"state": form["state"], "plan": form.get("plan", ""), "confirmed": "1"},
        action=f"{PATH}/{account_id}",
        label=t("end"),
        back=f"{PATH}/{account_id}",
    )


def _form(
    request: Request,
    tx: Transaction,
    visit: Visit,
    account_id: int,
    now: datetime,
    texts: Mapping[str, str],
    faults: Sequence[FieldFault] = (),
) -> Response:
    """Only the states that it can step to are offered."""
    at_present, name = subscription_of(tx, account_id).state_at(now), read_account(tx, account_id).nombre
    t = translate_for(request, PAGES.phrases)
    states = [each for each in SubscriptionState if each is at_present or each in STEPS[at_present]]
    choices = {"state": [FilterChoice(each.value, t(f"state_{each}")) for each in states]}
    title = t("change", name=name)
    return PAGES.show_form(request, visit, f"{PATH}/{account_id}", texts, faults, choices=choices, title=title)
