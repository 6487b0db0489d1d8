"""Joining on a page: account, record and sticker by the same function as the API, and logged in at once. A further
record of a family that has an account."""

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import CorreoTaken, Idioma
from ficha.accounts.browser_sessions import start_session
from ficha.accounts.login import hash_clave
from ficha.accounts.tokens import issue_token
from ficha.administration.subscriptions import allowance
from ficha.asgi.routes import Routes
from ficha.asgi.threads import Pool
from ficha.core.phones import to_e164, typed_phone
from ficha.core.text_types import Clave, Correo, Etiqueta, Nombre
from ficha.enrolment.registration import NewPerson, NewRecord, open_further_record, register
from ficha.fmd.catalog import TEMPLATES
from ficha.fmd.model_parts import Telefono
from ficha.fmd.new_records import TooManyRecords
from ficha.fmd.record_codes import codes_of_account
from ficha.http.browser import CsrfMismatch, PageBrowser
from ficha.http.dependencies import Address, CurrentCaller, Db, Limiter, Now, Parts
from ficha.http.limits import RateLimit, TooManyRequests
from ficha.http.login_limits import LoginLimits
from ficha.products.codes import CodeNotFree
from ficha.products.statements import live_codes
from ficha.web.kit.forms import FieldFault, FieldRefused, PostedForm, fault_in
from ficha.web.kit.language import LANGUAGE_STEP, language_of, translator
from ficha.web.kit.rendering import REDRAWN, show, show_form
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.relations import relation_choices
from ficha.web.portal.sticker_cookie import forget_sticker, typed_sticker

FURTHER = page_texts("portal", "family")
PHRASES = page_texts("portal", "register")

routes = Routes(include_in_schema=False)

PATH = "/registro"
KINDS: dict[str, TypeAdapter[Any]] = {
    "nombre": TypeAdapter(Nombre),
    "relacion": TypeAdapter(Etiqueta),
    "correo": TypeAdapter(Correo),
    "clave": TypeAdapter(Clave),
}
NUMBER = TypeAdapter(Telefono)
FIELDS = ("code", "nombre", "relacion", "correo", "cod_telefono", "telefono", "clave")
MOST_LETTERS = 254


@routes.page(PATH)
def register_page(request: Request, parts: Parts) -> Response:
    typed = {"code": request.query_params.get("code", "")[:6], "cod_telefono": "+58", "relacion": "titular"}
    return _form(request, PageBrowser(request, parts), typed, [])


@routes.post(PATH, pool=Pool.CLAVES)
def register_on_page(
    request: Request, parts: Parts, limiter: Limiter, address: Address, now: Now, form: PostedForm
) -> Response:
    browser = PageBrowser(request, parts)
    typed = {name: form.get(name, "").strip()[:MOST_LETTERS] for name in FIELDS}
    typed["clave"] = form.get("clave", "")
    typed["cod_telefono"], typed["telefono"] = typed_phone(typed["cod_telefono"], typed["telefono"])
    sticker = typed_sticker(request, parts, typed["code"], now)
    try:
        browser.check_form(form)
        is_language = form.get("do") == LANGUAGE_STEP
        wrong = [] if is_language else _wrong(typed)
        if wrong or is_language:
            return _form(request, browser, typed, wrong, 422 if wrong else 200, REDRAWN)
        limiter.hit_address(request, RateLimit.REGISTRATION, address)
        if typed["code"]:
            limiter.hit_claim(request, address)
        person = NewPerson(
            correo=KINDS["correo"].validate_python(typed["correo"]),
            clave_hash=hash_clave(typed["clave"]),  # Slow, so before the transaction.
            nombre=typed["nombre"],
            cod_telefono=typed["cod_telefono"],
            telefono=typed["telefono"],
            relacion=typed["relacion"],
            idioma=Idioma(language_of(request)),
            product_code=sticker.code or None,
            product_tag=sticker.tag,
        )
        with parts.database.writing() as tx:
            account = register(tx, person, parts.keyring, now)
            token = issue_token(tx, account, now, parts.settings.token_minutes)
            secret = start_session(tx, token, now, parts.settings.session_minutes)
            code = codes_of_account(tx, account.id).product_codes[0]
    except CsrfMismatch as refusal:
        return _form(request, browser, typed, [("clave", "page_too_old", {})], refusal.status)
    except TooManyRequests as refusal:
        return _form(request, browser, typed, [("nombre", "too_many", {})], refusal.status, dict(refusal.headers))
    except CorreoTaken:
        return _form(request, browser, typed, [("correo", "correo_taken", {})], 422)
    except CodeNotFree:
        return _form(request, browser, typed, [("code", "code_not_free", {})], 422)
    response = go_to(request, f"/app/{code}/inicio")
    LoginLimits(request, parts, limiter, person.correo, address).remember_device(response)
    browser.set_cookies(response, secret)
    forget_sticker(request, response, sticker)
    return response


Wrong = list[tuple[str, str, dict[str, Any]]]


def _wrong(typed: dict[str, str]) -> Wrong:
    found: Wrong = []
    for name, kind in KINDS.items():
        fault = fault_in(kind, typed[name])
        if fault is not None:
            found.append((name, f"{name}_{CLAVE_FAULTS.get(fault['type'], 'odd')}" if name == "clave" else name, fault))
    try:
        NUMBER.validate_python(typed["telefono"])
        to_e164(typed["cod_telefono"], typed["telefono"])
    except ValueError:  # No number, no prefix, or one that no country has.
        found.append(("telefono", "telefono_wrong", {}))
    return sorted(found, key=lambda fault: FIELDS.index(fault[0]))


CLAVE_FAULTS = {"string_too_short": "short", "string_too_long": "long"}


def _form(
    request: Request,
    browser: PageBrowser,
    typed: dict[str, str],
    wrong: Wrong,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The clave is never sent back to a browser."""
    browser.begin()
    request.state.browser = browser
    parts: Parts = request.app.state.parts
    t = translator(language_of(request), PHRASES)
    faults = [FieldFault(name, t(f"{key}_wrong" if key in KINDS else key, **values)) for name, key, values in wrong]
    shown = dict.fromkeys(FIELDS, "") | typed | {"clave": ""}
    response = show(
        request,
        "portal/joining/register.html",
        PHRASES,
        status=status,
        headers=headers,
        typed=shown,
        sticker=typed_sticker(request, parts, typed["code"], parts.clock.now()),
        relations=relation_choices(request, "titular"),
        faults=faults,
    )
    browser.set_cookies(response)
    return response


further_routes = signed_in_routes("/app")


@further_routes.page("/nueva")
def new_record_page(request: Request, parts: Parts, _caller: CurrentCaller, now: Now) -> Response:
    code = request.query_params.get("code", "")[:6]
    return _further_form(request, parts, now, {"relacion": "madre", "template_type": "general", "code": code})


@further_routes.post("/nueva")
def new_record(
    request: Request,
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    limiter: Limiter,
    address: Address,
    now: Now,
    form: PostedForm,
) -> Response:
    if form.get("do") == LANGUAGE_STEP:
        return _further_form(request, parts, now, form)
    nombres, sticker = form.get("nombres", "").strip(), typed_sticker(request, parts, form.get("code", ""), now)
    relacion, template = form.get("relacion", "").strip(), form.get("template_type", "")
    if fault_in(KINDS["nombre"], nombres) or fault_in(KINDS["relacion"], relacion) or template not in TEMPLATES:
        return _further_form(request, parts, now, form, FieldRefused("nombres", "nombres_wrong"))
    if sticker.code:
        limiter.hit_claim(request, address, caller.account_id)
    wanted = NewRecord(relacion, sticker.code or None, sticker.tag, template, nombres)
    most = min(parts.settings.account_records, allowance(db, caller.account_id, now).records)
    try:
        record = open_further_record(db, parts.keyring, caller, wanted, now, most=most)
    except CodeNotFree:
        db.rollback()
        return _further_form(request, parts, now, form, FieldRefused("code", "code_wrong"))
    except TooManyRecords:
        return _further_form(request, parts, now, form, FieldRefused("nombres", "too_many_records"))
    db.orm.flush()
    response = go_to(request, f"/app/{live_codes(db, [record.id])[0].code}/inicio")
    forget_sticker(request, response, sticker)
    return response


def _further_form(
    request: Request, parts: Parts, now: Now, typed: dict[str, str], wrong: FieldRefused | None = None
) -> Response:
    language = language_of(request)
    return show_form(
        request,
        "portal/joining/new_record.html",
        FURTHER,
        wrong,
        typed=typed,
        is_scanned=typed_sticker(request, parts, typed.get("code", ""), now).tag is not None,
        relations=relation_choices(request, "titular"),
        templates=[(name, template.title.in_language(language)) for name, template in TEMPLATES.items()],
    )
