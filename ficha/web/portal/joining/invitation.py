"""The page behind an invitation: whoever is invited accepts with the clave of her account (account_proof.py). Who was
invited by her number says which account: a family may share a number."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Account
from ficha.fmd.invitations import (
    HANDOVER,
    Invitation,
    InvitationUnknown,
    OwnGrant,
    accept,
    invitation_with,
    is_number,
)
from ficha.fmd.local_time import day_text
from ficha.fmd.new_records import TooManyRecords
from ficha.fmd.readable_documents import documents_of, unfiltered_first_name
from ficha.http.dependencies import Address, Limiter, Now
from ficha.http.dependencies import Parts as AskedParts
from ficha.http.routes import Routes
from ficha.http.threads import Pool
from ficha.parts import Parts
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.language import language_of
from ficha.web.kit.rendering import show
from ficha.web.portal.joining.account_proof import KEEP_SECRET, ProofRefused, prove_account, show_proof_form
from ficha.web.portal.joining.invitation_phrases import PHRASES

routes = Routes(include_in_schema=False)


@routes.page("/invitacion/{token}")
def invitation_page(
    request: Request, parts: AskedParts, limiter: Limiter, address: Address, now: Now, token: str
) -> Response:
    limiter.hit_address(request, "link", address)
    try:
        with parts.database.reading() as session:
            found = invitation_with(session, parts.keyring, token, now)
            return _form(request, token, found, _person(parts, found), {})
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
            correo = form.get("correo", "")[:254] if is_number(found.address) else found.address
            account_id = prove_account(request, parts, limiter, address, now, correo, form)
            with parts.database.writing() as session:
                if not found.is_for(session.get_one(Account, account_id)):
                    raise ProofRefused("correo", "other_number")
                most = parts.settings.account_records
                accept(session, parts.keyring, token, account_id, now, most=most, origin=address)
        except ProofRefused as refused:
            return _form(request, token, found, person, form, refused)
        except TooManyRecords as refusal:
            full = ProofRefused("clave", "too_many_records", refusal.status)
            return _form(request, token, found, person, form, full)
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
    form: dict[str, str],
    refused: ProofRefused | None = None,
) -> Response:
    return show_proof_form(
        request,
        "portal/invitation/accept.html",
        PHRASES,
        refused,
        token=token,
        person=person,
        address=found.address,
        by_number=is_number(found.address),
        correo=form.get("correo", "")[:254],
        # A record that is handed over is hers for good: the day is the giver's, who stays until then.
        ends="" if found.grant.kind == HANDOVER else day_text(found.grant.ends_at, "", language_of(request).value),
        may=f"may_{found.grant.kind}" + ("_edits" if found.grant.edits and found.grant.kind == "delegate" else ""),
    )


def _dead(request: Request) -> Response:
    return show(request, "portal/invitation/dead.html", PHRASES, status=410, headers=KEEP_SECRET)
