"""Logging in on a page, by clave or passkey and with a second step where there is a second factor, and logging out.

Limits, sentences and duration are those of the API: nothing tells which correos exist. What a form sent after its
session had ended is sealed into the pages of logging in, for that browser and an hour: nothing is stored for who never
logs in, and afterwards one tap sends it. Only a form that the browser says a page of ours sent, and none with a clave.
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Account, Role
from ficha.accounts.browser_sessions import start_session
from ficha.accounts.login import WrongClave, check_clave, log_in
from ficha.accounts.passkeys import Challenges, PasskeyRefused, login_options, passkeys_of, spend_passkey
from ficha.accounts.second_factor import SecondFactorWrong
from ficha.accounts.statements import has_app, has_second_factor
from ficha.accounts.tokens import IssuedToken, issue_token, revoke_token
from ficha.asgi.routes import Routes
from ficha.asgi.threads import Pool
from ficha.core.crypto import Tampered
from ficha.core.transaction import Transaction
from ficha.http.browser import FORM_TOKEN, CsrfMismatch, PageBrowser
from ficha.http.dependencies import Address, Browser, CurrentCaller, Db, Limiter, Now, Parts
from ficha.http.limits import RateLimit, TooManyRequests
from ficha.http.login_limits import LoginLimits, check_second_factor, check_second_passkey
from ficha.institutions.institution import institutions_with_role
from ficha.web.kit.forms import FieldRefused, LongForm, PostedForm
from ficha.web.kit.language import LANGUAGE_STEP
from ficha.web.kit.rendering import show, show_form
from ficha.web.kit.signed_in import KEEPS_FORM, LOGIN, go_to, safe_next, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.account.proofs import SealedStep

PHRASES = page_texts("portal", "login")

routes = Routes(include_in_schema=False)
logout_routes = signed_in_routes()

MOST_CORREO, MOST_CLAVE = 254, 128
WITH_PASSKEY, WITH_CODE = f"{LOGIN}/llave", f"{LOGIN}/codigo"
KEPT_FOR = timedelta(hours=1)
FIRST_STEP = SealedStep("login_step", timedelta(minutes=5))
APP, CONSOLE, INSTITUTIONS = "/app", "/admin", "/centros"
# What is never sent back to a browser.
SECRETS = {"clave", "clave_nueva", "codigo", "credencial"}
# Kept pages, drafts, and whatever else a script put aside on this device.
FORGET = '"cache", "storage"'


@dataclass(frozen=True)
class Onward:
    """Where to go after logging in, and what was sent there, sealed. `has_ended`: a session had ended before."""

    wanted: str
    kept: str = ""
    has_ended: bool = False

    @classmethod
    def of(cls, form: Mapping[str, str]) -> "Onward":
        return cls(form.get("next", ""), form.get("kept", ""), form.get("fin", "") == "1")

    def keeping(self, parts: Parts, browser: PageBrowser, form: Mapping[str, str], now: datetime) -> "Onward":
        """With this form in it."""
        fields = {name: value for name, value in form.items() if name != FORM_TOKEN}
        plain = json.dumps([(now + KEPT_FOR).timestamp(), fields]).encode()
        sealed = parts.secrets.seal("kept_form", plain, self._bound_to(browser))
        return Onward(self.wanted, base64.urlsafe_b64encode(sealed).decode(), has_ended=True)

    def fields(self, parts: Parts, browser: PageBrowser, now: datetime) -> dict[str, str]:
        """What was sent; empty where nothing was, or it is too old or another browser's."""
        try:
            sealed = base64.urlsafe_b64decode(self.kept.encode())
            ends, fields = json.loads(parts.secrets.unseal("kept_form", sealed, self._bound_to(browser)))
        except (ValueError, Tampered):
            return {}
        return dict(fields) if ends > now.timestamp() else {}

    def _bound_to(self, browser: PageBrowser) -> str:
        return f"{browser.secret}:{self.wanted}"


@routes.page(LOGIN)
def login_page(request: Request, parts: Parts, now: Now) -> Response:
    return _login_form(request, parts, PageBrowser(request, parts), Onward.of(request.query_params), now)


@routes.post(KEEPS_FORM)
def login_page_with_form(request: Request, parts: Parts, now: Now, form: LongForm) -> Response:
    """The browser brings here what it sent elsewhere without a session (`to_login`)."""
    browser, onward = PageBrowser(request, parts), Onward.of(request.query_params)
    browser.begin()
    if browser.vouches() and not SECRETS & form.keys():
        onward = onward.keeping(parts, browser, form, now)
    return _login_form(request, parts, browser, onward, now)


@routes.post(LOGIN, pool=Pool.CLAVES)
def log_in_on_page(
    request: Request, parts: Parts, limiter: Limiter, address: Address, now: Now, form: PostedForm
) -> Response:
    browser = PageBrowser(request, parts)
    onward = Onward.of(form)
    correo = form.get("correo", "").strip()[:MOST_CORREO]
    clave = form.get("clave", "")[:MOST_CLAVE]
    limits = LoginLimits(request, parts, limiter, correo, address)
    try:
        browser.check_form(form)
        if form.get("do") == LANGUAGE_STEP:
            return _login_form(request, parts, browser, onward, now, correo=correo)
        limiter.hit_address(request, RateLimit.LOGIN, address)
        limits.count()
        checked = check_clave(parts.database, correo, clave, now)
        with parts.database.writing() as tx:
            if has_second_factor(tx, checked.account_id):
                browser.begin()
                step = FIRST_STEP.seal(parts.secrets, checked, _bound_to(browser), now)
                return _second_form(request, parts, tx, browser, checked.account_id, step, onward, now)
            account, token = log_in(tx, checked, clave, now, parts.settings.token_minutes)
            return begin_session(tx, limits, browser, account, token, onward, now)
    except CsrfMismatch as refusal:
        wrong = FieldRefused("correo", "page_too_old", refusal.status)
    except TooManyRequests as refusal:
        wrong = FieldRefused.too_many("correo", refusal)
    except WrongClave:
        wrong = FieldRefused("correo", "wrong")
    return _login_form(request, parts, browser, onward, now, wrong, correo)


@routes.page(KEEPS_FORM)
@routes.page(WITH_PASSKEY)
@routes.page(WITH_CODE)
def to_first_step(request: Request) -> Response:
    return go_to(request, LOGIN)


@routes.post(WITH_PASSKEY)
def log_in_with_passkey(
    request: Request, parts: Parts, limiter: Limiter, address: Address, now: Now, form: PostedForm
) -> Response:
    """With a passkey alone: the device has made sure who it is, so nothing else is asked for."""
    browser = PageBrowser(request, parts)
    onward = Onward.of(form)
    try:
        browser.check_form(form)
        limiter.hit_address(request, RateLimit.LOGIN, address)
        challenges = _challenges(parts, browser, "login")
        with parts.database.writing() as tx:
            account = tx.orm.get_one(Account, spend_passkey(tx, challenges, form.get("credencial", ""), now))
            limits = LoginLimits(request, parts, limiter, account.correo, address)
            token = issue_token(tx, account, now, parts.settings.token_minutes)
            return begin_session(tx, limits, browser, account, token, onward, now)
    except (CsrfMismatch, PasskeyRefused):
        wrong = FieldRefused("correo", "passkey_refused")
    except TooManyRequests as refusal:
        wrong = FieldRefused.too_many("correo", refusal)
    return _login_form(request, parts, browser, onward, now, wrong)


@routes.post(WITH_CODE)
def log_in_with_code(
    request: Request, parts: Parts, limiter: Limiter, address: Address, now: Now, form: PostedForm
) -> Response:
    """The second step, for an account with a second factor."""
    browser = PageBrowser(request, parts)
    step, onward = form.get("paso", ""), Onward.of(form)
    try:
        browser.check_form(form)
    except CsrfMismatch:
        return go_to(request, LOGIN)
    checked = FIRST_STEP.opened(parts.secrets, step, _bound_to(browser), now)
    with parts.database.writing() as tx:
        account = None if checked is None else checked.account_in(tx)
        if account is None:
            return go_to(request, LOGIN)
        try:
            limiter.hit_address(request, RateLimit.LOGIN, address)
            if answer := form.get("credencial", ""):
                challenges = _challenges(parts, browser, f"second:{account.id}")
                check_second_passkey(request, limiter, challenges, tx, account.id, answer, now)
            else:
                typed = form.get("codigo", "")[:40]
                check_second_factor(request, limiter, parts.secrets, tx, account.id, typed, now)
        except TooManyRequests as refusal:
            wrong = FieldRefused.too_many("codigo", refusal)
        except SecondFactorWrong:
            wrong = FieldRefused("codigo", "second_wrong")
        except PasskeyRefused:
            wrong = FieldRefused("codigo", "passkey_refused")
        else:
            token = issue_token(tx, account, now, parts.settings.token_minutes)
            limits = LoginLimits(request, parts, limiter, account.correo, address)
            return begin_session(tx, limits, browser, account, token, onward, now)
        return _second_form(request, parts, tx, browser, account.id, step, onward, now, wrong)


@logout_routes.page("/logout")
def logout_page(request: Request, _caller: CurrentCaller) -> Response:
    """A link may lead here, so it asks first."""
    return show(request, "portal/account/logout.html", PHRASES)


@logout_routes.post("/logout")
def log_out(request: Request, db: Db, caller: CurrentCaller, browser: Browser) -> Response:
    """The session ends everywhere."""
    revoke_token(db, caller.account_id, caller.token_id)
    return forget_device(go_to(request, "/"), browser)


def begin_session(
    tx: Transaction,
    limits: LoginLimits,
    browser: PageBrowser,
    account: Account,
    token: IssuedToken,
    onward: Onward,
    now: datetime,
) -> Response:
    """The end of every way to log in. The session gets a new secret, so that one that was planted before is worth
    nothing, and the device is remembered. Staff begin on their own page, who works at an institution with its people;
    what was kept is offered to be sent first."""
    request, secret = limits.request, start_session(tx, token, now, limits.parts.settings.session_minutes)
    limits.forget()
    first = CONSOLE if {Role.STAFF, Role.ADMIN} & set(account.roles) else APP
    if first == APP and institutions_with_role(tx, account.id):
        first = INSTITUTIONS
    wanted, fields = safe_next(onward.wanted, ""), onward.fields(limits.parts, browser, now)
    if wanted and fields:
        browser.secret, request.state.browser = secret, browser  # For the token of the form.
        response: Response = show(request, "portal/account/go_on.html", PHRASES, wanted=wanted, fields=fields)
    else:
        response = go_to(request, wanted or first)
    limits.remember_device(response)
    browser.set_cookies(response, secret)
    return response


def forget_device(response: Response, browser: Browser) -> Response:
    """With it the device loses what it kept of us."""
    response.headers["Clear-Site-Data"] = FORGET
    browser.clear_cookies(response)
    return response


def _bound_to(browser: PageBrowser) -> str:
    return f"login:{browser.secret}"


def _challenges(parts: Parts, browser: PageBrowser, purpose: str) -> Challenges:
    return Challenges(parts.secrets, parts.settings.passkey_origin, browser.secret or "", purpose)


def _login_form(
    request: Request,
    parts: Parts,
    browser: PageBrowser,
    onward: Onward,
    now: datetime,
    wrong: FieldRefused | None = None,
    correo: str = "",
) -> Response:
    """Both ways to log in. The clave is never sent back to a browser."""
    browser.begin()
    request.state.browser = browser
    response = show_form(
        request,
        "portal/account/login.html",
        PHRASES,
        wrong,
        wanted=safe_next(onward.wanted, ""),
        onward=onward,
        correo=correo,
        options=login_options(_challenges(parts, browser, "login"), now),
        origin=parts.settings.passkey_origin,
    )
    browser.set_cookies(response)
    return response


def _second_form(
    request: Request,
    parts: Parts,
    tx: Transaction,
    browser: PageBrowser,
    account_id: int,
    step: str,
    onward: Onward,
    now: datetime,
    wrong: FieldRefused | None = None,
) -> Response:
    request.state.browser = browser
    known, challenges = passkeys_of(tx, account_id), _challenges(parts, browser, f"second:{account_id}")
    response = show_form(
        request,
        "portal/account/login_second_step.html",
        PHRASES,
        wrong,
        step=step,
        wanted=safe_next(onward.wanted, ""),
        onward=onward,
        has_app=has_app(tx, account_id),
        options=login_options(challenges, now, known) if known else None,
        origin=parts.settings.passkey_origin,
    )
    browser.set_cookies(response)
    return response
