"""A sticker is marked lost from a phone that is not logged in: by a link to the account's mailbox, good once
(link_pages.py)."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.one_time_codes import LinkExpired, Purpose, account_of_link, spend_link
from ficha.accounts.tokens import Caller
from ficha.core.text_types import correo_key
from ficha.core.transaction import Transaction
from ficha.fmd.grants import managed_records
from ficha.fmd.record_codes import account_of_lost, ask_for_lost_link, mark_lost, sticker_name
from ficha.http.dependencies import Address, Limiter, Now, Parts, limit_by_address
from ficha.http.limits import RateLimit, TooManyRequests
from ficha.products.statements import live_codes
from ficha.web.kit.forms import FieldRefused, PostedForm
from ficha.web.kit.language import LANGUAGE_STEP
from ficha.web.kit.rendering import show, show_form
from ficha.web.kit.texts import page_texts
from ficha.web.portal.link_pages import link_routes

LOST = page_texts("portal", "lost")

routes = link_routes("portal/record/lost_ended.html", LOST, LinkExpired)

ASK, MARK = "portal/record/lost_ask.html", "portal/record/lost_mark.html"
LIMITS = [limit_by_address(RateLimit.LINK)]
TICK = "etiqueta."
LONGEST_GIVEN = 254


@routes.page("/perdida")
def lost_page(request: Request) -> Response:
    return show_form(request, ASK, LOST, given="")


@routes.post("/perdida")
def ask_for_link(request: Request, parts: Parts, limiter: Limiter, address: Address, form: PostedForm) -> Response:
    """The same page for every correo and code, known or not."""
    given = form.get("cual", "").strip()[:LONGEST_GIVEN]
    if form.get("do") == LANGUAGE_STEP:
        return show_form(request, ASK, LOST, given=given)
    if not given:
        return show_form(request, ASK, LOST, FieldRefused("cual", "which_missing"), given="")
    try:
        limiter.hit_address(request, RateLimit.LOGIN, address)
        limiter.hit(request, RateLimit.CODE, f"correo:{correo_key(given)}")
    except TooManyRequests as refusal:
        return show_form(request, ASK, LOST, FieldRefused.too_many("cual", refusal), given=given)
    with parts.database.reading() as tx:
        account = account_of_lost(tx, given)
    # Several codes may lead to one mailbox, and nobody is told which do: what is not there is counted in the same way.
    mailbox = f"unknown:{given}" if account is None else f"correo:{account.correo_key}"
    is_sent = "@" in given or limiter.is_within(RateLimit.CODE, mailbox)
    with parts.database.writing() as tx:
        ask_for_lost_link(tx, account if is_sent else None)
    return show(request, "portal/record/lost_sent.html", LOST, minutes=parts.settings.recovery_minutes)


@routes.page("/perdida/{token}", dependencies=LIMITS)
def mark_page(request: Request, parts: Parts, now: Now, token: str) -> Response:
    with parts.database.reading() as tx:
        account = account_of_link(tx, parts.secrets, Purpose.PERDIDA, token, now)
        stickers = _stickers(tx, parts, account.id, now)
    return show_form(request, MARK, LOST, token=token, stickers=stickers)


@routes.post("/perdida/{token}", dependencies=LIMITS)
def mark(request: Request, parts: Parts, now: Now, token: str, form: PostedForm) -> Response:
    ticked = [name.removeprefix(TICK)[:20] for name in form if name.startswith(TICK)]
    with parts.database.writing() as tx:
        account = account_of_link(tx, parts.secrets, Purpose.PERDIDA, token, now)
        if not ticked:
            wrong, stickers = FieldRefused("stickers", "none_ticked"), _stickers(tx, parts, account.id, now)
            return show_form(request, MARK, LOST, wrong, token=token, stickers=stickers)
        spend_link(tx, parts.secrets, Purpose.PERDIDA, token, now)
        gone = mark_lost(tx, Caller(account.id, 0, "", frozenset()), ticked, now)
    return show(request, "portal/record/lost_done.html", LOST, codes=" ".join(gone))


def _stickers(tx: Transaction, parts: Parts, account_id: int, now: Now) -> list[tuple[str, str]]:
    """The live codes of all records that the account looks after, each with its name."""
    records = {record.id: record for record in managed_records(tx, account_id, now)}
    found = []
    for product in live_codes(tx, list(records)):
        name = sticker_name(product, records[product.record_id].open_key(parts.keyring))
        found.append((product.code, f"{product.code} · {name}" if name else product.code))
    return found
