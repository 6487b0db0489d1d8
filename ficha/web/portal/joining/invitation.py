"""The page behind an invitation: whoever is invited accepts with the clave of her account (account_proof.py). Who was
invited by her number says which account, for a family may share a number; then a code is sent to that number, and she
accepts with it. What the first step found out is sealed into the form of the second, for this link and some minutes."""

import base64
from datetime import datetime, timedelta

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.one_time_codes import WrongCode
from ficha.asgi.routes import Routes
from ficha.asgi.threads import Pool
from ficha.core.crypto import Tampered
from ficha.fmd.grants import HANDOVER
from ficha.fmd.invitations import (
    Invitation,
    InvitationUnknown,
    NumberNotProven,
    OwnGrant,
    accept,
    invitation_with,
    put_number_code,
)
from ficha.fmd.local_time import day_text
from ficha.fmd.new_records import TooManyRecords
from ficha.fmd.readable_documents import documents_of, unfiltered_first_name
from ficha.http.dependencies import Address, Now
from ficha.http.dependencies import Limiter as AskedLimiter
from ficha.http.dependencies import Parts as AskedParts
from ficha.http.limits import Limiter, RateLimit, TooManyRequests
from ficha.parts import Parts
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.language import language_of
from ficha.web.kit.rendering import show
from ficha.web.kit.texts import page_texts
from ficha.web.portal.joining.account_proof import KEEP_SECRET, ProofRefused, prove_account, show_proof_form

PHRASES = page_texts("portal", "invitation")

routes = Routes(include_in_schema=False)

STEP_TIME = timedelta(minutes=15)
SECRETS_NAME = "invitation_step"


@routes.page("/invitacion/{token}")
def invitation_page(
    request: Request, parts: AskedParts, limiter: AskedLimiter, address: Address, now: Now, token: str
) -> Response:
    limiter.hit_address(request, RateLimit.LINK, address)
    try:
        with parts.database.reading() as tx:
            found = invitation_with(tx, parts.keyring, token, now)
            return _form(request, token, found, _person(parts, found), {})
    except InvitationUnknown:
        return _dead(request)


@routes.post("/invitacion/{token}", pool=Pool.CLAVES)
def accept_on_page(
    request: Request,
    parts: AskedParts,
    limiter: AskedLimiter,
    address: Address,
    now: Now,
    token: str,
    form: PostedForm,
) -> Response:
    try:
        with parts.database.reading() as tx:
            found = invitation_with(tx, parts.keyring, token, now)
            person = _person(parts, found)
        account_id = _account_in(parts, token, form.get("paso", ""), now) if found.is_by_number else None
        step = "" if account_id is None else form["paso"]
        try:
            if account_id is None:
                correo = form.get("correo", "")[:254] if found.is_by_number else found.address
                account_id = prove_account(request, parts, limiter, address, now, correo, form)
            if found.is_by_number and (not step or form.get("do") == "again"):
                _send_code(request, parts, limiter, found, account_id, "codigo_numero" if step else "clave")
                return _form(request, token, found, person, form, step=_seal_step(parts, token, account_id, now))
            _accept(parts, token, found, account_id, "".join(form.get("codigo_numero", "").split()), now, address)
        except ProofRefused as refused:
            return _form(request, token, found, person, form, refused, step=step)
    except (InvitationUnknown, OwnGrant):
        return _dead(request)
    is_waiting = found.grant.kind == HANDOVER
    return show(
        request,
        "portal/joining/invitation_done.html",
        PHRASES,
        headers=KEEP_SECRET,
        person=person,
        is_waiting=is_waiting,
    )


def _send_code(
    request: Request, parts: Parts, limiter: Limiter, found: Invitation, account_id: int, field: str
) -> None:
    """Raises ProofRefused, beside `field`, if the number got too many."""
    try:
        limiter.hit(request, RateLimit.CODE, f"phone:{found.address}")
    except TooManyRequests as refusal:
        raise ProofRefused(field, "too_many", refusal.status, dict(refusal.headers)) from None
    with parts.database.writing() as tx:
        put_number_code(tx, found, account_id)


def _accept(
    parts: Parts, token: str, found: Invitation, account_id: int, codigo: str, now: datetime, address: str
) -> None:
    """Raises ProofRefused, InvitationUnknown or OwnGrant."""
    most, is_proven = parts.settings.account_records, True
    try:
        with parts.database.writing() as tx:
            try:
                accept(
                    tx,
                    parts.keyring,
                    parts.secrets,
                    token,
                    account_id,
                    now,
                    most=most,
                    codigo=codigo[:10],
                    origin=address,
                )
            except (WrongCode, NumberNotProven):  # The try that was spent is written down.
                is_proven = False
    except TooManyRecords as refusal:
        field = "codigo_numero" if found.is_by_number else "clave"
        raise ProofRefused(field, "too_many_records", refusal.status) from None
    if not is_proven:
        raise ProofRefused("codigo_numero", "number_code_wrong")


def _seal_step(parts: Parts, token: str, account_id: int, now: datetime) -> str:
    plain = f"{account_id}|{(now + STEP_TIME).timestamp()}".encode()
    return base64.urlsafe_b64encode(parts.secrets.seal(SECRETS_NAME, plain, _place(token))).decode()


def _account_in(parts: Parts, token: str, step: str, now: datetime) -> int | None:
    """None if there was no first step for this link, or it is too old."""
    try:
        plain = parts.secrets.unseal(SECRETS_NAME, base64.urlsafe_b64decode(step), _place(token)).decode()
    except (ValueError, Tampered):
        return None
    account_id, _, ends = plain.partition("|")
    return int(account_id) if float(ends) > now.timestamp() else None


def _place(token: str) -> str:
    return f"invitation:{token}"


def _person(parts: Parts, found: Invitation) -> str:
    with parts.database.reading() as tx:
        return unfiltered_first_name(documents_of(tx, found.record.id, found.key, ["personal"]))


def _form(
    request: Request,
    token: str,
    found: Invitation,
    person: str,
    form: dict[str, str],
    refused: ProofRefused | None = None,
    *,
    step: str = "",
) -> Response:
    return show_proof_form(
        request,
        "portal/joining/invitation_accept.html",
        PHRASES,
        refused,
        token=token,
        person=person,
        address=found.address,
        by_number=found.is_by_number,
        step=step,
        is_hand_over=found.grant.kind == HANDOVER,
        correo=form.get("correo", "")[:254],
        # A record that is handed over is hers for good: the day is the giver's, who stays until then.
        ends="" if found.grant.kind == HANDOVER else day_text(found.grant.ends_at, "", language_of(request).value),
        may=f"may_{found.grant.kind}" + ("_edits" if found.grant.edits and found.grant.kind == "delegate" else ""),
    )


def _dead(request: Request) -> Response:
    return show(request, "portal/joining/invitation_dead.html", PHRASES, status=410, headers=KEEP_SECRET)
