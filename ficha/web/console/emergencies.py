"""/admin/emergencias: the queue of those that wait for staff, and one of them. To open one is written down. Both keep
themselves up to date by the stream of events; without scripts a link loads them again."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from starlette.responses import Response

from ficha.accounts.people_list import names_of
from ficha.accounts.tokens import MAX_ID
from ficha.conversations.desk_conversations import conversation_address, number_for_emergency
from ficha.core.transaction import Transaction
from ficha.emergencies.emergency import Timeouts
from ficha.emergencies.emergency_access import (
    VisibleEmergency,
    VisibleStep,
    lines_of_visible,
    note_look,
    visible_emergency,
)
from ficha.emergencies.positions import MapProvider, map_url
from ficha.emergencies.staff_notes import StaffNote, notes_of
from ficha.emergencies.staff_queue import QueuedEmergency, queue_news, staff_queue
from ficha.emergencies.staff_work import holder_id
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Address, Now, Reading
from ficha.http.dependencies import Parts as AskedParts
from ficha.parts import Parts
from ficha.web.console.sections import MenuSection
from ficha.web.console.staff_access import StaffVisit, Visit
from ficha.web.kit.alert_headlines import Reader, headline
from ficha.web.kit.forms import FieldFault
from ficha.web.kit.language import Translate, language_of
from ficha.web.kit.lists import (
    PAGE_SIZE,
    Filter,
    FilterChoice,
    RowAction,
    RowNumber,
    moment,
    moment_ago,
    with_query,
)
from ficha.web.kit.page_views import nothing_new, page_view
from ficha.web.kit.sections import Columns, list_page, table_of
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "emergencies")

section = MenuSection("emergencies", PHRASES)
routes, PATH = section.routes, section.path


def _last_step(t: Translate, each: QueuedEmergency) -> str | None:
    channel, state = section.word_of(t, "channel", each.channel), section.word_of(t, "step", each.step_state)
    return f"{channel}: {state} ({each.steps})" if each.steps else None


def _step_state(t: Translate, seen: VisibleStep) -> str:
    return section.word_of(t, "step", seen.step.state) + (f" ({seen.step.reason})" if seen.step.reason else "")


def _answer(t: Translate, seen: VisibleStep) -> str | None:
    answer = seen.called.answer if seen.called else None
    return t(f"answer_{answer}") if answer else None


STEPS: Columns[VisibleStep] = {
    "step": lambda _t, seen: seen.step.place,
    "whom": lambda _t, seen: seen.contact.relacion or None,
    "channel": lambda t, seen: section.word_of(t, "channel", seen.step.channel),
    "state": _step_state,
    "step_began": lambda _t, seen: seen.step.started_at,
    "answer": _answer,
}


def queue_columns(names: Mapping[int, str], now: datetime, language: str) -> Columns[QueuedEmergency]:
    return {
        "number": lambda _t, each: each.id,
        "state": lambda t, each: t(f"state_{each.state}"),
        "holder": lambda t, each: _holder(t, names, each.taken_by) if each.taken_by else t("holder_none"),
        "since": lambda _t, each: moment_ago(each.staff_at, now, language),
        "opened": lambda _t, each: moment_ago(each.opened_at, now, language),
        "scans": lambda _t, each: each.scans,
        "ladder": _last_step,
    }


def note_columns(names: Mapping[int, str], now: datetime, language: str) -> Columns[StaffNote]:
    return {
        "note": lambda _t, note: note.place,
        "note_kind": lambda t, note: t(f"note_{note.kind}"),
        "writer": lambda t, note: _holder(t, names, f"account:{note.account_id}"),
        "written": lambda _t, note: moment_ago(note.at, now, language),
    }


@routes.page(PATH)
def queue_page(
    reading: Reading, visit: StaffVisit, now: Now, cuales: Literal["", "terminadas"] = "", cursor: Cursor = None
) -> Response:
    t, is_live = section.translate(visit), not cuales
    start = row_before(cursor, 0 if is_live else MAX_ID)
    found = staff_queue(reading, is_live=is_live, from_id=start, limit=PAGE_SIZE + 1)
    names = _names(reading, [each.taken_by for each in found])
    choices = [FilterChoice("", t("under_way")), FilterChoice("terminadas", t("ended"))]
    table = list_page(
        t,
        PATH,
        queue_columns(names, now, language_of(visit.request)),
        found,
        "emergencies_none",
        cursor,
        filters=[Filter("cuales", t("which"), choices, cuales)],
        actions=lambda each: [RowAction(t("see_details"), f"{PATH}/{each.id}", str(each.id))],
    )
    return section.show(
        visit,
        "console/emergencies.html",
        title=t("emergencies"),
        lead=t("emergencies_lead"),
        table=table,
        news=queue_news(reading),
        seen_at=moment(now),
        here=with_query(PATH, {"cuales": cuales, "cursor": cursor or ""}),
        listens=True,
    )


@routes.page(PATH + "/aviso")
def news_fragment(reading: Reading, visit: StaffVisit) -> Response:
    """Only how many there are: `live.js` asks for it, and a screen reader says what changed."""
    return section.show(visit, "console/emergency_news.html", news=queue_news(reading))


@routes.page(PATH + "/{emergency_id}")
def emergency_page(
    reading: Reading, parts: AskedParts, visit: StaffVisit, now: Now, address: Address, emergency_id: RowNumber
) -> Response:
    """As the operation `Emergency` shows it to staff: with the position, without the names of the family. A page that
    is open and asks whether there is anything new gets none where there is not, which is no look."""
    return show_emergency(reading, parts, visit, emergency_id, now, address)


def show_emergency(
    tx: Transaction,
    parts: Parts,
    visit: Visit,
    emergency_id: int,
    now: datetime,
    address: str,
    faults: Sequence[FieldFault] = (),
) -> Response:
    """With faults, why what was pressed was not done."""
    seen = visible_emergency(tx, parts.keyring, visit.caller, emergency_id, now, Timeouts.of(parts.settings))
    t, language = section.translate(visit), language_of(visit.request)
    emergency, here = seen.emergency, f"{PATH}/{emergency_id}"
    told = headline(Reader.STAFF, lines_of_visible(seen, now), language)
    notes, desk_link = notes_of(tx, emergency.id), _desk_link(tx, parts, emergency.id)
    names = _names(tx, [emergency.taken_by, *(f"account:{note.account_id}" for note in notes)])
    standing = (emergency.state, emergency.scans, emergency.staff_at, emergency.taken_by, emergency.taken_at, names)
    shown = (language, told, standing, seen.position, seen.landmark, seen.steps, len(notes), desk_link)
    view = page_view(visit.request, parts.secrets, f"{visit.actor}:{here}", shown, now)
    if view.is_same:
        return nothing_new()
    note_look(parts.read_log, seen, visit.caller, now, origin=address, continues=view.continues)
    position, map_link = _position(t, seen, now)
    is_mine = emergency.taken_by == str(visit.actor)
    return section.show(
        visit,
        "console/emergency.html",
        faults=faults,
        title=t("emergency", id=emergency.id),
        emergency=emergency,
        here=here,
        news=queue_news(tx),
        told=told,
        seal=view.seal,
        holder=_holder(t, names, emergency.taken_by),
        taken=moment_ago(emergency.taken_at, now, language),
        is_mine=is_mine,
        may_take=emergency.is_live and emergency.taken_by is None,
        may_hand_back=emergency.is_live and emergency.taken_by is not None and (is_mine or visit.is_admin),
        since=moment_ago(emergency.staff_at, now, language),
        opened=moment_ago(emergency.opened_at, now, language),
        seen_at=moment(now),
        landmark=seen.landmark,
        position=position,
        map_link=map_link,
        steps=table_of(t, PATH, STEPS, seen.steps, "steps_none"),
        notes=table_of(
            t,
            PATH,
            note_columns(names, now, language),
            notes,
            "notes_none",
            lambda note: [RowAction(t("open_note"), f"{here}/notas/{note.place}", str(note.place))],
        ),
        has_desk=parts.settings.bridges_conversations,
        desk_link=desk_link,
        listens=True,
    )


def _desk_link(tx: Transaction, parts: Parts, emergency_id: int) -> str:
    number = number_for_emergency(tx, emergency_id)
    return "" if number is None else conversation_address(parts.settings, number)


def _names(tx: Transaction, holders: Sequence[str | None]) -> dict[int, str]:
    return names_of(tx, {number for number in map(holder_id, holders) if number is not None})


def _holder(t: Translate, names: Mapping[int, str], taken_by: str | None) -> str:
    """The name of somebody of staff; her number once her account is gone."""
    number = holder_id(taken_by)
    return "" if number is None else names.get(number) or t("account_number", number=number)


def _position(t: Translate, seen: VisibleEmergency, now: datetime) -> tuple[str, str]:
    """Where it is in words, and the address of a map; both empty if nobody said."""
    known = seen.position
    if known is None:
        return "", ""
    minutes = int(known.age(now).total_seconds() // 60)
    age = t("position_age", minutes=minutes)
    if known.accuracy_m is not None:
        age = t("position_accuracy", age=age, meters=round(known.accuracy_m))
    where = f"{known.lat:.5f}, {known.lng:.5f} ({age})"
    return where, map_url(MapProvider.GOOGLE, known.lat, known.lng)
