"""/admin/mensajes/{id}: a message about somebody's record or emergency, which the desk only names. Whoever opens it
says why; that goes into the record's log, and the owner is told."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel
from sqlalchemy import select
from sqlalchemy.orm import joinedload
from starlette.responses import Response, StreamingResponse

from ficha.conversations.message_words import kind_words, words_of
from ficha.core.errors import NotFound
from ficha.core.transaction import Transaction
from ficha.http.dependencies import Address, Db, Now, Reading
from ficha.http.dependencies import Parts as AskedParts
from ficha.http.file_answers import saved_as
from ficha.messaging.files import KeptFile, kept_file, streamed_pieces
from ficha.messaging.opened_messages import OpeningReason, has_opened, must_have_opened, said_in
from ficha.messaging.tables import Message
from ficha.notices.notices import open_reserved_message
from ficha.web.console.sections import MenuSection
from ficha.web.console.staff_access import StaffVisit, Visit
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.lists import RowNumber, moment
from ficha.web.kit.model_forms import ModelField, read_model
from ficha.web.kit.sections import faults_in, go_on
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "messages")

section = MenuSection("emergencies", PHRASES)
routes = section.routes

PATH = "/admin/mensajes"
REASON = ModelField("motivo", "paragraph")


class OpeningForm(BaseModel):
    motivo: OpeningReason


@routes.page(PATH + "/{message_id}")
def message_page(reading: Reading, parts: AskedParts, visit: StaffVisit, now: Now, message_id: RowNumber) -> Response:
    """What it says, for an hour after she opened it; before that the form."""
    message = _message(reading, message_id)
    is_open = has_opened(reading, visit.caller, message, now)
    said = said_in(message, parts.keyring) if is_open else None
    return _show(reading, visit, message, is_open=is_open, words=_words(message, said))


@routes.post(PATH + "/{message_id}")
def open_message_page(
    db: Db,
    parts: AskedParts,
    visit: StaffVisit,
    now: Now,
    address: Address,
    message_id: RowNumber,
    form: PostedForm,
) -> Response:
    message = _message(db, message_id)

    def save() -> None:
        why = read_model(OpeningForm, [REASON], form).motivo
        open_reserved_message(db, parts.keyring, visit.caller, message, why, now, origin=address)

    if faults := faults_in(db, REASON.name, save):
        return _show(db, visit, message, typed=form.get(REASON.name, ""), faults=faults)
    return go_on(visit, f"{PATH}/{message_id}", "opened")


@routes.page(PATH + "/{message_id}/archivo")
def file_of_message(
    reading: Reading, parts: AskedParts, visit: StaffVisit, now: Now, message_id: RowNumber
) -> Response:
    """As a download: whatever its type says, no browser shows it as a page of ours."""
    must_have_opened(reading, visit.caller, _message(reading, message_id), now)
    kept = kept_file(reading, KeptFile.message_id == message_id)
    if kept is None:
        raise NotFound
    headers = {
        "Content-Type": "application/octet-stream",
        "Content-Length": str(kept.size),
        **saved_as(f"mensaje-{message_id}"),
    }
    return StreamingResponse(streamed_pieces(parts.database, parts.keyring, kept), headers=headers)


def _message(tx: Transaction, message_id: int) -> Message:
    query = select(Message).where(Message.id == message_id).options(joinedload(Message.thread))
    found = tx.orm.scalars(query).one_or_none()
    if found is None:
        raise NotFound
    return found


def _words(message: Message, said: dict[str, Any] | None) -> str:
    """What it says, in one text; empty where nothing of it is left."""
    if said is None:
        return ""
    if not message.is_ours:
        return words_of(said, message.type)
    parts = [said.get(name) for name in ("name", "address", "filename", "caption")]
    values = [*said.get("body", ())] if said["kind"] == "template" else [said.get("body")]
    return " · ".join(str(each) for each in (*parts, *values) if each)


def _show(
    tx: Transaction,
    visit: Visit,
    message: Message,
    *,
    is_open: bool = False,
    words: str = "",
    typed: str = "",
    faults: Sequence[FieldFault] = (),
) -> Response:
    t, path = section.translate(visit), f"{PATH}/{message.id}"
    return section.show(
        visit,
        "console/message.html",
        faults=faults,
        title=t("message_title", id=message.id),
        kind=kind_words(message.type).strip("[]"),
        at=moment(message.at),
        is_ours=message.is_ours,
        is_open=is_open,
        words=words,
        file_link=f"{path}/archivo" if is_open and kept_file(tx, KeptFile.message_id == message.id) is not None else "",
        action=path,
        fields=section.fields(visit, [REASON], {REASON.name: typed}),
    )
