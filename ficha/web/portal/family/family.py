"""`/app`: the family as cards, each with its next useful thing. As many statements for one record as for twenty."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.statements import read_account
from ficha.audit.statements import Openings, openings_of
from ficha.core.errors import NotFound
from ficha.emergencies.missing_facts import JudgedRecord, Lack, lacks_of
from ficha.emergencies.statements import live_emergencies
from ficha.fmd.base import Door, has_data
from ficha.fmd.grants import GrantState
from ficha.fmd.record_codes import new_code_for
from ficha.fmd.record_list import ListedRecord, note_listed, records_for
from ficha.fmd.responder.relations import other_side
from ficha.fmd.statements import due_decisions
from ficha.fmd.stored_documents import text_in
from ficha.http.dependencies import Address, CurrentCaller, Db, Now, Parts, Reading
from ficha.http.fmd_dependencies import ReadFmd
from ficha.institutions.institution import institutions_with_role
from ficha.photos.photos import MEDIA_TYPE, WHAT, photo_of, records_with_photo
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.family.emergency import alerts_of
from ficha.web.portal.time_zones import day_texts

PHRASES = page_texts("portal", "family")
LIVE = page_texts("portal", "live")
# What a record is to the account whose own it is: one that was begun for a child waits as a card.
OWN = "titular"


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
    # Of its own stickers, those that open nothing until the mail is answered.
    waiting: str
    # Empty for who may not manage it: to say whether it protects takes what she does not see.
    state: str
    next_rule: str
    next_path: str
    has_photo: bool
    last_opened: str

    @classmethod
    def of(
        cls,
        record: ListedRecord,
        lacks: Sequence[Lack],
        openings: Openings,
        decision: GrantState | None,
        has_photo: bool,
        day: Callable[[datetime], str],
    ) -> "Card":
        """`decision` is what its owner has to decide about who gets the record or who stays: before all else."""
        code, opened = code_of(record), openings.last.get(record.id)
        name, path = (lacks[0].name, lacks[0].path) if lacks and code else ("", "")
        if decision is not None and code and record.access.via == "owner":
            name, path = decision.value, f"/app/{code}/personas"
        state = "not_yet" if any(lack.is_blocking for lack in lacks) else "protects"
        return cls(
            record.id,
            code,
            record.access.rights.manages,
            record.nombre,
            _whose(record),
            record.completeness,
            str(record.freshness or "none"),
            [product.code for product in record.products],
            " ".join(one.code for one in record.products if not one.is_confirmed)
            if record.access.rights.manages
            else "",
            state if record.access.rights.manages else "",
            name,
            path,
            has_photo and record.access.sees_all,
            day(opened) if opened else "",
        )


def code_of(record: ListedRecord) -> str:
    """By which its pages are opened; empty where its last code ended."""
    return record.products[0].code if record.products else ""


def unwritten_record(records: Sequence[ListedRecord]) -> ListedRecord | None:
    """The one that every account has, while nothing is written into it and no sticker is its own, of who has others to
    look after: it is offered, and has no card."""
    unwritten = [
        record
        for record in records
        if record.access.via == "owner"
        and not any(map(has_data, record.documents.values()))
        and len(record.products) == 1
        and not record.products[0].is_sticker
    ]
    is_hidden = len(unwritten) == 1 and len(records) > 1 and unwritten[0].relacion == OWN
    return unwritten[0] if is_hidden else None


def _whose(record: ListedRecord) -> str:
    if record.access.via != "owner":
        return f"via_{record.access.via}"
    return f"kin_{other_side(record.relacion, text_in(record.documents.get('personal', {}), 'sexo'))}"


@routes.page("")
def family(
    request: Request, reading: Reading, parts: Parts, caller: CurrentCaller, now: Now, address: Address
) -> Response:
    found = records_for(reading, parts.keyring, caller.account_id, now)
    note_listed(parts.read_log, found, caller.account_id, now, origin=address)
    own = unwritten_record(found)
    found = [record for record in found if record is not own]
    found.sort(key=lambda record: (record.access.via != "owner", record.created_at))
    ids = [record.id for record in found]
    openings, photos = openings_of(reading, ids), records_with_photo(reading, ids)
    # The day is that of her zone, which is read only where a day is shown.
    day = day_texts(request, reading, caller.account_id) if openings.last else str
    decisions = due_decisions(reading, ids, now)
    judged = [
        JudgedRecord(record.id, code_of(record), record.documents, record.products, record.access.rights.manages)
        for record in found
        if record.access.rights.changes
    ]
    account = read_account(reading, caller.account_id)
    lacks = lacks_of(reading, parts.secrets, parts.settings, account, judged, openings, now)
    cards = [
        Card.of(record, lacks.get(record.id, []), openings, decisions.get(record.id), record.id in photos, day)
        for record in found
    ]
    return show(
        request,
        "portal/family/family.html",
        {**LIVE, **PHRASES},
        cards=cards,
        correo=account.correo,
        own_record="" if own is None else f"/app/{code_of(own)}/inicio",
        is_handed_over=request.query_params.get("hecho") == "entregada",
        alerts=alerts_of(live_emergencies(reading, caller.account_id, now), found),
        opening=None,
        employers=[one for one, _ in institutions_with_role(reading, caller.account_id)],
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
