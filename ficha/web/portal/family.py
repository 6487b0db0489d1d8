"""`/app`: the family as cards, each with its next useful thing. As many statements for one record as for twenty."""

from dataclasses import dataclass
from datetime import date

from starlette.requests import Request
from starlette.responses import Response

from ficha.emergencies.family_view import live_emergencies
from ficha.fmd.next_things import next_thing
from ficha.fmd.record_codes import new_code_for
from ficha.fmd.record_list import ListedRecord, records_for
from ficha.http.dependencies import Address, CurrentCaller, Db, Now, Parts, Reading
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.portal.family_phrases import PHRASES
from ficha.web.portal.live_banner import alerts_of
from ficha.web.portal.live_phrases import PHRASES as LIVE

routes = signed_in_routes("/app")


@dataclass(frozen=True)
class Card:
    id: int
    code: str
    manages: bool
    nombre: str
    via: str
    completeness: int
    freshness: str
    codes: list[str]
    next_rule: str
    next_path: str

    @classmethod
    def of(cls, record: ListedRecord, today: date) -> "Card":
        code = record.products[0].code if record.products else ""
        rule = next_thing(record.documents, today) if record.access.rights.changes and code else None
        return cls(
            record.id,
            code,
            record.access.rights.manages,
            record.nombre,
            str(record.access.via),
            record.completeness,
            str(record.freshness or "none"),
            [product.code for product in record.products],
            "" if rule is None else rule.name,
            "" if rule is None else f"/app/{code}/{rule.model}",
        )


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
    cards = [Card.of(record, now.date()) for record in found]
    return show(request, "portal/record/family.html", PHRASES, cards=cards)


@routes.post("")
def give_code(request: Request, db: Db, caller: CurrentCaller, now: Now, form: PostedForm) -> Response:
    """To a record whose last code ended, so that it can be opened. Raises RecordNotManaged."""
    which = form.get("record", "")
    number = int(which) if which.isascii() and which.isdigit() and len(which) < 19 else 0
    return go_to(request, f"/app/{new_code_for(db, caller, number, now)}/etiquetas")
    return show(
        request,
        "portal/record/family.html",
        {**LIVE, **PHRASES},
        cards=cards,
        alerts=alerts_of(live_emergencies(reading, caller.account_id, now), found),
        opening=None,
    )
