"""/admin/emergencias: the queue of those that wait for staff, and one of them. To open one is written down."""

from datetime import datetime
from typing import Literal

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.tokens import MAX_ID
from ficha.emergencies.emergency import Timeouts
from ficha.emergencies.emergency_access import (
    QueuedEmergency,
    VisibleEmergency,
    VisibleStep,
    lines_of_visible,
    note_look,
    staff_queue,
    visible_emergency,
)
from ficha.emergencies.positions import MapProvider, map_url
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Address, Now, Reading
from ficha.http.dependencies import Parts as AskedParts
from ficha.web.console.door import StaffVisit
from ficha.web.console.frame import show_console, show_list, translate_for, word_of
from ficha.web.console.queue_phrases import EMERGENCIES as PHRASES
from ficha.web.kit.alert_headlines import Reader, headline
from ficha.web.kit.language import Translate, language_of
from ficha.web.kit.lists import PAGE_SIZE, Cell, Filter, FilterChoice, Row, RowAction, RowNumber, Table, moment, page_of
from ficha.web.kit.signed_in import signed_in_routes

routes = signed_in_routes()

PATH = "/admin/emergencias"
COLUMNS = ("number", "state", "since", "opened", "scans", "ladder")
STEP_COLUMNS = ("step", "whom", "channel", "state", "opened", "answer")


@routes.page(PATH)
def queue_page(
    request: Request,
    reading: Reading,
    visit: StaffVisit,
    cuales: Literal["", "terminadas"] = "",
    cursor: Cursor = None,
) -> Response:
    t = translate_for(request, PHRASES)
    is_live = not cuales
    start = row_before(cursor, 0 if is_live else MAX_ID)
    found = staff_queue(reading, is_live=is_live, from_id=start, limit=PAGE_SIZE + 1)
    choices = [FilterChoice("", t("under_way")), FilterChoice("terminadas", t("ended"))]
    filters = [Filter("cuales", t("which"), choices, cuales)]
    table = page_of(t, PATH, COLUMNS, found, lambda each: _row(t, each), "emergencies_none", cursor, filters=filters)
    return show_list(request, visit, "emergencies", PHRASES, table, lead=t("emergencies_lead"))


@routes.page(PATH + "/{emergency_id}")
def emergency_page(
    request: Request,
    reading: Reading,
    parts: AskedParts,
    visit: StaffVisit,
    now: Now,
    address: Address,
    emergency_id: RowNumber,
) -> Response:
    """As the operation `Emergency` shows it to staff: with the place, without the names of the family."""
    seen = visible_emergency(reading, parts.keyring, visit.caller, emergency_id, now, Timeouts.of(parts.settings))
    note_look(parts.read_log, seen, visit.caller, now, origin=address)
    t = translate_for(request, PHRASES)
    place, map_link = _place(t, seen, now)
    steps = Table(PATH, [t(key) for key in STEP_COLUMNS], [_step(t, each) for each in seen.steps], t("steps_none"))
    return show_console(
        request,
        visit,
        "console/emergency.html",
        "emergencies",
        PHRASES,
        title=t("emergency", id=seen.emergency.id),
        emergency=seen.emergency,
        told=headline(Reader.DESK, lines_of_visible(seen, now), language_of(request)),
        since=moment(seen.emergency.staff_at),
        opened=moment(seen.emergency.opened_at),
        place=place,
        map_link=map_link,
        steps=steps,
    )


def _row(t: Translate, each: QueuedEmergency) -> Row:
    channel, state = word_of(t, PHRASES, "channel", each.channel), word_of(t, PHRASES, "step", each.step_state)
    ladder = f"{channel}: {state} ({each.steps})" if each.steps else "–"
    return Row(
        [
            Cell(str(each.id)),
            Cell(t(f"state_{each.state}")),
            moment(each.staff_at),
            moment(each.opened_at),
            Cell(str(each.scans)),
            Cell(ladder),
        ],
        [RowAction(t("see_details"), f"{PATH}/{each.id}", str(each.id))],
    )


def _step(t: Translate, seen: VisibleStep) -> Row:
    step, answer = seen.step, seen.called.answer if seen.called else None
    state = word_of(t, PHRASES, "step", step.state) + (f" ({step.reason})" if step.reason else "")
    return Row(
        [
            Cell(str(step.place)),
            Cell(seen.contact.relacion or "–"),
            Cell(word_of(t, PHRASES, "channel", step.channel)),
            Cell(state),
            moment(step.started_at),
            Cell(t(f"answer_{answer}") if answer else "–"),
        ]
    )


def _place(t: Translate, seen: VisibleEmergency, now: datetime) -> tuple[str, str]:
    """Where it is in words, and the address of a map; both empty if nobody said."""
    known = seen.position
    if known is None:
        return "", ""
    minutes = int(known.age(now).total_seconds() // 60)
    meters = "?" if known.accuracy_m is None else round(known.accuracy_m)
    where = f"{known.lat:.5f}, {known.lng:.5f} ({t('place_age', minutes=minutes, meters=meters)})"
    return where, map_url(MapProvider.GOOGLE, known.lat, known.lng)
