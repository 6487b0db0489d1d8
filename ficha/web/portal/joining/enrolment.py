"""The page behind an institution's invitation: who answers for the person makes the record hers and decides, with the
clave of her account (account_proof.py)."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.tokens import Caller
from ficha.asgi.threads import Pool
from ficha.core.plain_names import plain_name
from ficha.fmd.new_records import TooManyRecords
from ficha.http.dependencies import Address, Limiter, Now, Parts, limit_by_address
from ficha.http.limits import RateLimit
from ficha.institutions.consents import EnrolmentUnknown, Offer, accept_enrolment, offered
from ficha.web.kit.forms import FieldRefused, PostedForm
from ficha.web.kit.language import LANGUAGE_STEP
from ficha.web.kit.rendering import show
from ficha.web.kit.texts import page_texts
from ficha.web.portal.joining.account_proof import prove_account, show_proof_form
from ficha.web.portal.link_pages import link_routes

PHRASES = page_texts("portal", "enrolment")

routes = link_routes("portal/joining/enrolment_dead.html", PHRASES, EnrolmentUnknown)


@routes.page("/institucion/{token}", dependencies=[limit_by_address(RateLimit.LINK)])
def enrolment_page(request: Request, parts: Parts, now: Now, token: str) -> Response:
    with parts.database.reading() as tx:
        offer = offered(tx, parts.keyring, token, now)
    return _form(request, token, offer, {"correo": offer.contact.correo or ""})


@routes.post("/institucion/{token}", pool=Pool.CLAVES)
def accept_on_page(
    request: Request, parts: Parts, limiter: Limiter, address: Address, now: Now, token: str, form: PostedForm
) -> Response:
    with parts.database.reading() as tx:
        offer = offered(tx, parts.keyring, token, now)
    if form.get("do") == LANGUAGE_STEP:
        return _form(request, token, offer, form)
    sees, edits, most = "ve" in form, "edita" in form, parts.settings.account_records
    try:
        checked = prove_account(request, parts, limiter, address, now, form.get("correo", "")[:254], form)
        caller = Caller(checked.account_id, 0, "", frozenset())
        with parts.database.writing() as tx:
            accept_enrolment(tx, parts.keyring, token, caller, now, sees=sees, edits=edits, most=most, origin=address)
    except FieldRefused as wrong:
        return _form(request, token, offer, form, wrong)
    except TooManyRecords as refusal:
        return _form(request, token, offer, form, FieldRefused("clave", "too_many_records", refusal.status))
    return show(request, "portal/joining/enrolment_done.html", PHRASES, sees=sees, **_shown(offer))


def _form(
    request: Request, token: str, offer: Offer, form: dict[str, str], wrong: FieldRefused | None = None
) -> Response:
    return show_proof_form(
        request,
        "portal/joining/enrolment_accept.html",
        PHRASES,
        wrong,
        token=token,
        correo=form.get("correo", "")[:254],
        sees="ve" in form,
        edits="edita" in form,
        **_shown(offer),
    )


def _shown(offer: Offer) -> dict[str, Any]:
    return {"institution": offer.institution.name, "person": plain_name(offer.contact.nombre)}
