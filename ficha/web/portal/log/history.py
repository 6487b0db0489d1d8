"""The history of a record: every change, the whole record as it was on a day, and one section of it restored."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from sqlalchemy import select
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Account, Idioma
from ficha.core.errors import NotFound
from ficha.core.transaction import Transaction
from ficha.fmd.access import OpenFmd
from ficha.fmd.base import Document, Door, has_data
from ficha.fmd.catalog import CATALOG
from ficha.fmd.changes import VersionMismatch, restore_model
from ficha.fmd.dates_and_amounts import moment_text, typed_date, zone_with
from ficha.fmd.faults import InvalidDocument
from ficha.fmd.history import Change, changes_of, record_at
from ficha.fmd.responder.generic import model_section
from ficha.fmd.responder.record_reader import RecordReader
from ficha.fmd.responder.view import Section
from ficha.fmd.stored_documents import StoredDocument, stored_documents
from ficha.http.cursors import NO_END, next_cursor, row_before
from ficha.http.dependencies import CurrentCaller, Db, Now, Reading
from ficha.http.fmd_dependencies import CurrentFmd, ReadFmd
from ficha.web.kit.forms import FieldRefused, PostedForm
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.rendering import show, show_form
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.time_zones import zone_for

PHRASES = page_texts("portal", "history")
SENTENCES = page_texts("portal", "log")


routes = signed_in_routes("/app")

SIZE = 20
LONGEST_MOMENT = 40


@dataclass(frozen=True)
class PastSection:
    """A section as it was: its version then, that of today, and whether they say the same."""

    section: Section
    wire: str
    version: int
    current: int
    is_same: bool


@routes.page("/{code}/historia")
def history_page(
    request: Request, reading: Reading, caller: CurrentCaller, opened: ReadFmd, now: Now, code: str
) -> Response:
    """With `el`, a day or a moment, the record as it was then."""
    fmd = opened.fmd
    fmd.must_manage()
    opened.note("history.read", [], now)
    zone, language = zone_for(request, reading, fmd, caller.account_id), language_of(request)
    asked = request.query_params.get("el", "").strip()[:LONGEST_MOMENT]
    day = typed_date(asked, language)
    moment = _moment(day, zone) if day else None
    if moment is not None and moment <= now + timedelta(days=1):
        return show(
            request,
            "portal/log/as_it_was.html",
            PHRASES,
            code=code,
            day=day,
            moment=moment_text(min(moment, now), now, zone, language),
            sections=_past(reading, fmd, moment, now, language),
            trouble=request.query_params.get("no", ""),
        )
    found = changes_of(reading, fmd, before=row_before(request.query_params.get("cursor"), NO_END), limit=SIZE + 1)
    return show_form(
        request,
        "portal/log/history.html",
        PHRASES,
        FieldRefused("el", "day_wrong") if asked else None,
        code=code,
        day=asked,
        changes=_told(reading, caller.account_id, found[:SIZE], now, zone, language),
        following=next_cursor(found, SIZE, lambda change: change.number),
    )


@routes.post("/{code}/historia")
def restore(request: Request, db: Db, fmd: CurrentFmd, now: Now, form: PostedForm, code: str) -> Response:
    """A new version that says what an earlier one said."""
    fmd.must_manage()
    model = CATALOG.find(form.get("model", ""))
    numbers = [form.get(name, "") for name in ("version", "current")]
    if model is None or not all(number.isdecimal() and len(number) < 10 for number in numbers):
        raise NotFound
    version, current = map(int, numbers)
    try:
        restore_model(db, fmd, model, version, now, expected=[current])
    except (VersionMismatch, InvalidDocument) as refusal:
        db.rollback()
        why = "meanwhile" if isinstance(refusal, VersionMismatch) else "cannot"
        asked = _plain(form.get("el", ""))
        return go_to(request, f"/app/{code}/historia?el={asked}&no={why}")
    return go_to(request, f"/app/{code}/{model.about.wire}?guardado=1")


def _past(reading: Transaction, fmd: OpenFmd, moment: datetime, now: datetime, language: Idioma) -> list[PastSection]:
    """What had data then, or has some today."""
    then = record_at(reading, fmd, moment)
    today = stored_documents(reading, fmd.id, fmd.key)
    documents: Mapping[str, Document] = {name: entry.document for name, entry in then.items()}
    reader = RecordReader(documents, Door.P, moment.date(), language)
    nothing = StoredDocument({}, 0, now)
    sections = []
    for model in CATALOG:
        wire = model.about.wire
        was, is_now = then.get(wire, nothing), today.get(wire, nothing)
        if has_data(was.document) or (was.version and has_data(is_now.document)):
            same = was.document == is_now.document
            sections.append(PastSection(model_section(reader, model), wire, was.version, is_now.version, same))
    return sections


def _told(
    reading: Transaction, account_id: int, changes: list[Change], now: datetime, zone: str, language: Idioma
) -> list[tuple[str, str, str]]:
    """Of each change: who made it and when, the sections, and its moment for the link."""
    t = translator(language, PHRASES, SENTENCES)
    numbers = {int(number) for change in changes if (number := change.actor.removeprefix("account:")).isdecimal()}
    names = dict(reading.orm.execute(select(Account.id, Account.nombre).where(Account.id.in_(numbers))).all())
    told = []
    for change in changes:
        number = change.actor.removeprefix("account:")
        mine = number == str(account_id)
        name = names.get(int(number), "") if number.isdecimal() else ""
        who = t("you") if mine else name or t("institution" if change.actor.startswith("institution") else "somebody")
        titles = [model.about.title.in_language(language) for model in CATALOG if model.about.wire in change.models]
        when = moment_text(change.at, now, zone, language)
        told.append((t("changed_by", who=who, when=when), ", ".join(titles), _plain(change.at.isoformat())))
    return told


def _moment(text: str, zone: str) -> datetime | None:
    """The end of a day in this zone, or a moment with its own."""
    try:
        if len(text) == len("2026-01-31"):
            return datetime.combine(date.fromisoformat(text), time.max, zone_with(zone))
        found = datetime.fromisoformat(text.replace(" ", "+"))  # A plus sign in an address is read as a space.
    except (ValueError, OverflowError):
        return None
    return found if found.tzinfo is not None else None


def _plain(moment: str) -> str:
    """Fit for an address."""
    return moment.replace("+00:00", "Z")[:LONGEST_MOMENT] if moment.isascii() and "&" not in moment else ""
