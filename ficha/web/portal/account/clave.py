"""The pages of a forgotten clave: ask for a link, then choose a new clave.

These forms carry no CSRF token on purpose. No cookie gives them any power: asking for a link is open to anybody,
and choosing a clave takes the secret in the link, which no other site knows.
"""

from typing import Any

from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.clave import hash_clave
from ficha.accounts.one_time_codes import LinkExpired, Purpose, check_link
from ficha.accounts.recovery import ask_for_new_clave, reset_clave
from ficha.asgi.routes import Routes
from ficha.asgi.threads import Pool
from ficha.core.text_types import Clave, Correo, correo_key
from ficha.http.dependencies import Address, Limiter, Now
from ficha.http.dependencies import Parts as AskedParts
from ficha.http.limits import RateLimit, TooManyRequests
from ficha.http.login_limits import LoginLimits
from ficha.web.kit.forms import FieldFault, PostedForm, fault_in
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("portal", "clave")

routes = Routes(include_in_schema=False)

CORREO: TypeAdapter[str] = TypeAdapter(Correo)
CLAVE: TypeAdapter[str] = TypeAdapter(Clave)

# The address of the second page is a secret: it goes to nobody, not even to ourselves as a referrer.
KEEP_SECRET = {"Referrer-Policy": "no-referrer"}


@routes.page("/clave")
def ask_page(request: Request) -> Response:
    return _ask(request, "")


@routes.post("/clave")
def ask(request: Request, parts: AskedParts, limiter: Limiter, address: Address, form: PostedForm) -> Response:
    """The same page for every correo, known or not."""
    correo = form.get("correo", "").strip()
    if fault := fault_in(CORREO, correo):
        return _ask(request, correo, "correo_wrong" if correo else "correo_missing", fault)
    try:
        limiter.hit_address(request, RateLimit.LOGIN, address)
        limiter.hit(request, RateLimit.CODE, f"correo:{correo_key(correo)}")
    except TooManyRequests as refusal:
        return _ask(request, correo, "too_many", {}, refusal)
    with parts.database.writing() as tx:
        ask_for_new_clave(tx, correo)
    minutes = parts.settings.recovery_minutes
    return show(request, "portal/account/clave_sent.html", PHRASES, correo=correo, minutes=minutes)


@routes.page("/clave/{token}")
def choose_page(request: Request, parts: AskedParts, now: Now, token: str) -> Response:
    try:
        with parts.database.reading() as tx:
            check_link(tx, parts.secrets, Purpose.CLAVE, token, now)
    except LinkExpired:
        return _dead(request)
    return _choose(request, token)


@routes.post("/clave/{token}", pool=Pool.CLAVES)
def choose(
    request: Request, parts: AskedParts, limiter: Limiter, address: Address, now: Now, token: str, form: PostedForm
) -> Response:
    clave = form.get("clave", "")
    try:
        limiter.hit_address(request, RateLimit.LOGIN, address)
        with parts.database.reading() as tx:
            check_link(tx, parts.secrets, Purpose.CLAVE, token, now)
        if fault := fault_in(CLAVE, clave):
            return _choose(request, token, FAULTS.get(fault["type"], "clave_odd"), fault)
        clave_hash = hash_clave(clave)  # Slow, so before the transaction.
        with parts.database.writing() as tx:
            correo = reset_clave(tx, parts.secrets, token, clave_hash, now)
    except TooManyRequests as refusal:
        return _choose(request, token, "too_many", {}, refusal)
    except LinkExpired:
        return _dead(request)
    done = show(request, "portal/account/clave_done.html", PHRASES, headers=KEEP_SECRET)
    limits = LoginLimits(request, parts, limiter, correo, address)
    limits.forget()
    limits.remember_device(done)
    return done


FAULTS = {"string_too_short": "clave_short", "string_too_long": "clave_long"}


def _ask(
    request: Request,
    correo: str,
    wrong: str | None = None,
    fault: dict[str, Any] | None = None,
    refusal: TooManyRequests | None = None,
) -> Response:
    faults = _faults(request, "correo", wrong, fault)
    return show(
        request, "portal/account/clave_ask.html", PHRASES, correo=correo, faults=faults, **_outcome(wrong, refusal)
    )


def _choose(
    request: Request,
    token: str,
    wrong: str | None = None,
    fault: dict[str, Any] | None = None,
    refusal: TooManyRequests | None = None,
) -> Response:
    """The form is shown empty again: a clave is never sent to a browser."""
    outcome = _outcome(wrong, refusal)
    outcome["headers"] = KEEP_SECRET | outcome["headers"]
    return show(
        request,
        "portal/account/clave_choose.html",
        PHRASES,
        token=token,
        faults=_faults(request, "clave", wrong, fault),
        **outcome,
    )


def _dead(request: Request) -> Response:
    return show(request, "portal/account/clave_dead.html", PHRASES, status=410, headers=KEEP_SECRET)


def _faults(request: Request, field: str, wrong: str | None, values: dict[str, Any] | None) -> list[FieldFault]:
    return [FieldFault(field, translator(language_of(request), PHRASES)(wrong, **values or {}))] if wrong else []


def _outcome(wrong: str | None, refusal: TooManyRequests | None) -> dict[str, Any]:
    if refusal is not None:
        return {"status": refusal.status, "headers": dict(refusal.headers)}
    return {"status": 422 if wrong else 200, "headers": {}}
