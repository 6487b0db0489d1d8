"""The page of a typed code: a first name, languages and a country of its owner, whom to call, a form that alerts the
family. Nothing clinical."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Idioma
from ficha.asgi.routes import Routes
from ficha.asgi.threads import Pool
from ficha.core.ids import is_code
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_progress import ProgressKind, ProgressLine, current_emergency, current_held_until
from ficha.emergencies.contacts import zone_for_strangers
from ficha.emergencies.emergency import Timeouts
from ficha.emergencies.opening import current_stalled_since, permission_by_code
from ficha.fmd.access import FmdNotFound
from ficha.fmd.base import Door
from ficha.fmd.responder.emergency_numbers import emergency_call
from ficha.fmd.responder.person import COUNTRY_MODELS, likely_country, person_summary
from ficha.fmd.responder.record_reader import RecordReader
from ficha.fmd.stored_documents import documents_of
from ficha.http.dependencies import Address, Limiter, Now, Parts
from ficha.http.limits import RateLimit, TooManyRequests
from ficha.products.decoys import GuessingAlarm, watch_typed_code
from ficha.web.kit.alert_headlines import Reader, headline
from ficha.web.kit.language import language_of, region_of, zone_here
from ficha.web.kit.small_pages.page import render_small_page, small_page_response
from ficha.web.sticker.page_facts import TEXTS, AlertFacts, Code, TypedCodePage
from ficha.web.sticker.script import SCRIPT


@dataclass(frozen=True)
class CodeOwner:
    record_id: int
    first_name: str
    country: str
    documents: dict[str, Any]
    at: datetime

    def languages(self, language: Idioma) -> str:
        return person_summary(RecordReader(self.documents, Door.R, self.at.date(), language.value)).languages


def typed_alert(
    request: Request, owner: CodeOwner | None, held: datetime | None, stalled: datetime | None
) -> AlertFacts:
    """What whoever typed the code is told of the alert: that we have it, when it leaves while it is held back, and that
    it does not leave where nobody sends it."""
    if owner is None or (held is None and stalled is None):
        return AlertFacts()
    kind = ProgressKind.STALLED if held is None else ProgressKind.HELD_BACK
    line = ProgressLine(kind, owner.at, 0, until=held)
    zone = zone_for_strangers(owner.documents) or zone_here(request)
    return AlertFacts(title=headline(Reader.STRANGER, [line], language_of(request), zone))


def find_code_owner(tx: Transaction, parts: Parts, code: str, now: datetime) -> CodeOwner | None:
    """None if the code opens no record."""
    try:
        permission = permission_by_code(tx, parts.keyring, code, "")
    except FmdNotFound:
        return None
    documents = documents_of(tx, permission.record.id, permission.key, COUNTRY_MODELS)
    record = RecordReader(documents, Door.R, now.date(), "es")
    return CodeOwner(permission.record.id, person_summary(record).given, likely_country(record), documents, now)


routes = Routes(include_in_schema=False, pool=Pool.URGENT)


class TypedLimit(NamedTuple):
    """A limit that was hit. Who comes after everybody else's requests has done nothing wrong, and is not told 429."""

    error: TooManyRequests
    is_everybodys: bool


@routes.page("/e/{code}")
@routes.page("/E/{code}")
def typed_code_page(
    request: Request, parts: Parts, limiter: Limiter, address: Address, now: Now, code: Code
) -> Response:
    """A code that never existed looks like one with no record behind it, and so does any beyond the limits: whom to
    call is always shown, and the form that alerts the family. What can be no code is said to be none."""
    if not is_code(code):
        return impossible_code_response(request, code)
    refusal = count_typed_code(request, limiter, address)
    if refusal is not None:
        return typed_code_response(request, code, None, None, refusal=refusal)
    with parts.database.writing() as tx:
        owner = find_code_owner(tx, parts, code, now)
        guessing = watch_typed_code(tx, parts.secrets, code, now, origin=address, is_live=owner is not None)
        emergency = None if owner is None else current_emergency(tx, owner.record_id)
        held = stalled = None
        if emergency is not None:
            held = current_held_until(tx, emergency, now, Timeouts.of(parts.settings))
            stalled = current_stalled_since(tx, emergency, now)
    count_guessing(request, guessing)
    if owner is not None:
        parts.read_log.note(owner.record_id, "typed", "record.named", ["personal"], now, via="typed", origin=address)
    alert = None if emergency is None else typed_alert(request, owner, held, stalled)
    return typed_code_response(request, code, owner, alert)


def typed_code_response(
    request: Request,
    code: str,
    owner: CodeOwner | None,
    alert: AlertFacts | None,
    *,
    refusal: TypedLimit | None = None,
    **more: Any,
) -> Response:
    page = typed_page(request, code, owner, alert, **more)
    response = small_page_response(request, render_typed_code(page), script=page.script)
    if refusal is not None and not refusal.is_everybodys:
        response.status_code = refusal.error.status
        response.headers.update(refusal.error.headers)
    return response


def impossible_code_response(request: Request, code: str) -> Response:
    """Nobody is told anything by it: whoever mistyped it would wait for a family that nobody alerts."""
    page = typed_page(request, code, None, None, alert_action="", script="")
    return small_page_response(request, render_typed_code(page), 404)


def typed_page(
    request: Request, code: str, owner: CodeOwner | None, alert: AlertFacts | None, **more: Any
) -> TypedCodePage:
    """`more` are other fields of the page, in place of the usual ones."""
    language = language_of(request)
    deployed_in = request.app.state.parts.settings.emergency_country
    call = emergency_call(region_of(request), owner.country if owner else "", deployed_in)
    return TypedCodePage(
        language=language,
        code=code.upper(),
        emergency=(call.number,),
        is_number_known=call.is_known,
        is_number_of_phone=call.is_of_phone,
        first_name=owner.first_name if owner else "",
        languages=owner.languages(language) if owner else "",
        alert=alert,
        **{"script": SCRIPT, "alert_action": f"/e/{code.upper()}/avisar"} | more,
    )


def render_typed_code(page: TypedCodePage) -> bytes:
    """Once the alert was asked for, the same page says so."""
    return render_small_page("sticker/typed.html", TEXTS, page)


def count_typed_code(request: Request, limiter: Limiter, address: str) -> TypedLimit | None:
    """The limit that this request is beyond: this address typed too many codes, or all together did."""
    try:
        limiter.hit_address(request, RateLimit.TYPED, address)
    except TooManyRequests as error:
        return TypedLimit(error, is_everybodys=False)
    try:
        limiter.hit(request, RateLimit.TYPED_ALL, "all")
    except TooManyRequests as error:
        return TypedLimit(error, is_everybodys=True)
    return None


def count_guessing(request: Request, guessing: GuessingAlarm | None) -> None:
    if guessing is not None:
        request.app.state.metrics.count_guessing(guessing.value)
