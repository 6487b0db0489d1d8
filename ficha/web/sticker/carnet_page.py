"""The page behind the address on a carnet: whether the card is genuine and valid. Nothing medical, and no name."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.administration.services import Service
from ficha.asgi.routes import Routes
from ficha.cards.carnets import CarnetUnknown, verify_carnet
from ficha.fmd.dates_and_amounts import date_text
from ficha.http.dependencies import Address, Limiter, Now, Parts
from ficha.http.limits import RateLimit
from ficha.web.kit.language import language_of
from ficha.web.kit.rendering import show
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("sticker", "carnet")

routes = Routes(include_in_schema=False)

# The address is on somebody's card: it is told to nobody else.
PRIVATE = {"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex"}


@routes.page("/carnet/{serial}")
def carnet_page(request: Request, parts: Parts, limiter: Limiter, address: Address, now: Now, serial: str) -> Response:
    limiter.hit_address(request, RateLimit.CARNET, address)
    try:
        with parts.database.reading() as tx:
            found = verify_carnet(tx, parts.keyring, parts.read_log, serial, now, origin=address)
            service = None if found.service_id is None else tx.orm.get(Service, found.service_id)
    except CarnetUnknown:
        return show(request, "sticker/carnet_unknown.html", PHRASES, status=404, headers=PRIVATE)
    language = language_of(request)
    return show(
        request,
        "sticker/carnet.html",
        PHRASES,
        headers=PRIVATE,
        state=found.state.value,
        serial=found.serial,
        initials=found.initials,
        issuer=service.name if service else "",
        issued=date_text(f"{found.issued_at:%Y-%m-%d}", language),
        expires=date_text(f"{found.expires_at:%Y-%m-%d}", language),
    )
