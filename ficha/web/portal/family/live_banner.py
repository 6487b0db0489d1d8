"""What stands above the family's pages while something happens: an alert under way, or that somebody just opened a
record. `live.js` asks for it when the stream of events tells of something; without scripts `/app` shows the alerts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.tokens import MAX_ID
from ficha.emergencies.emergency import EmergencyRow, EmergencyState
from ficha.emergencies.statements import live_emergencies
from ficha.fmd.record_list import ListedRecord, records_for
from ficha.http.dependencies import Address, CurrentCaller, Now, Parts, Reading
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.texts import page_texts

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
    for each in records:
        who, via = f"account:{caller.account_id}", each.access.via
        parts.read_log.note(each.id, who, "record.listed", ["personal"], now, via=via, origin=address)
    opening = next((each for each in records if each.id == abierta and each.access.rights.manages), None)
    return show(
        request,
        "portal/family/live_banner.html",
        PHRASES,
        alerts=alerts_of(found, records),
        opening=None if opening is None or not opening.products else (opening.nombre, opening.products[0].code),
    )
