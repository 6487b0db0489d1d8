"""`/app`: the family as cards, each with its next useful thing. As many statements for one record as for twenty."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime

from starlette.requests import Request
from starlette.responses import Response

from ficha.audit.statements import Openings, openings_of
from ficha.core.errors import NotFound
from ficha.emergencies.statements import live_emergencies
from ficha.fmd.base import Door
from ficha.fmd.grants import GrantState
from ficha.fmd.record_codes import new_code_for
from ficha.fmd.record_list import ListedRecord, records_for
from ficha.fmd.responder.relations import other_side
from ficha.fmd.statements import due_decisions
from ficha.fmd.stored_documents import text_in
from ficha.fmd.suggestions import next_suggestion
from ficha.http.dependencies import Address, CurrentCaller, Db, Now, Parts, Reading
from ficha.http.fmd_dependencies import ReadFmd
from ficha.photos.photos import MEDIA_TYPE, WHAT, photo_of, records_with_photo
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.family.emergency import alerts_of
from ficha.web.portal.time_zones import day_texts

PHRASES = page_texts("portal", "family")
LIVE = page_texts("portal", "live")


routes = signed_in_routes("/app")


@dataclass(frozen=True)
class Card:
    id: int
    code: str
    manages: bool
    nombre: str
    # The phrase that says who it is to the reader.
    whose: str
    completeness: int
    freshness: str
    codes: list[str]
    next_rule: str
    next_path: str
    has_photo: bool
    last_opened: str

    @classmethod
    def of(
        cls,
        record: ListedRecord,
        openings: Openings,
        decision: GrantState | None,
        has_photo: bool,
        today: date,
        day: Callable[[datetime], str],
    ) -> "Card":
        """`decision` is what its owner has to decide about who gets the record or who stays: before all else."""
        code = record.products[0].code if record.products else ""
        rule = None
        if record.access.rights.changes and code:
            is_tried = openings.is_tried(record.id) or not record.access.rights.manages
            rule = next_suggestion(record.documents, today, is_tried=is_tried)
        opened = openings.last.get(record.id)
        name, page = ("", "") if rule is None else (rule.name, rule.model)
        if decision is not None and code and record.access.via == "owner":
            name, page = decision.value, "personas"
        return cls(
            record.id,
            code,
            record.access.rights.manages,
            record.nombre,
            _whose(record),
            record.completeness,
            str(record.freshness or "none"),
            [product.code for product in record.products],
            name,
            f"/app/{code}/{page}" if page else "",
            has_photo and record.access.sees_all,
            day(opened) if opened else "",
        )


def _whose(record: ListedRecord) -> str:
    if record.access.via != "owner":
        return f"via_{record.access.via}"
    return f"kin_{other_side(record.relacion, text_in(record.documents.get('personal', {}), 'sexo'))}"


@routes.page("")
def family(
    request: Request, reading: Reading, parts: Parts, caller: CurrentCaller, now: Now, address: Address
) -> Response:
    found = records_for(reading, parts.keyring, caller.account_id, now)
    who = f"account:{caller.account_id}"
    for record in found:
        via = record.access.via
        parts.read_log.note(record.id, who, "record.listed", ["personal"], now, via=via, origin=address)
    found.sort(key=lambda record: (record.access.via != "owner", record.created_at))
    ids = [record.id for record in found]
    openings, photos = openings_of(reading, ids), records_with_photo(reading, ids)
    # The day is that of her zone, which is read only where a day is shown.
    day = day_texts(request, reading, caller.account_id) if openings.last else str
    decisions = due_decisions(reading, ids, now)
    cards = [
        Card.of(record, openings, decisions.get(record.id), record.id in photos, now.date(), day) for record in found
    ]
    return show(
        request,
        "portal/family/family.html",
        {**LIVE, **PHRASES},
        cards=cards,
        is_handed_over=request.query_params.get("hecho") == "entregada",
        alerts=alerts_of(live_emergencies(reading, caller.account_id, now), found),
        opening=None,
    )


@routes.post("")
def give_code(request: Request, db: Db, caller: CurrentCaller, now: Now, form: PostedForm) -> Response:
    """To a record whose last code ended, so that it can be opened. Raises RecordNotManaged."""
    which = form.get("record", "")
    number = int(which) if which.isascii() and which.isdigit() and len(which) < 19 else 0
    return go_to(request, f"/app/{new_code_for(db, caller, number, now)}/etiquetas")


@routes.page("/{code}/foto")
def photo(reading: Reading, opened: ReadFmd, now: Now) -> Response:
    """The thumbnail, for who may see all of the record."""
    fmd = opened.fmd
    found = photo_of(reading, fmd.id, fmd.key) if fmd.rights.door is Door.P else None
    if found is None:
        raise NotFound
    opened.note("record.read", [WHAT], now)
    return Response(found, media_type=MEDIA_TYPE, headers={"Cache-Control": "private, no-store"})
