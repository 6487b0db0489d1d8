"""What shows on a page whose account it is: its own clave once more, or the first step of a form with two."""

import base64
from dataclasses import dataclass
from datetime import datetime, timedelta

from starlette.requests import Request

from ficha.accounts.login import CheckedClave, WrongOwnClave
from ficha.accounts.tokens import Caller
from ficha.core.crypto import Tampered
from ficha.core.secrets import Secrets
from ficha.http.limits import Limiter, TooManyRequests
from ficha.http.login_limits import confirm_clave
from ficha.parts import Parts
from ficha.web.kit.forms import FieldRefused


def confirm_own_clave(request: Request, limiter: Limiter, parts: Parts, caller: Caller, form: dict[str, str]) -> None:
    """For what whoever finds an open session must not do. Raises FieldRefused."""
    try:
        confirm_clave(request, limiter, parts, caller, form.get("clave", "")[:128])
    except WrongOwnClave:
        raise FieldRefused("clave", "clave_wrong") from None
    except TooManyRequests:
        raise FieldRefused("clave", "too_many") from None


@dataclass(frozen=True)
class SealedStep:
    """The account that a first step found out, sealed into the form of the second: the clave is not sent to the browser
    and back, and nothing is stored for who never comes to the second step."""

    name: str
    lasts: timedelta

    def seal(self, secrets: Secrets, checked: CheckedClave, bound_to: str, now: datetime) -> str:
        """`bound_to` is the browser or the link that alone can use it."""
        plain = f"{checked.account_id}|{checked.mark}|{(now + self.lasts).timestamp()}".encode()
        return base64.urlsafe_b64encode(secrets.seal(self.name, plain, bound_to)).decode()

    def opened(self, secrets: Secrets, step: str, bound_to: str, now: datetime) -> CheckedClave | None:
        """None if there was no such first step, or it is too old."""
        try:
            plain = secrets.unseal(self.name, base64.urlsafe_b64decode(step), bound_to).decode()
            account_id, mark, ends = plain.split("|")
        except (ValueError, Tampered):  # One of before 2.1.0 has no mark.
            return None
        return CheckedClave(int(account_id), mark) if float(ends) > now.timestamp() else None
