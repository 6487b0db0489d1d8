"""A link for a doctor: for an hour, a day or a single time, as a QR on the screen, and a passcode to be said aloud."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from ficha.cards.qr import symbol_of
from ficha.core.errors import NotFound
from ficha.core.ids import random_digits
from ficha.exchange.health_links.links import (
    NewHealthLink,
    TooManyHealthLinks,
    create_health_link,
    end_health_link,
)
from ficha.exchange.health_links.payload import link_uri
from ficha.fmd.dates_and_amounts import moment_text
from ficha.http.dependencies import CurrentCaller, Db, Now, Parts
from ficha.http.fmd_dependencies import CurrentFmd, ReadFmd
from ficha.http.languages import told_in
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.lists import row_number
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.link_pages import KEEP_SECRET
from ficha.web.portal.time_zones import zone_for

PHRASES = page_texts("portal", "doctor")

routes = signed_in_routes("/app")

# What may be chosen: for how long, and whether it opens a single time.
CHOICES = {"hora": (timedelta(hours=1), False), "dia": (timedelta(days=1), False), "una": (timedelta(days=1), True)}
PASSCODE_DIGITS = 6
# The page holds the key: it is kept nowhere, and its address goes to nobody.
KEPT_NOWHERE = KEEP_SECRET | {"Cache-Control": "no-store"}


@dataclass(frozen=True)
class MadeLink:
    """To be shown now, and never again."""

    id: int
    uri: str
    qr: Markup
    passcode: str
    until: str
    once: bool


@routes.page("/{code}/medico")
def doctor_page(request: Request, opened: ReadFmd, code: str) -> Response:
    opened.fmd.must_manage()
    return _page(request, code)


def _page(request: Request, code: str, *, faults: tuple[FieldFault, ...] = (), **more: Any) -> Response:
    return show(
        request, "portal/record/for_a_doctor.html", PHRASES, code=code, faults=faults, choices=list(CHOICES), **more
    )


@routes.post("/{code}/medico")
def make_link(
    request: Request,
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    fmd: CurrentFmd,
    now: Now,
    form: PostedForm,
    code: str,
) -> Response:
    """The answer to a post: the key is in no address, and loading the page again asks first."""
    fmd.must_manage()
    do, _, which = form.get("do", "").partition(":")
    if do == "terminar":
        try:
            end_health_link(db, fmd, row_number(which), now)
        except NotFound:
            db.rollback()
        return go_to(request, f"/app/{code}/compartido?hecho=terminado")
    lasts, once = CHOICES.get(form.get("cuanto", ""), CHOICES["hora"])
    passcode = random_digits(PASSCODE_DIGITS) if form.get("clave") == "si" else None
    language = language_of(request)
    asked = NewHealthLink(translator(language, PHRASES)("label"), now + lasts, passcode, once)
    try:
        made = create_health_link(db, fmd, caller.account_id, asked, now)
    except TooManyHealthLinks as refusal:
        db.rollback()
        fault = FieldFault("cuanto", told_in(language, refusal.message))
        return _page(request, code, faults=(fault,), status=refusal.status)
    uri = link_uri(parts.settings.public_url, made, fmd.key).for_viewer
    shown = MadeLink(
        made.link.id,
        uri,
        Markup(symbol_of(uri, "M").svg()),  # noqa: S704  Drawn from the symbol's modules alone.
        passcode or "",
        moment_text(asked.ends_at, now, zone_for(request, db, fmd, caller.account_id), language),
        once,
    )
    return show(request, "portal/record/for_a_doctor_link.html", PHRASES, headers=KEPT_NOWHERE, code=code, made=shown)
