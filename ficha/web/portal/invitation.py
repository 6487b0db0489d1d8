"""The page behind a mailed invitation: whoever is invited accepts with the clave of her account.

It carries no CSRF token on purpose: no cookie gives it any power, the secret in the link and the clave do.
"""

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.login import WrongClave, check_clave
from ficha.fmd.invitations import Invitation, InvitationUnknown, OwnGrant, accept, invitation_with
from ficha.fmd.readable_documents import documents_of, unfiltered_first_name
from ficha.http.dependencies import Address, Limiter, Now
from ficha.http.dependencies import Parts as AskedParts
from ficha.http.limits import TooManyRequests
from ficha.http.login_limits import LoginLimits
from ficha.http.routes import Routes
from ficha.http.threads import Pool
from ficha.parts import Parts
from ficha.web.kit.forms import Fault, PostedForm
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.portal.invitation_phrases import PHRASES

routes = Routes(include_in_schema=False)

# The address is a secret: it goes to nobody, not even to ourselves as a referrer.
KEEP_SECRET = {"Referrer-Policy": "no-referrer"}


@routes.page("/invitacion/{token}")
def invitation_page(
    request: Request, parts: AskedParts, limiter: Limiter, address: Address, now: Now, token: str
) -> Response:
    limiter.hit_address(request, "link", address)
    try:
        with parts.database.reading() as session:
            found = invitation_with(session, parts.keyring, token, now)
            return _form(request, token, found, _person(parts, found))
    except InvitationUnknown:
        return _dead(request)


@routes.post("/invitacion/{token}", pool=Pool.CLAVES)
def accept_on_page(
    request: Request, parts: AskedParts, limiter: Limiter, address: Address, now: Now, token: str, form: PostedForm
) -> Response:
    try:
        with parts.database.reading() as session:
            found = invitation_with(session, parts.keyring, token, now)
            person = _person(parts, found)
        try:
            limiter.hit_address(request, "login", address)
            LoginLimits(request, parts, limiter, found.correo, address).count()
            account_id = check_clave(parts.database, found.correo, form.get("clave", "")[:128], now)
        except TooManyRequests as refusal:
            return _form(request, token, found, person, "too_many", refusal.status, dict(refusal.headers))
        except WrongClave:
            return _form(request, token, found, person, "clave_wrong", 422)
        with parts.database.writing() as session:
            accept(session, parts.keyring, token, account_id, now, origin=address)
    except (InvitationUnknown, OwnGrant):
        return _dead(request)
    return show(request, "portal/invitation/done.html", PHRASES, headers=KEEP_SECRET, person=person)


def _person(parts: Parts, found: Invitation) -> str:
    with parts.database.reading() as session:
        return unfiltered_first_name(documents_of(session, found.record.id, found.key, ["personal"]))


def _form(
    request: Request,
    token: str,
    found: Invitation,
    person: str,
    wrong: str | None = None,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> Response:
    """The form is shown empty again: a clave is never sent to a browser."""
    faults = [Fault("clave", translator(language_of(request), PHRASES)(wrong))] if wrong else []
    return show(
        request,
        "portal/invitation/accept.html",
        PHRASES,
        status=status,
        headers=KEEP_SECRET | (headers or {}),
        token=token,
        person=person,
        correo=found.correo,
        ends=f"{found.grant.ends_at:%Y-%m-%d}",
        may=f"may_{found.grant.kind}" + ("_edits" if found.grant.edits and found.grant.kind == "delegate" else ""),
        faults=faults,
    )


def _dead(request: Request) -> Response:
    return show(request, "portal/invitation/dead.html", PHRASES, status=410, headers=KEEP_SECRET)
