"""For pages behind a link that was sent: whoever follows it and has no account makes one right there, and is logged
in."""

from datetime import datetime

from starlette.requests import Request

from ficha.accounts.accounts import Account, CorreoTaken, Idioma
from ficha.accounts.browser_sessions import start_session
from ficha.accounts.login import CheckedClave, hash_clave
from ficha.accounts.tokens import issue_token
from ficha.core.phones import split_e164
from ficha.enrolment.registration import NewPerson, register
from ficha.http.browser import CsrfMismatch, PageBrowser
from ficha.http.limits import Limiter, RateLimit, TooManyRequests
from ficha.parts import Parts
from ficha.web.kit.forms import FieldRefused, fault_in
from ficha.web.kit.language import language_of
from ficha.web.portal.account.clave import wrong_clave
from ficha.web.portal.joining.register import KINDS


def register_by_link(
    request: Request,
    parts: Parts,
    limiter: Limiter,
    address: str,
    now: datetime,
    form: dict[str, str],
    *,
    mailbox: str = "",
    phone: str = "",
) -> tuple[CheckedClave, str]:
    """Makes her account, with the empty record that every account has: returns it and the secret of the session. The
    link went to `mailbox`, which is hers then, or to `phone`, which is not proven. Raises FieldRefused."""
    correo = mailbox or form.get("correo", "").strip()[:254]
    nombre, clave = form.get("nombre", "").strip()[:254], form.get("clave_nueva", "")
    for name, value in (("nombre", nombre), ("correo", correo)):
        if fault_in(KINDS[name], value) is not None:
            raise FieldRefused(name, f"{name}_wrong")
    if wrong := wrong_clave("clave_nueva", clave):
        raise wrong
    try:
        PageBrowser(request, parts).check_form(form)  # It opens a session.
        limiter.hit_address(request, RateLimit.REGISTRATION, address)
        prefix, number = split_e164(phone) if phone else ("", "")
        person = NewPerson(
            correo=KINDS["correo"].validate_python(correo),
            clave_hash=hash_clave(clave),  # Slow, so before the transaction.
            nombre=nombre,
            cod_telefono=prefix,
            telefono=number,
            idioma=Idioma(language_of(request)),
        )
        with parts.database.writing() as tx:
            account = register(tx, person, parts.keyring, now)
            if mailbox:
                tx.orm.get_one(Account, account.id).correo_verificado_en = now
            token = issue_token(tx, account, now, parts.settings.token_minutes)
            secret = start_session(tx, token, now, parts.settings.session_minutes)
            return CheckedClave.of(account.id, person.clave_hash), secret
    except CsrfMismatch as refusal:
        raise FieldRefused("clave_nueva", "page_too_old", refusal.status) from None
    except TooManyRequests as refusal:
        raise FieldRefused.too_many("clave_nueva", refusal) from None
    except CorreoTaken:
        raise FieldRefused("clave_nueva" if mailbox else "correo", "correo_taken") from None
