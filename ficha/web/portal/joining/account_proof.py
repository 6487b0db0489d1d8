"""For pages behind a link that was sent: whoever follows it proves her account by its clave, and by its second factor
where it has one. No session is opened.

Such a page carries no CSRF token on purpose: no cookie gives it any power, the secret in the link and the clave do.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.login import WrongClave, check_clave
from ficha.accounts.second_factor import SecondFactorWrong
from ficha.http.limits import Limiter, RateLimit, TooManyRequests
from ficha.http.login_limits import LoginLimits, check_second_factor
from ficha.parts import Parts
from ficha.web.kit.forms import FieldFault
from ficha.web.kit.language import Phrases, language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.kit.texts import page_texts

# The address is a secret: it goes to nobody, not even to ourselves as a referrer.
KEEP_SECRET = {"Referrer-Policy": "no-referrer"}

PHRASES = page_texts("portal", "account_proof")


@dataclass(eq=False)
class ProofRefused(Exception):
    """What to say beside which field."""

    name: str
    sentence: str
    status: int = 422
    headers: dict[str, str] = field(default_factory=dict)


def prove_account(
    request: Request,
    parts: Parts,
    limiter: Limiter,
    address: str,
    now: datetime,
    correo: str,
    form: dict[str, str],
) -> int:
    """The number of the account. Raises ProofRefused."""
    typed = form.get("codigo", "")[:40]
    try:
        limiter.hit_address(request, RateLimit.LOGIN, address)
        LoginLimits(request, parts, limiter, correo, address).count()
        account_id = check_clave(parts.database, correo, form.get("clave", "")[:128], now)
        with parts.database.writing() as tx:
            check_second_factor(request, limiter, parts.secrets, tx, account_id, typed, now)
    except TooManyRequests as refusal:
        raise ProofRefused("clave", "too_many", refusal.status, dict(refusal.headers)) from None
    except WrongClave:
        raise ProofRefused("clave", "clave_wrong") from None
    except SecondFactorWrong:
        raise ProofRefused("codigo", "second_wrong" if typed else "second_asked") from None
    return account_id


def show_proof_form(
    request: Request, template: str, phrases: Phrases, refused: ProofRefused | None, **values: Any
) -> Response:
    """The clave is asked for again each time: it is never sent to a browser."""
    t = translator(language_of(request), phrases)
    return show(
        request,
        template,
        phrases,
        status=200 if refused is None else refused.status,
        headers=KEEP_SECRET | ({} if refused is None else refused.headers),
        faults=[] if refused is None else [FieldFault(refused.name, t(refused.sentence))],
        asks_code=refused is not None and refused.name == "codigo",
        **values,
    )
