"""The page behind an institution's invitation: who answers for the person makes the record hers and decides, with the
clave of her account (account_proof.py), or with an account that she makes there: few families have one."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import account_with
from ficha.accounts.tokens import Caller
from ficha.asgi.threads import Pool
from ficha.core.plain_names import plain_name
from ficha.core.transaction import Transaction
from ficha.fmd.new_records import TooManyRecords
from ficha.http.browser import PageBrowser
from ficha.http.dependencies import Address, Limiter, Now, Parts, limit_by_address
from ficha.http.limits import RateLimit
from ficha.institutions.consents import EnrolmentUnknown, Offer, accept_enrolment, offered, written_relacion
from ficha.web.kit.forms import FieldRefused, PostedForm, fault_in
from ficha.web.kit.language import LANGUAGE_STEP
from ficha.web.kit.rendering import show
from ficha.web.kit.texts import page_texts
from ficha.web.portal.joining.account_proof import prove_account, show_proof_form
from ficha.web.portal.joining.new_account import register_by_link
from ficha.web.portal.joining.register import KINDS
from ficha.web.portal.link_pages import link_routes
from ficha.web.portal.relations import relation_choices

PHRASES = page_texts("portal", "enrolment")
# What `cuenta` says: whether she makes an account or has one.
NEW, OWN = "nueva", "mia"

routes = link_routes("portal/joining/enrolment_ended.html", PHRASES, EnrolmentUnknown)


@routes.page("/institucion/{token}", dependencies=[limit_by_address(RateLimit.LINK)])
def enrolment_page(request: Request, parts: Parts, now: Now, token: str) -> Response:
    with parts.database.reading() as tx:
        offer = offered(tx, parts.keyring, token, now)
        chosen = request.query_params.get("cuenta", "")
        cuenta = chosen if chosen in (NEW, OWN) else _likely(tx, offer)
    return _form(request, parts, token, offer, {"correo": offer.contact.correo or "", "cuenta": cuenta})


@routes.post("/institucion/{token}", pool=Pool.CLAVES)
def accept_on_page(
    request: Request, parts: Parts, limiter: Limiter, address: Address, now: Now, token: str, form: PostedForm
) -> Response:
    with parts.database.reading() as tx:
        offer = offered(tx, parts.keyring, token, now)
    if form.get("do") == LANGUAGE_STEP:
        return _form(request, parts, token, offer, form)
    sees, edits, most = "ve" in form, "edita" in form, parts.settings.account_records
    secret = None
    try:
        if edits and not sees:
            raise FieldRefused("ve", "edits_needs_sees")
        relacion = _relacion(parts, offer, form)
        if form.get("cuenta") == NEW:
            correo, phone = offer.contact.correo or "", offer.contact.telefono or ""
            proven = {"mailbox": correo} if correo else {"phone": phone}
            checked, secret = register_by_link(request, parts, limiter, address, now, form, **proven)
            form["cuenta"] = OWN
        else:
            checked = prove_account(request, parts, limiter, address, now, form.get("correo", "")[:254], form)
        caller = Caller(checked.account_id, 0, "", frozenset())
        with parts.database.writing() as tx:
            accept_enrolment(
                tx,
                parts.keyring,
                token,
                caller,
                now,
                sees=sees,
                edits=edits,
                most=most,
                relacion=relacion,
                origin=address,
            )
    except FieldRefused as wrong:
        return _form(request, parts, token, offer, form, wrong)
    except TooManyRecords as refusal:
        full = FieldRefused("clave", "too_many_records", refusal.status)
        return _form(request, parts, token, offer, form, full, secret)
    template, code = "portal/joining/enrolment_done.html", offer.member.bp_code
    response = show(request, template, PHRASES, sees=sees, code=code, **_shown(offer))
    if secret is not None:
        PageBrowser(request, parts).set_cookies(response, secret)
    return response


def _likely(tx: Transaction, offer: Offer) -> str:
    """Whoever has the link to a mailbox may know whether it has an account. Of a number nobody knows; few have one."""
    correo = offer.contact.correo
    return OWN if correo and account_with(tx, correo) is not None else NEW


def _relacion(parts: Parts, offer: Offer, form: dict[str, str]) -> str:
    """As the institution wrote it, or as she chose."""
    with parts.database.reading() as tx:
        relacion = written_relacion(tx, parts.keyring, offer) or form.get("relacion", "")
    if fault_in(KINDS["relacion"], relacion) is not None:
        raise FieldRefused("relacion", "relacion_wrong")
    return relacion


def _form(
    request: Request,
    parts: Parts,
    token: str,
    offer: Offer,
    form: dict[str, str],
    wrong: FieldRefused | None = None,
    secret: str | None = None,
) -> Response:
    mailbox = offer.contact.correo or ""
    with parts.database.reading() as tx:
        can_be_new = _likely(tx, offer) == NEW  # No second one is made for a mailbox.
        asks_relacion = not written_relacion(tx, parts.keyring, offer)
    return show_proof_form(
        request,
        parts,
        "portal/joining/enrolment_accept.html",
        PHRASES,
        form,
        wrong,
        secret,
        token=token,
        mailbox=mailbox,
        can_be_new=can_be_new,
        relations=relation_choices(request, form.get("relacion", "")) if asks_relacion else (),
        relacion=form.get("relacion", ""),
        is_new=form.get("cuenta") == NEW,
        sees="ve" in form,
        edits="edita" in form,
        **_shown(offer),
    )


def _shown(offer: Offer) -> dict[str, Any]:
    return {"institution": offer.institution.name, "person": plain_name(offer.contact.nombre)}
