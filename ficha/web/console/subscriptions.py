"""/admin/suscripciones: who has which plan, its known steps, another period, and its history."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Literal

from fastapi import Query
from starlette.responses import Response

from ficha.accounts.accounts import Idioma
from ficha.accounts.people_list import names_of
from ficha.accounts.statements import read_account
from ficha.accounts.tokens import MAX_ID
from ficha.administration.admin_changes import AdminChange, admin_changes
from ficha.administration.plans import PLANS, plan_named, title_of
from ficha.administration.subscriptions import (
    OVER,
    STEPS,
    SUBSCRIPTIONS,
    Subscription,
    SubscriptionState,
    allowance,
    extend,
    subscription_of,
)
from ficha.core.transaction import Transaction
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Db, Now, Reading
from ficha.web.console.change_sentences import accounts_in, change_sentence
from ficha.web.console.resources import ResourcePages
from ficha.web.console.staff_access import AdminVisit, StaffVisit, Visit
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.language import language_of
from ficha.web.kit.lists import PAGE_SIZE, FilterChoice, RowNumber
from ficha.web.kit.rendering import service_zone
from ficha.web.kit.sections import CellValue, Columns, cell_of, faults_in, go_on, table_of
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.texts import page_texts

routes = signed_in_routes()
subscription_pages = ResourcePages("subscriptions", SUBSCRIPTIONS, page_texts("console", "subscriptions"), routes)
PATH = subscription_pages.path


@routes.page(PATH)
def subscriptions_page(
    reading: Reading,
    visit: StaffVisit,
    now: Now,
    estado: Annotated[SubscriptionState | Literal[""], Query()] = "",
    cursor: Cursor = None,
) -> Response:
    state = SubscriptionState(estado) if estado else None
    found = SUBSCRIPTIONS.rows(reading, now, after=row_before(cursor, 0), limit=PAGE_SIZE + 1, state=state)
    filters = [subscription_pages.filter(visit, "estado", "field_state", SubscriptionState, estado, "state")]
    columns = {**subscription_pages.columns(visit), **plan_columns(language_of(visit.request))}
    return subscription_pages.show_list(visit, columns, found, cursor, row_id=SUBSCRIPTIONS.cursor_of, filters=filters)


def plan_columns(language: Idioma) -> Columns[Subscription]:
    return {
        "field_plan": lambda _t, each: title_of(each.plan).in_language(language),
        "field_asked_plan": lambda _t, each: (
            title_of(each.asked_plan).in_language(language) if each.asked_plan else None
        ),
    }


@routes.page(PATH + "/{account_id}")
def subscription_page(reading: Reading, visit: AdminVisit, now: Now, account_id: RowNumber) -> Response:
    found = subscription_of(reading, account_id)
    # What was asked for is what most probably is to be given.
    texts = {"state": found.state_at(now).value, "plan": found.asked_plan or found.plan}
    return _page(reading, visit, found, now, texts)


@routes.post(PATH + "/{account_id}")
def change_subscription(db: Db, visit: AdminVisit, now: Now, account_id: RowNumber, form: PostedForm) -> Response:
    """By the known steps only; before one that ends it, it asks."""

    def save() -> None:
        SUBSCRIPTIONS.put(db, str(account_id), subscription_pages.read(form), visit.actor, now)

    is_over = subscription_of(db, account_id).state_at(now) in OVER
    if form.get("state") in OVER and not is_over and "confirmed" not in form:
        here, name = f"{PATH}/{account_id}", read_account(db, account_id).nombre
        kept = {"state": form["state"], "plan": form.get("plan", ""), "confirmed": "1"}
        return subscription_pages.ask(visit, "end", here, here, is_final=False, kept=kept, name=name)
    if faults := faults_in(db, "state", save):
        return _page(db, visit, subscription_of(db, account_id), now, form, faults)
    return go_on(visit, PATH, "saved")


@routes.page(PATH + "/{account_id}/ampliar")
def ask_extend(reading: Reading, visit: AdminVisit, account_id: RowNumber) -> Response:
    days = plan_named(subscription_of(reading, account_id).plan).period_days
    here, name = f"{PATH}/{account_id}", read_account(reading, account_id).nombre
    return subscription_pages.ask(visit, "extend", f"{here}/ampliar", here, is_final=False, name=name, days=days)


@routes.post(PATH + "/{account_id}/ampliar")
def extend_subscription(db: Db, visit: AdminVisit, now: Now, account_id: RowNumber) -> Response:
    extend(db, account_id, visit.actor, now)
    return go_on(visit, f"{PATH}/{account_id}", "saved")


def _page(
    tx: Transaction,
    visit: Visit,
    found: Subscription,
    now: datetime,
    texts: Mapping[str, str],
    faults: Sequence[FieldFault] = (),
) -> Response:
    """Only the states that it can step to are offered, and the plans that there are, with its own."""
    t, here, at_present = subscription_pages.translate(visit), f"{PATH}/{found.account_id}", found.state_at(now)
    language = language_of(visit.request)
    allowed = allowance(tx, found.account_id, now)
    facts: dict[str, CellValue] = {
        "field_state": t(f"state_{at_present}"),
        **{key: value(t, found) for key, value in plan_columns(language).items()},
        "field_started_at": found.started_at,
        "field_ends_at": found.ends_at,
        "allows": t("allows_words", **allowed._asdict()),
    }
    states = [each for each in SubscriptionState if each is at_present or each in STEPS[at_present]]
    names = list(PLANS) if found.plan in PLANS else [found.plan, *PLANS]
    choices = {
        "state": [FilterChoice(each.value, t(f"state_{each}")) for each in states],
        "plan": [FilterChoice(name, title_of(name).in_language(language)) for name in names],
    }
    history = admin_changes(tx, before_id=MAX_ID, limit=PAGE_SIZE, kind=Subscription.kind, target=str(found.account_id))
    people, zone = names_of(tx, accounts_in(history)), service_zone(visit.request)
    columns: Columns[AdminChange] = {
        "when": lambda _t, change: change.at,
        "what_changed": lambda _t, change: change_sentence(language, change, people, zone),
    }
    return subscription_pages.show(
        visit,
        "console/subscription.html",
        faults=faults,
        title=t("change", name=read_account(tx, found.account_id).nombre),
        facts=[(t(key), cell_of(t, value)) for key, value in facts.items()],
        fields=subscription_pages.fields(visit, subscription_pages.form_fields(), texts, choices),
        action=here,
        back=PATH,
        extends=f"{here}/ampliar" if found.plan in PLANS else "",
        history=table_of(t, here, columns, history, "history_none"),
    )
