"""The page behind the mail that asks whether the account claimed a sticker by its code (link_pages.py)."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.one_time_codes import LinkExpired, Purpose, account_of_link, spend_link
from ficha.fmd.record_codes import confirm_claims_of
from ficha.http.dependencies import Now, Parts, limit_by_address
from ficha.http.limits import RateLimit
from ficha.web.kit.rendering import show
from ficha.web.kit.texts import page_texts
from ficha.web.portal.link_pages import link_routes

PHRASES = page_texts("portal", "claim")

LIMITS = [limit_by_address(RateLimit.LINK)]
routes = link_routes("portal/joining/claim_ended.html", PHRASES, LinkExpired, dependencies=LIMITS)


@routes.page("/etiqueta/{token}")
def claim_page(request: Request, parts: Parts, now: Now, token: str) -> Response:
    """Asks for a press of its button: programs that look into mailboxes open links too."""
    with parts.database.reading() as tx:
        account_of_link(tx, parts.secrets, Purpose.ETIQUETA, token, now)
    return show(request, "portal/joining/claim_confirm.html", PHRASES, token=token)


@routes.post("/etiqueta/{token}")
def confirm(request: Request, parts: Parts, now: Now, token: str) -> Response:
    with parts.database.writing() as tx:
        account = spend_link(tx, parts.secrets, Purpose.ETIQUETA, token, now)
        codes = confirm_claims_of(tx, account.id, now)
    return show(request, "portal/joining/claim_done.html", PHRASES, codes=" ".join(codes))
