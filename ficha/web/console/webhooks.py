"""/admin/webhooks: the addresses that events are told to, of our staff and of institutions; of each, what was delivered
and how the receiver answered. Administrators switch one off and on, and replay what it missed."""

from collections.abc import Sequence
from typing import Literal

from sqlalchemy import select
from starlette.responses import Response

from ficha.core.errors import NotFound
from ficha.core.transaction import Transaction
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Db, Now, Reading
from ficha.institutions.institution import Institution
from ficha.web.console.sections import MenuSection
from ficha.web.console.staff_access import AdminVisit, StaffVisit
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.language import Translate
from ficha.web.kit.lists import PAGE_SIZE, Cell, RowAction, RowNumber, code, row_number
from ficha.web.kit.sections import Columns, facts_of, go_on, list_page
from ficha.web.kit.texts import page_texts
from ficha.webhooks.deliveries import DeliveryState, WebhookDelivery, deliveries_of, replay
from ficha.webhooks.webhooks import Webhook, change_webhook

PHRASES = page_texts("console", "webhooks")

section = MenuSection("webhooks", PHRASES)
routes, PATH = section.routes, section.path

# A webhook and the name of its institution.
NamedWebhook = tuple[Webhook, str | None]
State = Literal["", "pending", "delivered", "given_up"]
FACTS: Columns[NamedWebhook] = {
    "webhook_of": lambda t, each: each[1] or t("webhook_of_staff"),
    "webhook_kinds": lambda _t, each: Cell("", "tags", tags=tuple(each[0].kinds)),
    "is_active": lambda _t, each: each[0].is_active,
    "webhook_rests": lambda _t, each: each[0].rests_until,
    "created": lambda _t, each: each[0].created_at,
}
COLUMNS: Columns[NamedWebhook] = {
    "number": lambda _t, each: Cell(str(each[0].id), link=f"{PATH}/{each[0].id}"),
    "webhook_url": lambda _t, each: code(each[0].shown_url),
    **FACTS,
}


def _answer(t: Translate, delivery: WebhookDelivery) -> str | None:
    if delivery.fault:
        return t(f"fault_{delivery.fault}")
    return f"{delivery.status} · {delivery.milliseconds} ms" if delivery.status else None


DELIVERIES: Columns[WebhookDelivery] = {
    "number": lambda _t, each: each.id,
    "kind": lambda _t, each: code(each.kind),
    "happened": lambda _t, each: each.at,
    "state": lambda t, each: t(f"delivery_{each.state}"),
    "attempts": lambda _t, each: each.attempts,
    "answered": _answer,
    "next_try": lambda _t, each: each.next_at if each.state == DeliveryState.PENDING else None,
}


@routes.page(PATH)
def webhooks_page(reading: Reading, visit: StaffVisit, cursor: Cursor = None) -> Response:
    found = _named(reading, after=row_before(cursor, 0), limit=PAGE_SIZE + 1)
    return section.show_list(visit, COLUMNS, found, cursor, row_id=lambda each: each[0].id)


@routes.page(PATH + "/{webhook_id}")
def webhook_page(
    reading: Reading, visit: StaffVisit, webhook_id: RowNumber, estado: State = "", cursor: Cursor = None
) -> Response:
    t, here = section.translate(visit), f"{PATH}/{webhook_id}"
    named = _one(reading, webhook_id)
    state = DeliveryState(estado) if estado else None
    before = row_before(cursor, 2**63 - 1)
    found = deliveries_of(reading, named[0], before=before, limit=PAGE_SIZE + 1, state=state)

    def actions(delivery: WebhookDelivery) -> Sequence[RowAction]:
        again = RowAction(t("replay"), here, str(delivery.id), field="repetir", value=str(delivery.id))
        return [again] if visit.is_admin else ()

    filters = [section.filter(visit, "estado", "state", DeliveryState, estado, "delivery")]
    return section.show(
        visit,
        "console/webhook.html",
        title=named[0].shown_url,
        facts=facts_of(t, FACTS, named),
        deliveries=list_page(t, here, DELIVERIES, found, "deliveries_none", cursor, actions=actions, filters=filters),
        action=here,
        is_active=named[0].is_active,
        may_change=visit.is_admin,
    )


@routes.post(PATH + "/{webhook_id}")
def change(db: Db, visit: AdminVisit, now: Now, webhook_id: RowNumber, form: PostedForm) -> Response:
    """Replays a delivery, or switches the address: to what the form says, so that sent twice it does nothing more."""
    hook, here = _one(db, webhook_id)[0], f"{PATH}/{webhook_id}"
    if "activo" in form:
        change_webhook(db, hook, visit.actor, now, is_active=form["activo"] == "si")
        return go_on(visit, here, "saved")
    replay(db, hook, row_number(form.get("repetir", "")))
    return go_on(visit, here, "replayed")


def _named(tx: Transaction, *, after: int, limit: int) -> list[NamedWebhook]:
    query = select(Webhook, Institution.name).outerjoin(Institution, Institution.id == Webhook.institution_id)
    rows = tx.orm.execute(query.where(Webhook.id > after).order_by(Webhook.id).limit(limit))
    return [(hook, name) for hook, name in rows]


def _one(tx: Transaction, webhook_id: int) -> NamedWebhook:
    """Raises NotFound."""
    found = _named(tx, after=webhook_id - 1, limit=1)
    if not found or found[0][0].id != webhook_id:
        raise NotFound
    return found[0]
