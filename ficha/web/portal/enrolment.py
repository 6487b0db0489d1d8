"""The page behind an institution's invitation: who answers for the person makes the record hers and decides.

It carries no CSRF token on purpose: no cookie gives it any power, the secret in the link and the clave do.
"""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.login import WrongClave, check_clave
from ficha.accounts.tokens import Caller
from ficha.core.plain_names import plain_name
from ficha.http.dependencies import Address, Limiter, Now, Parts
from ficha.http.limits import TooManyRequests
from ficha.http.login_limits import LoginLimits
from ficha.http.routes import Routes
from ficha.http.threads import Pool
from ficha.institutions.acceptance import EnrolmentUnknown, Offer, accept_enrolment, offered
from ficha.web.kit.forms import Fault, PostedForm
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.portal.enrolment_phrases import PHRASES

routes = Routes(include_in_schema=False)

# The address is a secret: it goes to nobody, not even to ourselves as a referrer.
KEEP_SECRET = {"Referrer-Policy": "no-referrer"}


@routes.page("/institucion/{token}")
def enrolment_page(
    request: Request, parts: Parts, limiter: Limiter, address: Address, now: Now, token: str
) -> Response:
    limiter.hit_address(request, "link", address)
    try:
        with parts.database.reading() as session:
            offer = offered(session, parts.keyring, token, now)
    except EnrolmentUnknown:
        return _dead(request)
    return _form(request, token, offer, {"correo": offer.contact.correo or ""})


@routes.post("/institucion/{token}", pool=Pool.CLAVES)
def accept_on_page(
    request: Request, parts: Parts, limiter: Limiter, address: Address, now: Now, token: str, form: PostedForm
) -> Response:
    try:
        with parts.database.reading() as session:
            offer = offered(session, parts.keyring, token, now)
        correo = form.get("correo", "")[:254]
        try:
            limiter.hit_address(request, "login", address)
            LoginLimits(request, parts, limiter, correo, address).count()
            account_id = check_clave(parts.database, correo, form.get("clave", "")[:128], now)
        except TooManyRequests as refusal:
            return _form(request, token, offer, form, "too_many", refusal.status, dict(refusal.headers))
        except WrongClave:
            return _form(request, token, offer, form, "clave_wrong", 422)
        caller = Caller(account_id, 0, "", frozenset())
        sees = "ve" in form
        with parts.database.writing() as session:
            accept_enrolment(
                session, parts.keyring, token, caller, now, sees=sees, edits="edita" in form, origin=address
            )
    except EnrolmentUnknown:
        return _dead(request)
    shown = _shown(offer) | {"sees": sees}
    return show(request, "portal/enrolment/done.html", PHRASES, headers=KEEP_SECRET, **shown)


def _form(
    request: Request,
    token: str,
    offer: Offer,
    form: dict[str, str],
    wrong: str | None = None,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> Response:
    """The clave is asked for again: it is never sent to a browser."""
    faults = [Fault("clave", translator(language_of(request), PHRASES)(wrong))] if wrong else []
    return show(
        request,
        "portal/enrolment/accept.html",
        PHRASES,
        status=status,
        headers=KEEP_SECRET | (headers or {}),
        token=token,
        correo=form.get("correo", "")[:254],
        sees="ve" in form,
        edits="edita" in form,
        faults=faults,
        **_shown(offer),
    )


def _shown(offer: Offer) -> dict[str, Any]:
    return {"institution": offer.institution.name, "person": plain_name(offer.contact.nombre)}


def _dead(request: Request) -> Response:
    return show(request, "portal/enrolment/dead.html", PHRASES, status=410, headers=KEEP_SECRET)
