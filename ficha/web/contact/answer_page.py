"""The page behind the link that an alerted contact gets: where, since when, and two buttons."""

from datetime import datetime

from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ficha.emergencies.alert_texts import spot_said
from ficha.emergencies.answers import AnswerView, LinkUnknown, answer, view
from ficha.emergencies.emergency import LIVE
from ficha.emergencies.maps import MapProvider, map_url
from ficha.emergencies.steps import ContactAnswer
from ficha.emergencies.timeouts import Timeouts
from ficha.fmd.responder.emergency_numbers import emergency_numbers
from ficha.http.deps import Address, Limiter, Now
from ficha.http.deps import Parts as AskedParts
from ficha.http.page import Page
from ficha.http.routes import Routes
from ficha.parts import Parts
from ficha.products.decoys import address_group
from ficha.web.kit.forms import Typed
from ficha.web.kit.language import language_of
from ficha.web.sticker.html import render_ack
from ficha.web.sticker.page_facts import AckFacts, ShownAnswer
from ficha.web.sticker.progress_sentences import coming_said
from ficha.web.sticker.responder_page import headers_of

routes = Routes(route_class=Page, include_in_schema=False)

STANDS = {None: ShownAnswer.ASKED, ContactAnswer.VOY: ShownAnswer.COMING, ContactAnswer.NO_PUEDO: ShownAnswer.CANNOT}


@routes.page("/a/{token}")
def answer_page(
    request: Request, parts: AskedParts, limiter: Limiter, address: Address, now: Now, token: str
) -> Response:
    limiter.hit(request, "typed", address_group(address))
    with parts.database.reading() as session:
        facts = _facts(request, session, parts, token, now)
    return _html(request, facts)


@routes.post("/a/{token}")
def say(
    request: Request, parts: AskedParts, limiter: Limiter, address: Address, now: Now, token: str, form: Typed
) -> Response:
    limiter.hit(request, "typed", address_group(address))
    said = form.get("respuesta", "")
    if said not in set(ContactAnswer):
        return RedirectResponse(f"/a/{token}", 303)
    try:
        with parts.database.writing() as session:
            answer(session, token, ContactAnswer(said), now, Timeouts.of(parts.settings), origin=address)
    except LinkUnknown:
        return _html(request, _expired(request))
    return RedirectResponse(f"/a/{token}", 303, {"Referrer-Policy": "no-referrer"})


def _facts(request: Request, session: Session, parts: Parts, token: str, now: datetime) -> AckFacts:
    try:
        seen = view(session, parts.keyring, token, now, Timeouts.of(parts.settings))
    except LinkUnknown:
        return _expired(request)
    language = language_of(request)
    position = seen.position
    return AckFacts(
        language=language,
        answer=STANDS[seen.answer] if seen.state in LIVE else ShownAnswer.CLOSED,
        emergency=emergency_numbers(""),
        name=seen.name,
        since=seen.since,
        now=now,
        where=spot_said(position, language.value) if position else "",
        map_url=map_url(MapProvider.OSM, position.lat, position.lng) if position else "",
        action=f"/a/{token}",
        lines=coming_said(_coming(seen), language),
        is_drill=seen.is_drill,
    )


def _coming(seen: AnswerView) -> list[str]:
    return [label.relacion or label.nombre for label in seen.coming]


def _expired(request: Request) -> AckFacts:
    return AckFacts(language=language_of(request), answer=ShownAnswer.EXPIRED, emergency=emergency_numbers(""))


def _html(request: Request, facts: AckFacts) -> Response:
    accepted = request.headers.get("accept-encoding", "")
    content, headers = headers_of(render_ack(facts), accepted, script="")
    return Response(content, 404 if facts.answer is ShownAnswer.EXPIRED else 200, headers)
