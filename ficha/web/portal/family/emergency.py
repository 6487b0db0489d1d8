"""The family's page of an emergency: where, with whom, whom we alerted and how, what they wrote to each other, each
further scan, "I am on my way", and its end. With scripts it keeps itself up to date; without, it is loaded again. After
the end it is the report, which stays, and `/app/emergencias` lists them. And what stands above the family's other pages
meanwhile: an alert under way, or that somebody just opened a record. `live.js` asks for that when the stream of events
tells of something; without scripts `/app` shows the alerts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Idioma
from ficha.accounts.tokens import MAX_ID
from ficha.emergencies.alert_texts import coordinates_text
from ficha.emergencies.emergency import EmergencyRow, EmergencyState, Timeouts
from ficha.emergencies.emergency_access import change_emergency, note_look
from ficha.emergencies.family_emergencies import FamilyEmergency, family_emergencies, family_emergency
from ficha.emergencies.positions import MapProvider, map_url
from ficha.emergencies.relay_lines import LineKind
from ficha.emergencies.state_changes import EmergencyEnded
from ficha.emergencies.statements import live_emergencies
from ficha.fmd.dates_and_amounts import day_text, local_time_text, zone_text, zone_with
from ficha.fmd.record_list import ListedRecord, note_listed, records_for
from ficha.http.cursors import Cursor, next_cursor, row_before
from ficha.http.dependencies import Address, CurrentCaller, Db, Now, Parts, Reading
from ficha.web.kit.alert_headlines import Reader, headline
from ficha.web.kit.alert_sentences import family_sentences, said_to_family
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.language import language_of, zone_here
from ficha.web.kit.lists import RowNumber
from ficha.web.kit.page_views import nothing_new, page_view
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.time_zones import moment_texts

PHRASES = page_texts("portal", "live")

routes = signed_in_routes("/app")


@dataclass(frozen=True)
class ShownAlert:
    id: int
    nombre: str
    since: datetime
    is_answered: bool


def alerts_of(found: Sequence[EmergencyRow], records: Sequence[ListedRecord]) -> list[ShownAlert]:
    names = {record.id: record.nombre for record in records}
    return [
        ShownAlert(each.id, names.get(each.record_id, ""), each.opened_at, each.state == EmergencyState.ACKNOWLEDGED)
        for each in found
    ]


@routes.page("/aviso")
def banner(
    request: Request,
    reading: Reading,
    parts: Parts,
    caller: CurrentCaller,
    now: Now,
    address: Address,
    abierta: Annotated[int | None, Query(ge=1, le=MAX_ID)] = None,
    aqui: Annotated[int | None, Query(ge=1, le=MAX_ID)] = None,
) -> Response:
    """Only the banner. `abierta` is the number of a record of hers that the stream says was opened, `aqui` that of the
    emergency whose page asks: it leads to others, not to itself."""
    found = [each for each in live_emergencies(reading, caller.account_id, now) if each.id != aqui]
    asked = {each.record_id for each in found} | {abierta}
    records: list[ListedRecord] = []
    if found or abierta is not None:
        records = [each for each in records_for(reading, parts.keyring, caller.account_id, now) if each.id in asked]
    note_listed(parts.read_log, records, caller.account_id, now, origin=address)
    opening = next((each for each in records if each.id == abierta and each.access.rights.manages), None)
    return show(
        request,
        "portal/family/live_banner.html",
        PHRASES,
        alerts=alerts_of(found, records),
        opening=None if opening is None or not opening.products else (opening.nombre, opening.products[0].code),
    )


LISTED = 30


@dataclass(frozen=True)
class ListedEmergency:
    id: int
    nombre: str
    when: str
    state: str


@routes.page("/emergencias")
def emergencies_page(
    request: Request,
    reading: Reading,
    parts: Parts,
    caller: CurrentCaller,
    now: Now,
    address: Address,
    cursor: Cursor = None,
) -> Response:
    """Those of all the records that the family lets her open, the newest first."""
    before = row_before(cursor, MAX_ID, "emergency")
    found = family_emergencies(reading, caller.account_id, now, before=before, limit=LISTED + 1)
    shown = found[:LISTED]
    named = {each.record_id for each in shown}
    records = records_for(reading, parts.keyring, caller.account_id, now) if shown else []
    records = [record for record in records if record.id in named]
    note_listed(parts.read_log, records, caller.account_id, now, origin=address)
    names = {record.id: record.nombre for record in records}
    moment = moment_texts(request, reading, caller.account_id, now) if shown else str
    return show(
        request,
        "portal/family/emergencies.html",
        PHRASES,
        emergencies=[
            ListedEmergency(each.id, names.get(each.record_id, ""), moment(each.opened_at), each.state)
            for each in shown
        ],
        following=next_cursor(found, LISTED, lambda each: each.id, "emergency"),
    )


# What the buttons of the page do.
CHANGES = {
    "voy": EmergencyState.ACKNOWLEDGED,
    "terminada": EmergencyState.RESOLVED,
    "falsa": EmergencyState.CANCELED,
}


@routes.page("/emergencias/{emergency_id}")
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
    language, zone = language_of(request), found.zone or zone_here(request)
    told = headline(Reader.FAMILY, found.lines, language, zone)
    hour = hours_of(found, zone, language)
    lines = family_sentences(found.lines, language, hour)
    said = said_to_family(found.said, found.names, language, hour)
    standing = (emergency.state, emergency.ended_at, found.ended_by, position, found.seen.may_change)
    shown = (language, told, standing, found.name, found.landmark, lines, said, found.scans)
    view = page_view(request, parts.secrets, f"{caller.account_id}:{emergency_id}", shown, now)
    if view.is_same:
        return nothing_new()
    note_look(parts.read_log, found.seen, caller, now, origin=address, continues=view.continues)
    ended, may_change = emergency.ended_at, found.seen.may_change and emergency.is_live
    phone = next((line.words for line in reversed(found.said) if line.kind is LineKind.PHONE), "")
    return show(
        request,
        "portal/family/emergency.html",
        PHRASES,
        emergency=emergency,
        name=found.name,
        landmark=found.landmark,
        told=told,
        seal=view.seal,
        where=coordinates_text(position, language.value) if position else "",
        map_url=map_url(MapProvider.OSM, position.lat, position.lng) if position else "",
        taken=hour(position.taken_at) if position else "",
        day=day_text(emergency.opened_at, zone, language.value),
        since=local_time_text(emergency.opened_at, zone, language.value),
        ended=hour(ended) if ended else "",
        ended_by=found.ended_by,
        lasted=max(1, round((ended - emergency.opened_at) / timedelta(minutes=1))) if ended else 0,
        zone=zone_text(zone),
        lines=lines,
        said=said,
        # Left to be called at now, by who acts; the report has no use for a stranger's number.
        phone=phone if may_change else "",
        scans=[(hour(scan.at), scan.kind) for scan in found.scans],
        may_change=may_change,
    )


def hours_of(found: FamilyEmergency, zone_name: str, language: Idioma) -> Callable[[datetime], str]:
    """The hour in the zone of the page; with its day, where that is not the day on which the emergency began."""
    zone, began = zone_with(zone_name), found.seen.emergency.opened_at

    def text(at: datetime) -> str:
        local, hour = at.astimezone(zone), f"{at.astimezone(zone):%H:%M}"
        if local.date() == began.astimezone(zone).date():
            return hour
        return f"{day_text(at, zone_name, language.value)} {hour}"

    return text


@routes.post("/emergencias/{emergency_id}")
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
