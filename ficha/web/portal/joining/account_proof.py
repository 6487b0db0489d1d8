"""For pages behind a link that was sent: whoever follows it proves her account by its clave, and by its second factor
where it has one. No session is opened."""

from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.login import CheckedClave, WrongClave, check_clave
from ficha.accounts.second_factor import SecondFactorWrong
from ficha.http.browser import PageBrowser
from ficha.http.limits import Limiter, RateLimit, TooManyRequests
from ficha.http.login_limits import LoginLimits, check_second_factor
from ficha.parts import Parts
from ficha.web.kit.forms import FieldRefused
from ficha.web.kit.language import Phrases
from ficha.web.kit.rendering import show_form


def prove_account(
    request: Request,
    parts: Parts,
    limiter: Limiter,
    address: str,
    now: datetime,
    correo: str,
    form: dict[str, str],
) -> CheckedClave:
    """Raises FieldRefused."""
    typed = form.get("codigo", "")[:40]
    try:
        limiter.hit_address(request, RateLimit.LOGIN, address)
        LoginLimits(request, parts, limiter, correo, address).count()
        checked = check_clave(parts.database, correo, form.get("clave", "")[:128], now)
        with parts.database.writing() as tx:
            check_second_factor(request, limiter, parts.secrets, tx, checked.account_id, typed, now)
    except TooManyRequests as refusal:
        raise FieldRefused.too_many("clave", refusal) from None
    except WrongClave:
        raise FieldRefused("clave", "clave_wrong") from None
    except SecondFactorWrong:
        raise FieldRefused("codigo", "second_wrong" if typed else "second_asked") from None
    return checked


def show_proof_form(
    request: Request,
    parts: Parts,
    template: str,
    phrases: Phrases,
    form: dict[str, str],
    wrong: FieldRefused | None,
    secret: str | None = None,
    **values: Any,
) -> Response:
    """What was typed stands there again, but for the clave: it is never sent to a browser. `secret`: of the session of
    an account that was made on this page."""
    browser = PageBrowser(request, parts)
    browser.begin()
    request.state.browser = browser
    asks_code = wrong is not None and wrong.field == "codigo"
    values |= {name: form.get(name, "")[:254] for name in ("correo", "nombre")}
    response = show_form(request, template, phrases, wrong, asks_code=asks_code, **values)
    browser.set_cookies(response, secret)
    return response
