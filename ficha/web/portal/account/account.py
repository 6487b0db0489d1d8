"""The account's own pages: language, correo, phone, clave, sessions, and leaving, with what it holds offered first;
proving correo and phone by six digits that are sent there; notifications, turned on and off on this device, and the
list of all."""

from contextlib import suppress

from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.account_changes import change_clave, change_correo, change_phone
from ficha.accounts.accounts import Account, CorreoTaken, Idioma
from ficha.accounts.jobs import SEND_CODE
from ficha.accounts.login import hash_clave
from ficha.accounts.one_time_codes import WrongCode, verify_correo
from ficha.accounts.tokens import MAX_ID, revoke_all, revoke_token, tokens_of
from ficha.asgi.threads import Pool
from ficha.channels.webpush import MOST_LETTERS, SenderKey
from ficha.core.errors import NotFound
from ficha.core.phones import one_spelling, typed_phone
from ficha.core.text_types import Correo
from ficha.devices.devices import (
    Auth,
    BadPushKeys,
    Endpoint,
    P256dh,
    UnknownPushService,
    accept_device,
    devices_of,
    remove_device,
    remove_endpoint,
)
from ficha.enrolment.erasure import erase_account
from ficha.fmd.model_parts import Telefono
from ficha.fmd.record_codes import codes_of_account
from ficha.http.dependencies import Address, Browser, CurrentCaller, Db, Limiter, Now, Parts, Reading
from ficha.http.limits import RateLimit, TooManyRequests
from ficha.jobs.queue import put
from ficha.messaging.codes_and_invitations import SEND_TO_PHONE, verify_phone
from ficha.web.kit.forms import FieldRefused, PostedForm, fault_in
from ficha.web.kit.language import LANGUAGE_STEP
from ficha.web.kit.lists import row_number
from ficha.web.kit.rendering import show, show_form
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.account.clave import wrong_clave
from ficha.web.portal.account.login import forget_device
from ficha.web.portal.account.proofs import confirm_own_clave
from ficha.web.portal.time_zones import moment_texts

PHRASES = page_texts("portal", "account")
PUSH = page_texts("portal", "push")
VERIFICATION = page_texts("portal", "verification")


routes = signed_in_routes("/app/mi-cuenta")

MOST_SESSIONS, MOST_CORREO, MOST_PHONE = 50, 254, 40
CORREO: TypeAdapter[str] = TypeAdapter(Correo)
NUMBER: TypeAdapter[str] = TypeAdapter(Telefono)
VERIFICATION_PATH = "/app/mi-cuenta/verificar"
WAYS = {"correo": (SEND_CODE, verify_correo), "telefono": (SEND_TO_PHONE, verify_phone)}


@routes.page("")
def account_page(request: Request, reading: Reading, caller: CurrentCaller, now: Now) -> Response:
    account = reading.orm.get_one(Account, caller.account_id)
    return show(
        request,
        "portal/account/account.html",
        PHRASES,
        account=account,
        sessions=tokens_of(reading, account.id, now, after=MAX_ID, limit=MOST_SESSIONS),
        current=caller.token_id,
        told=moment_texts(request, reading, account.id, now),
        is_saved=request.query_params.get("guardado") == "1",
    )


@routes.post("")
def change_account_page(request: Request, db: Db, caller: CurrentCaller, form: PostedForm) -> Response:
    """The language that mails are written in, or the end of one other session or of all."""
    if form.get("idioma") in set(Idioma):
        db.orm.get_one(Account, caller.account_id).idioma = form["idioma"]
    do, _, which = form.get("do", "").partition(":")
    if do == "end" and not which:
        revoke_all(db, caller.account_id, but=caller.token_id)
    elif do == "end" and which.isascii() and which.isdigit():
        with suppress(NotFound):  # It ended meanwhile.
            revoke_token(db, caller.account_id, min(int(which[:20]), MAX_ID))
    return go_to(request, "/app/mi-cuenta?guardado=1")


@routes.page("/clave")
def clave_page(request: Request, _caller: CurrentCaller) -> Response:
    return show_form(request, "portal/account/change_clave.html", PHRASES)


@routes.post("/clave", pool=Pool.CLAVES)
def new_clave(
    request: Request, db: Db, parts: Parts, caller: CurrentCaller, limiter: Limiter, form: PostedForm
) -> Response:
    """Ends every other session."""
    chosen = form.get("clave_nueva", "")
    try:
        if wrong := wrong_clave("clave_nueva", chosen):
            raise wrong
        confirm_own_clave(request, limiter, parts, caller, form)
    except FieldRefused as wrong:
        return show_form(request, "portal/account/change_clave.html", PHRASES, wrong)
    hashed = hash_clave(chosen)  # Slow, so before the first statement.
    change_clave(db, db.orm.get_one(Account, caller.account_id), hashed, keep_token=caller.token_id)
    return go_to(request, "/app/mi-cuenta?guardado=1")


@routes.page("/correo")
def correo_page(request: Request, reading: Reading, caller: CurrentCaller) -> Response:
    return _correo_form(request, reading.orm.get_one(Account, caller.account_id).correo)


@routes.post("/correo", pool=Pool.CLAVES)
def new_address(
    request: Request,
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    limiter: Limiter,
    address: Address,
    form: PostedForm,
) -> Response:
    """Typed wrong at registration, or another by now. As there, whether it is taken is told a few times an hour."""
    typed = form.get("correo", "").strip()[:MOST_CORREO]
    if form.get("do") == LANGUAGE_STEP:
        return _correo_form(request, typed)
    try:
        if fault_in(CORREO, typed):
            raise FieldRefused("correo", "correo_wrong")
        limiter.hit_address(request, RateLimit.REGISTRATION, address)
        confirm_own_clave(request, limiter, parts, caller, form)
        change_correo(db, parts.secrets, db.orm.get_one(Account, caller.account_id), CORREO.validate_python(typed))
    except CorreoTaken:
        db.rollback()
        return _correo_form(request, typed, FieldRefused("correo", "correo_taken"))
    except TooManyRequests as refusal:
        return _correo_form(request, typed, FieldRefused.too_many("correo", refusal))
    except FieldRefused as wrong:
        return _correo_form(request, typed, wrong)
    return go_to(request, VERIFICATION_PATH)


def _correo_form(request: Request, correo: str, wrong: FieldRefused | None = None) -> Response:
    return show_form(request, "portal/account/change_correo.html", PHRASES, wrong, correo=correo)


@routes.page("/telefono")
def phone_page(request: Request, reading: Reading, caller: CurrentCaller) -> Response:
    account = reading.orm.get_one(Account, caller.account_id)
    return _phone_form(request, account.cod_telefono, account.telefono)


@routes.post("/telefono", pool=Pool.CLAVES)
def new_phone(
    request: Request, db: Db, parts: Parts, caller: CurrentCaller, limiter: Limiter, form: PostedForm
) -> Response:
    """Typed wrong at registration, or another by now."""
    typed = typed_phone(form.get("cod_telefono", "")[:MOST_PHONE], form.get("telefono", "")[:MOST_PHONE])
    if form.get("do") == LANGUAGE_STEP:
        return _phone_form(request, *typed)
    try:
        confirm_own_clave(request, limiter, parts, caller, form)
        NUMBER.validate_python(typed[1])
        change_phone(db.orm.get_one(Account, caller.account_id), *typed)
    except ValueError:  # No number, no prefix, or one that no country has.
        return _phone_form(request, *typed, FieldRefused("telefono", "telefono_wrong"))
    except FieldRefused as wrong:
        return _phone_form(request, *typed, wrong)
    return go_to(request, VERIFICATION_PATH)


def _phone_form(request: Request, cod_telefono: str, telefono: str, wrong: FieldRefused | None = None) -> Response:
    template = "portal/account/change_phone.html"
    return show_form(request, template, PHRASES, wrong, cod_telefono=cod_telefono, telefono=telefono)


@routes.page("/borrar")
def erase_page(request: Request, reading: Reading, caller: CurrentCaller) -> Response:
    return _erase_form(request, reading, caller.account_id)


@routes.post("/borrar", pool=Pool.CLAVES)
def erase(
    request: Request,
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    browser: Browser,
    limiter: Limiter,
    now: Now,
    form: PostedForm,
) -> Response:
    try:
        confirm_own_clave(request, limiter, parts, caller, form)
    except FieldRefused as wrong:
        return _erase_form(request, db, caller.account_id, wrong)
    erase_account(db, parts.keyring, caller.account_id, caller.actor, now)
    return forget_device(show(request, "portal/account/erased.html", PHRASES), browser)


def _erase_form(request: Request, tx: Reading, account_id: int, wrong: FieldRefused | None = None) -> Response:
    codes = [record.codes[0] for record in codes_of_account(tx, account_id).records if record.codes]
    return show_form(request, "portal/account/erase.html", PHRASES, wrong, codes=codes)


@routes.page("/verificar")
def verification_page(request: Request, reading: Reading, caller: CurrentCaller) -> Response:
    account = reading.orm.get_one(Account, caller.account_id)
    return _verification_form(request, account, request.query_params.get("enviado", ""))


@routes.post("/verificar")
def send_or_verify(
    request: Request, db: Db, parts: Parts, caller: CurrentCaller, limiter: Limiter, now: Now, form: PostedForm
) -> Response:
    """The limits are those of the operations."""
    account = db.orm.get_one(Account, caller.account_id)
    do, _, way = form.get("do", "").partition(":")
    if way not in WAYS:
        return go_to(request, VERIFICATION_PATH)
    job, verify = WAYS[way]
    field = f"codigo_{way}"
    try:
        if do == "send":
            if way == "correo":
                limiter.hit_code(request, account.id, account.correo)
            else:
                phone = f"phone:{one_spelling(account.telefono_e164 or str(account.id))}"
                limiter.hit(request, RateLimit.CODE, phone)
            put(db, job, {"account_id": account.id})
            return go_to(request, f"{VERIFICATION_PATH}?enviado={way}")
        verify(db, parts.secrets, account.id, "".join(form.get(field, "").split())[:10], now)
    except TooManyRequests:
        return _verification_form(request, account, way, FieldRefused(field, "too_many"))
    except WrongCode:
        return _verification_form(request, account, way, FieldRefused(field, "code_wrong"))
    return go_to(request, VERIFICATION_PATH)


def _verification_form(request: Request, account: Account, sent: str, wrong: FieldRefused | None = None) -> Response:
    ways = (
        ("correo", account.correo, account.correo_verificado_en),
        ("telefono", f"{account.cod_telefono} {account.telefono}", account.telefono_verificado_en),
    )
    return show_form(request, "portal/account/verification.html", VERIFICATION, wrong, ways=ways, sent=sent)


PUSH_DONE = ("activado", "quitado", "no")


class GivenDevice(BaseModel):
    """What a script asked the browser for. Turning one off in the list needs none."""

    endpoint: Endpoint
    p256dh: P256dh
    auth: Auth


@routes.page("/avisos")
def devices_page(request: Request, reading: Reading, parts: Parts, caller: CurrentCaller, now: Now) -> Response:
    done = request.query_params.get("hecho", "")
    return show(
        request,
        "portal/account/push.html",
        PUSH,
        devices=devices_of(reading, [caller.account_id]),
        told=moment_texts(request, reading, caller.account_id, now),
        public_key=SenderKey(parts.secrets).public,
        done=done if done in PUSH_DONE else "",
    )


@routes.post("/avisos")
def change_devices(
    request: Request, db: Db, parts: Parts, caller: CurrentCaller, now: Now, form: PostedForm
) -> Response:
    do, _, which = form.get("do", "").partition(":")
    done = "quitado"
    if do == "remove":
        remove_device(db, caller.account_id, row_number(which))
    elif do == "off":
        remove_endpoint(db, parts.secrets, caller.account_id, form.get("endpoint", "")[:MOST_LETTERS])
    else:
        done = "activado"
        try:
            given = GivenDevice.model_validate(form)
            keys = given.endpoint, given.p256dh, given.auth
            accept_device(db, parts.secrets, parts.settings, caller.account_id, *keys, now)
        except (ValidationError, UnknownPushService, BadPushKeys):
            done = "no"
    return go_to(request, f"/app/mi-cuenta/avisos?hecho={done}")
