"""The pages of a forgotten clave: ask for a link, then choose a new clave (link_pages.py)."""

from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.account_changes import ask_for_new_clave, reset_clave
from ficha.accounts.login import hash_clave
from ficha.accounts.one_time_codes import LinkExpired, Purpose, account_of_link
from ficha.asgi.threads import Pool
from ficha.core.text_types import Clave, Correo, correo_key
from ficha.http.dependencies import Address, Limiter, Now, Parts
from ficha.http.limits import RateLimit, TooManyRequests
from ficha.http.login_limits import LoginLimits
from ficha.web.kit.forms import FieldRefused, PostedForm, fault_in
from ficha.web.kit.language import LANGUAGE_STEP
from ficha.web.kit.rendering import show, show_form
from ficha.web.kit.texts import page_texts
from ficha.web.portal.link_pages import link_routes

PHRASES = page_texts("portal", "clave")

routes = link_routes("portal/account/clave_ended.html", PHRASES, LinkExpired)

CORREO: TypeAdapter[str] = TypeAdapter(Correo)
CLAVE: TypeAdapter[str] = TypeAdapter(Clave)
CLAVE_FAULTS = {"string_too_short": "clave_short", "string_too_long": "clave_long"}
ASK, CHOOSE = "portal/account/clave_ask.html", "portal/account/clave_choose.html"


@routes.page("/clave")
def ask_page(request: Request) -> Response:
    return show_form(request, ASK, PHRASES, correo="")


@routes.post("/clave")
def ask(request: Request, parts: Parts, limiter: Limiter, address: Address, form: PostedForm) -> Response:
    """The same page for every correo, known or not."""
    correo = form.get("correo", "").strip()
    if form.get("do") == LANGUAGE_STEP:
        return show_form(request, ASK, PHRASES, correo=correo)
    if fault := fault_in(CORREO, correo):
        wrong = FieldRefused("correo", "correo_wrong" if correo else "correo_missing", values=fault)
        return show_form(request, ASK, PHRASES, wrong, correo=correo)
    try:
        limiter.hit_address(request, RateLimit.LOGIN, address)
        limiter.hit(request, RateLimit.CODE, f"correo:{correo_key(correo)}")
    except TooManyRequests as refusal:
        return show_form(request, ASK, PHRASES, FieldRefused.too_many("correo", refusal), correo=correo)
    with parts.database.writing() as tx:
        ask_for_new_clave(tx, correo)
    minutes = parts.settings.recovery_minutes
    return show(request, "portal/account/clave_sent.html", PHRASES, correo=correo, minutes=minutes)


@routes.page("/clave/{token}")
def choose_page(request: Request, parts: Parts, now: Now, token: str) -> Response:
    with parts.database.reading() as tx:
        account_of_link(tx, parts.secrets, Purpose.CLAVE, token, now)
    return show_form(request, CHOOSE, PHRASES, token=token)


@routes.post("/clave/{token}", pool=Pool.CLAVES)
def choose(
    request: Request, parts: Parts, limiter: Limiter, address: Address, now: Now, token: str, form: PostedForm
) -> Response:
    """The form is shown empty again: a clave is never sent to a browser."""
    clave = form.get("clave", "")
    try:
        limiter.hit_address(request, RateLimit.LOGIN, address)
    except TooManyRequests as refusal:
        return show_form(request, CHOOSE, PHRASES, FieldRefused.too_many("clave", refusal), token=token)
    with parts.database.reading() as tx:
        account_of_link(tx, parts.secrets, Purpose.CLAVE, token, now)
    if wrong := wrong_clave("clave", clave):
        return show_form(request, CHOOSE, PHRASES, wrong, token=token)
    clave_hash = hash_clave(clave)  # Slow, so before the transaction.
    with parts.database.writing() as tx:
        correo = reset_clave(tx, parts.secrets, token, clave_hash, now)
    done = show(request, "portal/account/clave_done.html", PHRASES)
    limits = LoginLimits(request, parts, limiter, correo, address)
    limits.forget()
    limits.remember_device(done)
    return done


def wrong_clave(field: str, clave: str) -> FieldRefused | None:
    """What is wrong with a clave that somebody chose."""
    fault = fault_in(CLAVE, clave)
    return FieldRefused(field, CLAVE_FAULTS.get(fault["type"], "clave_odd"), values=fault) if fault else None
