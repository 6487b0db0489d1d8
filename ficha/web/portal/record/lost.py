"""A sticker is marked lost from a phone that is not logged in: by a link to the account's mailbox, good once.

These forms carry no CSRF token on purpose. No cookie gives them any power: asking for a link is open to anybody, and
marking takes the secret in the link.
"""

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.one_time_codes import LinkExpired, Purpose, account_of_link, spend_link
from ficha.accounts.tokens import Caller
from ficha.asgi.routes import Routes
from ficha.core.text_types import correo_key
from ficha.core.transaction import Transaction
from ficha.fmd.grants import managed_records
from ficha.fmd.stickers import ask_for_lost_link, mark_lost, sticker_name
from ficha.http.dependencies import Address, Limiter, Now
from ficha.http.dependencies import Parts as AskedParts
from ficha.http.limits import RateLimit, TooManyRequests
from ficha.parts import Parts
from ficha.products.statements import live_codes
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("portal", "lost")

routes = Routes(include_in_schema=False)

# The address of the second page is a secret: it goes to nobody, not even to ourselves as a referrer.
KEEP_SECRET = {"Referrer-Policy": "no-referrer"}
TICK = "etiqueta."
LONGEST = 254


@routes.page("/perdida")
def lost_page(request: Request) -> Response:
    return _ask(request)


@routes.post("/perdida")
def ask(request: Request, parts: AskedParts, limiter: Limiter, address: Address, form: PostedForm) -> Response:
    """The same page for every correo and code, known or not."""
    given = form.get("cual", "").strip()[:LONGEST]
    if not given:
        return _ask(request, "which_missing")
    try:
        limiter.hit_address(request, RateLimit.LOGIN, address)
        limiter.hit(request, RateLimit.CODE, f"correo:{correo_key(given)}")
    except TooManyRequests as refusal:
        return _ask(request, "too_many", refusal)
    with parts.database.writing() as tx:
        ask_for_lost_link(tx, given)
    return show(request, "portal/record/lost_sent.html", PHRASES, minutes=parts.settings.recovery_minutes)


@routes.page("/perdida/{token}")
def mark_page(
    request: Request, parts: AskedParts, limiter: Limiter, address: Address, now: Now, token: str
) -> Response:
    limiter.hit_address(request, RateLimit.LINK, address)
    try:
        with parts.database.reading() as tx:
            account = account_of_link(tx, parts.secrets, Purpose.PERDIDA, token, now)
            return _mark(request, token, _stickers(tx, parts, account.id, now))
    except LinkExpired:
        return _dead(request)


@routes.post("/perdida/{token}")
def mark(
    request: Request, parts: AskedParts, limiter: Limiter, address: Address, now: Now, token: str, form: PostedForm
) -> Response:
    limiter.hit_address(request, RateLimit.LINK, address)
    ticked = [name.removeprefix(TICK)[:20] for name in form if name.startswith(TICK)]
    try:
        with parts.database.writing() as tx:
            account = account_of_link(tx, parts.secrets, Purpose.PERDIDA, token, now)
            if not ticked:
                return _mark(request, token, _stickers(tx, parts, account.id, now), "none_ticked")
            spend_link(tx, parts.secrets, Purpose.PERDIDA, token, now)
            gone = mark_lost(tx, Caller(account.id, 0, "", frozenset()), ticked, now)
    except LinkExpired:
        return _dead(request)
    return show(request, "portal/record/lost_done.html", PHRASES, headers=KEEP_SECRET, codes=" ".join(gone))


def _stickers(tx: Transaction, parts: Parts, account_id: int, now: Now) -> list[tuple[str, str]]:
    """The live codes of all records that the account looks after, each with its name."""
    records = {record.id: record for record in managed_records(tx, account_id, now)}
    found = []
    for product in live_codes(tx, list(records)):
        name = sticker_name(product, records[product.record_id].open_key(parts.keyring))
        found.append((product.code, f"{product.code} · {name}" if name else product.code))
    return found


def _ask(request: Request, wrong: str = "", refusal: TooManyRequests | None = None) -> Response:
    return show(
        request,
        "portal/record/lost_ask.html",
        PHRASES,
        status=refusal.status if refusal else 422 if wrong else 200,
        headers=dict(refusal.headers) if refusal else {},
        faults=_faults(request, "cual", wrong),
    )


def _mark(request: Request, token: str, stickers: list[tuple[str, str]], wrong: str = "") -> Response:
    return show(
        request,
        "portal/record/lost_mark.html",
        PHRASES,
        status=422 if wrong else 200,
        headers=KEEP_SECRET,
        token=token,
        stickers=stickers,
        faults=_faults(request, "stickers", wrong),
    )


def _dead(request: Request) -> Response:
    return show(request, "portal/record/lost_dead.html", PHRASES, status=410, headers=KEEP_SECRET)


def _faults(request: Request, field: str, wrong: str) -> list[FieldFault]:
    return [FieldFault(field, translator(language_of(request), PHRASES)(wrong))] if wrong else []
