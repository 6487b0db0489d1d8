"""What staff do on /admin/emergencias/{id}: take it, hand it back, write a note, open one with a reason, and have its
conversation at the help desk opened. The functions are those of the API."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import BaseModel
from starlette.responses import Response

from ficha.accounts.people_list import names_of
from ficha.core.errors import FichaError
from ficha.core.transaction import Transaction
from ficha.emergencies.staff_notes import NoteWords
from ficha.emergencies.staff_work import (
    desk_conversation,
    hand_back,
    open_note,
    opened_note,
    staff_emergency,
    take_emergency,
    write_note,
)
from ficha.http.dependencies import Address, Db, Now, Reading
from ficha.http.dependencies import Parts as AskedParts
from ficha.messaging.opened_messages import OpeningReason
from ficha.parts import Parts
from ficha.web.console.emergencies import PATH, PHRASES, show_emergency
from ficha.web.console.sections import MenuSection
from ficha.web.console.staff_access import StaffVisit, Visit
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.lists import RowNumber, moment
from ficha.web.kit.model_forms import ModelField, faults_of, read_model
from ficha.web.kit.sections import CORRECTABLE, faults_in, go_on

section = MenuSection("emergencies", PHRASES)
routes = section.routes

ONE = PATH + "/{emergency_id}"
REASON, WORDS = ModelField("motivo", "paragraph"), ModelField("texto", "paragraph")
# Where a refusal is told that names no field of the page: at what says who has it.
HOLDER = "holder"


class HandingBackForm(BaseModel):
    motivo: NoteWords


class NoteForm(BaseModel):
    texto: NoteWords


class NoteOpeningForm(BaseModel):
    motivo: OpeningReason


@routes.post(ONE + "/tomar")
def take(
    db: Db,
    parts: AskedParts,
    visit: StaffVisit,
    now: Now,
    address: Address,
    emergency_id: RowNumber,
    _form: PostedForm,
) -> Response:
    """Of two who press at once, one has it; the other reads who."""
    try:
        take_emergency(db, visit.caller, emergency_id, now, origin=address)
    except FichaError as refusal:
        if refusal.status not in CORRECTABLE:
            raise
        db.rollback()
        return show_emergency(db, parts, visit, emergency_id, now, address, faults_of(refusal, HOLDER))
    return go_on(visit, f"{PATH}/{emergency_id}", "taken")


@routes.page(ONE + "/devolver")
def ask_hand_back(reading: Reading, visit: StaffVisit, emergency_id: RowNumber) -> Response:
    staff_emergency(reading, visit.caller, emergency_id)
    return _hand_back_form(visit, emergency_id)


@routes.post(ONE + "/devolver")
def give_back(
    db: Db, parts: AskedParts, visit: StaffVisit, now: Now, address: Address, emergency_id: RowNumber, form: PostedForm
) -> Response:
    def save() -> None:
        why = read_model(HandingBackForm, [REASON], form).motivo
        hand_back(db, parts.keyring, parts.settings, visit.caller, emergency_id, why, now, origin=address)

    if faults := faults_in(db, REASON.name, save):
        return _hand_back_form(visit, emergency_id, form.get(REASON.name, ""), faults)
    return go_on(visit, f"{PATH}/{emergency_id}", "handed_back")


@routes.page(ONE + "/notas")
def new_note(reading: Reading, visit: StaffVisit, emergency_id: RowNumber) -> Response:
    staff_emergency(reading, visit.caller, emergency_id)
    return _note_form(visit, emergency_id)


@routes.post(ONE + "/notas")
def add_note(
    db: Db, parts: AskedParts, visit: StaffVisit, now: Now, address: Address, emergency_id: RowNumber, form: PostedForm
) -> Response:
    def save() -> None:
        words = read_model(NoteForm, [WORDS], form).texto
        write_note(db, parts.keyring, visit.caller, emergency_id, words, now, origin=address)

    if faults := faults_in(db, WORDS.name, save):
        return _note_form(visit, emergency_id, form.get(WORDS.name, ""), faults)
    return go_on(visit, f"{PATH}/{emergency_id}", "noted")


@routes.page(ONE + "/notas/{place}")
def note_page(
    reading: Reading, parts: AskedParts, visit: StaffVisit, now: Now, emergency_id: RowNumber, place: RowNumber
) -> Response:
    """What it says, for an hour after she opened it; before that the form."""
    return _show_note(reading, parts, visit, emergency_id, place, now)


@routes.post(ONE + "/notas/{place}")
def open_note_page(
    db: Db,
    parts: AskedParts,
    visit: StaffVisit,
    now: Now,
    address: Address,
    emergency_id: RowNumber,
    place: RowNumber,
    form: PostedForm,
) -> Response:
    def save() -> None:
        why = read_model(NoteOpeningForm, [REASON], form).motivo
        open_note(db, parts.keyring, visit.caller, emergency_id, place, why, now, origin=address)

    if faults := faults_in(db, REASON.name, save):
        return _show_note(db, parts, visit, emergency_id, place, now, form.get(REASON.name, ""), faults)
    return go_on(visit, f"{PATH}/{emergency_id}/notas/{place}", "note_opened")


@routes.post(ONE + "/conversacion")
def open_conversation(
    db: Db, parts: AskedParts, visit: StaffVisit, now: Now, emergency_id: RowNumber, _form: PostedForm
) -> Response:
    """A job opens it; the page leads there as soon as it is there."""
    desk_conversation(db, parts.settings, visit.caller, emergency_id, now)
    return go_on(visit, f"{PATH}/{emergency_id}", "conversation")


def _hand_back_form(visit: Visit, emergency_id: int, typed: str = "", faults: Sequence[FieldFault] = ()) -> Response:
    return _form_page(visit, emergency_id, "hand_back", "devolver", REASON, typed, faults)


def _note_form(visit: Visit, emergency_id: int, typed: str = "", faults: Sequence[FieldFault] = ()) -> Response:
    return _form_page(visit, emergency_id, "write_note", "notas", WORDS, typed, faults)


def _form_page(
    visit: Visit,
    emergency_id: int,
    act: str,
    path: str,
    field: ModelField,
    typed: str,
    faults: Sequence[FieldFault],
) -> Response:
    t, back = section.translate(visit), f"{PATH}/{emergency_id}"
    return section.show(
        visit,
        "kit/sections/form.html",
        faults=faults,
        title=t(f"{act}_title", id=emergency_id),
        lead=t(f"{act}_lead"),
        action=f"{back}/{path}",
        fields=section.fields(visit, [field], {field.name: typed}),
        label=t(act),
        back=back,
    )


def _show_note(
    tx: Transaction,
    parts: Parts,
    visit: Visit,
    emergency_id: int,
    place: int,
    now: datetime,
    typed: str = "",
    faults: Sequence[FieldFault] = (),
) -> Response:
    note, words = opened_note(tx, parts.keyring, visit.caller, emergency_id, place, now)
    t, back = section.translate(visit), f"{PATH}/{emergency_id}"
    return section.show(
        visit,
        "console/note.html",
        faults=faults,
        title=t("note_title", place=place, id=emergency_id),
        kind=t(f"note_{note.kind}"),
        writer=names_of(tx, {note.account_id}).get(note.account_id) or t("account_number", number=note.account_id),
        at=moment(note.at),
        words=words,
        action=f"{back}/notas/{place}",
        fields=section.fields(visit, [REASON], {REASON.name: typed}),
        back=back,
    )
