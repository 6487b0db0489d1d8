"""The page behind the link that an alerted contact gets: where, since when, and two buttons for the answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ficha.accounts.accounts import Idioma
from ficha.asgi.routes import Routes
from ficha.asgi.threads import Pool
from ficha.emergencies.alert_progress import ProgressKind
from ficha.emergencies.alert_texts import coordinates_text
from ficha.emergencies.answers import AnswerView, LinkUnknown, answer_by_link, view_by_link
from ficha.emergencies.emergency import LIVE, EmergencyState, PermissionSource, Timeouts
from ficha.emergencies.positions import MapProvider, map_url
from ficha.emergencies.relay import Written, write_by_link
from ficha.emergencies.relay_lines import LineKind
from ficha.emergencies.steps import ContactAnswer
from ficha.fmd.access import FmdNotFound
from ficha.fmd.base import Door
from ficha.fmd.dates_and_amounts import local_time_text, time_ago
from ficha.fmd.responder.emergency_numbers import EmergencyCall, emergency_call
from ficha.http.dependencies import Address, Limiter, Now, Parts
from ficha.http.limits import RateLimit
from ficha.web.kit.alert_headlines import ENDED, FALSE_ALARM, Reader, headline
from ficha.web.kit.alert_sentences import CHANNEL_WORDS, progress_sentences, said_to_contact
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.language import language_of, region_of, texts_by_language, zone_here
from ficha.web.kit.small_pages.page import SmallPage, render_small_page, small_page_response
from ficha.web.kit.texts import page_texts

routes = Routes(include_in_schema=False, pool=Pool.URGENT)

TEXTS = texts_by_language(
    {**page_texts("kit", "emergency_call"), **page_texts("contact", "answer"), "closed": ENDED, "canceled": FALSE_ALARM}
)


class ShownAnswer(StrEnum):
    """What the page says of the contact's answer. The template finds its phrases by these values."""

    ASKED = "asked"
    COMING = "coming"
    CANNOT = "cannot"
    DECLINED = "declined"
    CLOSED = "closed"
    CANCELED = "canceled"
    EXPIRED = "expired"


# Besides the answers: she cannot go, and wants no more alerts about this person.
DECLINES = "no_acepto"
SHOWN = {
    None: ShownAnswer.ASKED,
    ContactAnswer.VOY: ShownAnswer.COMING,
    ContactAnswer.NO_PUEDO: ShownAnswer.CANNOT,
    ContactAnswer.UNCLEAR: ShownAnswer.ASKED,
}
# What the buttons of the page send.
GIVEN = (ContactAnswer.VOY, ContactAnswer.NO_PUEDO)


@dataclass(kw_only=True, slots=True)
class AnswerPage(SmallPage):
    """`fields` are hidden values of the form, whose buttons send `respuesta`: `voy` or `no_puedo`. `entrance`: what the
    alert was raised by; only whoever scanned a sticker has a page that shows what the contact answers."""

    answer: ShownAnswer
    emergency: tuple[str, ...]
    name: str = ""
    since: datetime | None = None
    since_text: str = ""
    now: datetime | None = None
    where: str = ""
    landmark: str = ""
    is_number_known: bool = True
    map_url: str = ""
    entrance: str = PermissionSource.TAG
    number_door: Door = Door.R
    # What becomes of the alert after her answer, and by which channel she declined to get more.
    others: str = ""
    declined_how: str = ""
    with_whom: str = ""
    responder_phone: str = ""
    action: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    lines: tuple[str, ...] = ()
    is_drill: bool = False
    # What was written, the newest last. `said_place` goes with the form: the same words again from this page are one.
    # Only where somebody may read it: whoever typed a code has no page for it.
    has_relay: bool = True
    said: tuple[str, ...] = ()
    said_place: int = 0
    is_full: bool = False


@routes.page("/a/{token}")
def answer_page(request: Request, parts: Parts, limiter: Limiter, address: Address, now: Now, token: str) -> Response:
    """A link that is known is never refused: a household or a mobile network has one address."""
    try:
        with parts.database.reading() as tx:
            seen = view_by_link(tx, parts.keyring, parts.secrets, token, now, Timeouts.of(parts.settings))
    except LinkUnknown:
        limiter.hit_address(request, RateLimit.LINK, address)
        return _response(request, _expired(request, parts))
    return _response(request, page_of(request, parts, seen, f"/a/{token}", now))


@routes.post("/a/{token}")
def send_answer(
    request: Request, parts: Parts, limiter: Limiter, address: Address, now: Now, token: str, form: PostedForm
) -> Response:
    chosen = form.get("respuesta", "")
    declines = chosen == DECLINES
    if declines:
        chosen = ContactAnswer.NO_PUEDO
    if chosen not in GIVEN:
        return RedirectResponse(f"/a/{token}", 303)
    try:
        with parts.database.writing() as tx:
            answer_by_link(
                tx,
                parts.keyring,
                parts.secrets,
                token,
                ContactAnswer(chosen),
                now,
                Timeouts.of(parts.settings),
                origin=address,
                declines=declines,
            )
    except LinkUnknown:
        limiter.hit_address(request, RateLimit.LINK, address)
        return _response(request, _expired(request, parts))
    return RedirectResponse(f"/a/{token}", 303, {"Referrer-Policy": "no-referrer"})


@routes.post("/a/{token}/mensaje")
def write_to_sticker(
    request: Request, parts: Parts, limiter: Limiter, address: Address, now: Now, token: str, form: PostedForm
) -> Response:
    """Words for whoever is with the person. Raises RelayFull; the page has no form then."""
    limiter.hit_address(request, RateLimit.RELAY, address)
    written, most = Written(form.get("mensaje", ""), mark=form.get("vez", "")[:10]), parts.settings.relay_messages
    try:
        with parts.database.writing() as tx:
            timeouts = Timeouts.of(parts.settings)
            write_by_link(tx, parts.keyring, parts.secrets, token, written, most, now, timeouts)
    except (LinkUnknown, FmdNotFound):
        return _response(request, _expired(request, parts))
    return RedirectResponse(f"/a/{token}", 303, {"Referrer-Policy": "no-referrer"})


def page_of(request: Request, parts: Parts, seen: AnswerView, action: str, now: datetime) -> AnswerPage:
    language = language_of(request)
    position = seen.position
    call = _emergency(request, parts, seen.country)
    zone = seen.zone or zone_here(request)
    return AnswerPage(
        language=language,
        answer=_shown_answer(seen),
        emergency=(call.number,),
        is_number_known=call.is_known,
        name=seen.name,
        since=seen.since,
        since_text=local_time_text(seen.since, zone, language.value),
        now=now,
        where=coordinates_text(position, language.value) if position else "",
        landmark=seen.landmark,
        map_url=map_url(MapProvider.OSM, position.lat, position.lng) if position else "",
        action=action,
        entrance=seen.entrance,
        number_door=seen.number_door,
        others=headline(Reader.CONTACT, seen.others, language, zone),
        declined_how=CHANNEL_WORDS[seen.declined].in_language(language) if seen.declined else "",
        lines=_answers(seen, language),
        is_drill=seen.is_drill,
        responder_phone=next((line.words for line in reversed(seen.said) if line.kind is LineKind.PHONE), ""),
        has_relay=not seen.is_drill and (seen.entrance == PermissionSource.TAG or bool(seen.said)),
        said=said_to_contact(seen.said, seen.own_id, seen.contacts, language, now),
        said_place=seen.said[-1].place if seen.said else 0,
        is_full=sum(line.contact_id is not None for line in seen.said) >= parts.settings.relay_messages,
    )


def _shown_answer(seen: AnswerView) -> ShownAnswer:
    if seen.state is EmergencyState.CANCELED and not seen.is_drill:
        return ShownAnswer.CANCELED
    if seen.state not in LIVE:
        return ShownAnswer.CLOSED
    if seen.declined and not seen.is_drill and seen.answer is not ContactAnswer.VOY:
        return ShownAnswer.DECLINED
    return SHOWN[seen.answer]


def _answers(seen: AnswerView, language: Idioma) -> tuple[str, ...]:
    """Who else is coming, and whose answer is unclear."""
    kinds = (ProgressKind.COMING, ProgressKind.UNCLEAR)
    return progress_sentences([line for kind in kinds for line in seen.others if line.kind is kind], language)


def _expired(request: Request, parts: Parts) -> AnswerPage:
    call = _emergency(request, parts)
    return AnswerPage(language=language_of(request), answer=ShownAnswer.EXPIRED, emergency=(call.number,))


def _emergency(request: Request, parts: Parts, record_country: str = "") -> EmergencyCall:
    return emergency_call(region_of(request), record_country, parts.settings.emergency_country)


def _response(request: Request, page: AnswerPage) -> Response:
    return small_page_response(request, render_answer(page), 404 if page.answer is ShownAnswer.EXPIRED else 200)


def render_answer(page: AnswerPage) -> bytes:
    ago = time_ago(page.since, page.now, page.language) if page.since and page.now else ""
    return render_small_page("contact/answer.html", TEXTS, page, ago=ago)
