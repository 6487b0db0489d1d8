"""The family's page of an emergency: where, with whom, whom we alerted, "I am on my way", and its end. With scripts it
keeps itself up to date; without, it is loaded again."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.emergencies.alert_texts import coordinates_text
from ficha.emergencies.emergency import EmergencyState, Timeouts
from ficha.emergencies.emergency_access import change_emergency, family_emergency, note_look
from ficha.emergencies.positions import MapProvider, map_url
from ficha.emergencies.state_changes import EmergencyEnded
from ficha.fmd.local_time import local_time_text
from ficha.http.dependencies import Address, CurrentCaller, Db, Now, Parts, Reading
from ficha.web.kit.alert_headlines import Reader, headline
from ficha.web.kit.alert_sentences import progress_sentences
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.language import language_of
from ficha.web.kit.lists import RowNumber
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.portal.family.live_phrases import PHRASES

routes = signed_in_routes("/app/emergencias")

# What the buttons of the page do.
CHANGES = {
    "voy": EmergencyState.ACKNOWLEDGED,
    "terminada": EmergencyState.RESOLVED,
    "falsa": EmergencyState.CANCELED,
}


@routes.page("/{emergency_id}")
def emergency_page(
    request: Request,
    reading: Reading,
    parts: Parts,
    caller: CurrentCaller,
    now: Now,
    address: Address,
    emergency_id: RowNumber,
) -> Response:
    found = family_emergency(reading, parts.keyring, caller, emergency_id, now, Timeouts.of(parts.settings))
    emergency, position = found.seen.emergency, found.seen.position
    if emergency.is_drill:
        return go_to(request, f"/app/{emergency.code}/simulacro/{emergency_id}")
    note_look(parts.read_log, found.seen, caller, now, origin=address)
    language = language_of(request)
    return show(
        request,
        "portal/live/emergency.html",
        PHRASES,
        emergency=emergency,
        name=found.name,
        landmark=found.landmark,
        told=headline(Reader.FAMILY, found.lines, language, found.zone),
        where=coordinates_text(position, language.value) if position else "",
        map_url=map_url(MapProvider.OSM, position.lat, position.lng) if position else "",
        since=local_time_text(emergency.opened_at, found.zone, language.value),
        lines=progress_sentences(found.lines, language),
        may_change=found.seen.may_change and emergency.is_live,
    )


@routes.post("/{emergency_id}")
def change(
    request: Request,
    db: Db,
    caller: CurrentCaller,
    now: Now,
    address: Address,
    form: PostedForm,
    emergency_id: RowNumber,
) -> Response:
    to = CHANGES.get(form.get("do", ""))
    if to is not None:
        try:
            change_emergency(db, caller, emergency_id, to, now, origin=address)
        except EmergencyEnded:
            db.rollback()  # Somebody was quicker; the page says how it ended.
    return go_to(request, f"/app/emergencias/{emergency_id}")
