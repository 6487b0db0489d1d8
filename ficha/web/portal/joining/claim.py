"""The page behind the mail that asks whether the account claimed a sticker by its code (link_pages.py)."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.one_time_codes import LinkExpired, Purpose, account_of_link, spend_link
from ficha.fmd.record_codes import confirm_claims_of
from ficha.fmd.translations import Translated
from ficha.http.dependencies import Now, Parts, limit_by_address
from ficha.http.limits import RateLimit
from ficha.web.kit.language import Phrases
from ficha.web.kit.rendering import show
from ficha.web.portal.link_pages import link_routes

PHRASES: Phrases = {
    "confirm_title": Translated("¿Tiene usted la etiqueta?", "Do you have the sticker?", "A etiqueta está com você?"),
    "confirm_lead": Translated(
        "Con su cuenta se pidió una etiqueta por su código. Si la tiene usted, confírmelo y su QR funcionará.",
        "A sticker was asked for by its code with your account. If you have it, confirm it and its QR begins to work.",
        "Com a sua conta foi pedida uma etiqueta pelo código. Se ela está com você, confirme e o QR funcionará.",
    ),
    "confirm_button": Translated("Sí, la tengo", "Yes, I have it", "Sim, está comigo"),
    "done_title": Translated("Su etiqueta funciona", "Your sticker works", "A sua etiqueta funciona"),
    "done_lead": Translated("Ya abren: {codes}", "These open now: {codes}", "Já abrem: {codes}"),
    "done_nothing": Translated(
        "No había ninguna etiqueta por confirmar.",
        "There was no sticker left to confirm.",
        "Não havia nenhuma etiqueta a confirmar.",
    ),
    "dead_title": Translated("Este enlace ya no sirve", "This link no longer works", "Este link não vale mais"),
    "dead_lead": Translated(
        "Se usó o venció. Escanee el QR de la etiqueta al registrarla, o pídala otra vez por su código.",
        "It was used or is too old. Scan the sticker's QR when you register it, or ask for it by its code again.",
        "Foi usado ou venceu. Escaneie o QR da etiqueta ao registrá-la, ou peça-a de novo pelo código.",
    ),
}

LIMITS = [limit_by_address(RateLimit.LINK)]
routes = link_routes("portal/claim/dead.html", PHRASES, LinkExpired, dependencies=LIMITS)


@routes.page("/etiqueta/{token}")
def claim_page(request: Request, parts: Parts, now: Now, token: str) -> Response:
    """Asks for a press of its button: programs that look into mailboxes open links too."""
    with parts.database.reading() as tx:
        account_of_link(tx, parts.secrets, Purpose.ETIQUETA, token, now)
    return show(request, "portal/claim/confirm.html", PHRASES, token=token)


@routes.post("/etiqueta/{token}")
def confirm(request: Request, parts: Parts, now: Now, token: str) -> Response:
    with parts.database.writing() as tx:
        account = spend_link(tx, parts.secrets, Purpose.ETIQUETA, token, now)
        codes = confirm_claims_of(tx, account.id, now)
    return show(request, "portal/claim/done.html", PHRASES, codes=" ".join(codes))
