"""The page behind an invitation: whoever is invited accepts with the clave of her account (account_proof.py), or makes
an account here and is logged in. Who was invited by her number says which account, for a family may share a number;
then a code is sent to that number, and she accepts with it. What the first step found out is sealed into the form of
the second, for this link and some minutes."""

from datetime import datetime, timedelta

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import account_with
from ficha.accounts.login import CheckedClave
from ficha.accounts.one_time_codes import WrongCode
from ficha.asgi.threads import Pool
from ficha.core.phones import one_spelling
from ficha.core.transaction import Transaction
from ficha.fmd.dates_and_amounts import day_text
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
from ficha.fmd.new_records import TooManyRecords
from ficha.fmd.stored_documents import documents_of, unfiltered_first_name
from ficha.http.browser import PageBrowser
from ficha.http.dependencies import Address, Limiter, Now, Parts, limit_by_address
from ficha.http.limits import RateLimit, TooManyRequests
from ficha.products.statements import live_codes
from ficha.web.kit.forms import FieldRefused, PostedForm
from ficha.web.kit.language import LANGUAGE_STEP, language_of
from ficha.web.kit.rendering import show
from ficha.web.kit.texts import page_texts
from ficha.web.portal.account.proofs import SealedStep
from ficha.web.portal.joining.account_proof import prove_account, show_proof_form
from ficha.web.portal.joining.new_account import register_by_link
from ficha.web.portal.link_pages import link_routes

PHRASES = page_texts("portal", "invitation")

routes = link_routes("portal/joining/invitation_ended.html", PHRASES, InvitationUnknown, OwnGrant)

FIRST_STEP = SealedStep("invitation_step", timedelta(minutes=15))


@routes.page("/invitacion/{token}", dependencies=[limit_by_address(RateLimit.LINK)])
def invitation_page(request: Request, parts: Parts, now: Now, token: str) -> Response:
    with parts.database.reading() as tx:
        found = invitation_with(tx, parts.keyring, token, now)
        is_new = _asks_new(tx, found, request.query_params.get("nueva") == "1")
        return _form(request, parts, token, found, _person(parts, found), {}, is_new=is_new)


@routes.post("/invitacion/{token}", pool=Pool.CLAVES)
def accept_on_page(
    request: Request, parts: Parts, limiter: Limiter, address: Address, now: Now, token: str, form: PostedForm
) -> Response:
    with parts.database.reading() as tx:
        found = invitation_with(tx, parts.keyring, token, now)
        person = _person(parts, found)
        is_new = _asks_new(tx, found, form.get("cuenta") == "nueva")
    if form.get("do") == LANGUAGE_STEP:
        return _form(request, parts, token, found, person, form, is_new=is_new)
    checked, step, bound_to, secret = None, "", f"invitation:{token}", None
    if found.is_by_number:
        checked = _first_step(parts, form.get("paso", ""), bound_to, now)
        step = "" if checked is None else form["paso"]
    try:
        if checked is None and is_new:
            proven = {"phone" if found.is_by_number else "mailbox": found.address}
            checked, secret = register_by_link(request, parts, limiter, address, now, form, **proven)
            is_new = False
        elif checked is None:
            correo = form.get("correo", "")[:254] if found.is_by_number else found.address
            checked = prove_account(request, parts, limiter, address, now, correo, form)
        account_id = checked.account_id
        if found.is_by_number and (not step or form.get("do") == "again"):
            _send_code(request, parts, limiter, found, account_id, "codigo_numero" if step else "clave")
            step = FIRST_STEP.seal(parts.secrets, checked, bound_to, now)
            return _form(request, parts, token, found, person, form, step=step, secret=secret)
        _accept(parts, token, found, account_id, "".join(form.get("codigo_numero", "").split()), now, address)
    except FieldRefused as wrong:
        return _form(request, parts, token, found, person, form, wrong, step=step, is_new=is_new, secret=secret)
    is_waiting = found.grant.kind == HANDOVER
    with parts.database.reading() as tx:
        codes = [] if is_waiting else live_codes(tx, [found.record.id])
    leads_to = f"/app/{codes[0].code}" if codes else "/app"
    response = show(
        request,
        "portal/joining/invitation_done.html",
        PHRASES,
        person=person,
        is_waiting=is_waiting,
        leads_to=leads_to,
        is_record=bool(codes),
    )
    if secret is not None:
        PageBrowser(request, parts).set_cookies(response, secret)
    return response


def _asks_new(tx: Transaction, found: Invitation, says_so: bool) -> bool:
    """Whether the form is that for a new account. Whoever has the link to a mailbox may know whether it has one; of a
    number nobody knows, so there she says it."""
    return says_so if found.is_by_number else account_with(tx, found.address) is None


def _first_step(parts: Parts, step: str, bound_to: str, now: datetime) -> CheckedClave | None:
    checked = FIRST_STEP.opened(parts.secrets, step, bound_to, now)
    if checked is None:
        return None
    with parts.database.reading() as tx:
        return None if checked.account_in(tx, locks=False) is None else checked


def _send_code(
    request: Request, parts: Parts, limiter: Limiter, found: Invitation, account_id: int, field: str
) -> None:
    """Raises FieldRefused, beside `field`, if the number got too many."""
    try:
        limiter.hit(request, RateLimit.CODE, f"phone:{one_spelling(found.address)}")
    except TooManyRequests as refusal:
        raise FieldRefused.too_many(field, refusal) from None
    with parts.database.writing() as tx:
        put_number_code(tx, found, account_id)


def _accept(
    parts: Parts, token: str, found: Invitation, account_id: int, codigo: str, now: datetime, address: str
) -> None:
    """Raises FieldRefused, InvitationUnknown or OwnGrant."""
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
        raise FieldRefused(field, "too_many_records", refusal.status) from None
    if not is_proven:
        raise FieldRefused("codigo_numero", "number_code_wrong")


def _person(parts: Parts, found: Invitation) -> str:
    with parts.database.reading() as tx:
        return unfiltered_first_name(documents_of(tx, found.record.id, found.key, ["personal"]))


def _form(
    request: Request,
    parts: Parts,
    token: str,
    found: Invitation,
    person: str,
    form: dict[str, str],
    wrong: FieldRefused | None = None,
    *,
    step: str = "",
    is_new: bool = False,
    secret: str | None = None,
) -> Response:
    end = found.grant.end
    return show_proof_form(
        request,
        parts,
        "portal/joining/invitation_accept.html",
        PHRASES,
        form,
        wrong,
        secret,
        token=token,
        person=person,
        address=found.address,
        by_number=found.is_by_number,
        step=step,
        is_hand_over=found.grant.kind == HANDOVER,
        # A record that is handed over is hers for good: the day is the giver's, who stays until then.
        ends="" if found.grant.kind == HANDOVER or end is None else day_text(end, "", language_of(request).value),
        lasts=found.grant.kind != HANDOVER and end is None,
        is_new=is_new,
        may=f"may_{found.grant.kind}" + ("_edits" if found.grant.edits and found.grant.kind == "delegate" else ""),
    )
