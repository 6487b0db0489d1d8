"""The page behind the mail that asks whether the account claimed a sticker by its code.

It carries no CSRF token on purpose: no cookie gives it any power, the secret in the link does.
"""

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.one_time_codes import LinkExpired, Purpose, check_link, spend_link
from ficha.asgi.routes import Routes
from ficha.fmd.record_codes import confirm_claims_of
from ficha.http.dependencies import Address, Limiter, Now
from ficha.http.dependencies import Parts as AskedParts
from ficha.http.limits import RateLimit
from ficha.web.kit.rendering import show
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("portal", "claim")

routes = Routes(include_in_schema=False)

# The address is a secret: it goes to nobody, not even to ourselves as a referrer.
KEEP_SECRET = {"Referrer-Policy": "no-referrer"}


@routes.page("/etiqueta/{token}")
def claim_page(
    request: Request, parts: AskedParts, limiter: Limiter, address: Address, now: Now, token: str
) -> Response:
    """Asks for a press of its button: programs that look into mailboxes open links too."""
    limiter.hit_address(request, RateLimit.LINK, address)
    try:
        with parts.database.reading() as tx:
            check_link(tx, parts.secrets, Purpose.ETIQUETA, token, now)
    except LinkExpired:
        return _dead(request)
    return show(request, "portal/joining/claim_confirm.html", PHRASES, headers=KEEP_SECRET, token=token)


@routes.post("/etiqueta/{token}")
def confirm(request: Request, parts: AskedParts, limiter: Limiter, address: Address, now: Now, token: str) -> Response:
    limiter.hit_address(request, RateLimit.LINK, address)
    try:
        with parts.database.writing() as tx:
            account = spend_link(tx, parts.secrets, Purpose.ETIQUETA, token, now)
            codes = confirm_claims_of(tx, account.id, now)
    except LinkExpired:
        return _dead(request)
    return show(request, "portal/joining/claim_done.html", PHRASES, headers=KEEP_SECRET, codes=" ".join(codes))


def _dead(request: Request) -> Response:
    return show(request, "portal/joining/claim_dead.html", PHRASES, status=410, headers=KEEP_SECRET)
