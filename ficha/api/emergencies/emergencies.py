"""Emergencies: open one, read them, change their state."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated

from fastapi import Path, Query, Request, Response

from ficha.accounts.tokens import MAX_ID
from ficha.api.emergencies.emergency_bodies import (
    DETAIL,
    EXAMPLE,
    RAISED,
    DetailOut,
    EmergencyOut,
    NewEmergency,
    NewState,
    RaisedOut,
    detail_out,
    emergency_out,
    position_of,
    raised_out,
)
from ficha.api.examples import DEMO_NURSE, answer_example, created_example, listing_example
from ficha.api.operations import Operations
from ficha.asgi.threads import Pool
from ficha.emergencies.drills import run_drill
from ficha.emergencies.emergency import EmergencyState, Timeouts
from ficha.emergencies.emergency_access import change_emergency, note_look, visible_emergencies, visible_emergency
from ficha.emergencies.opening import (
    AlertPermission,
    OpenedEmergency,
    open_emergency,
    permission_by_account,
    permission_by_tag,
)
from ficha.fmd.access import open_fmd
from ficha.fmd.scanning import TagEnded, scan
from ficha.http.dependencies import (
    Address,
    CurrentCaller,
    Db,
    Located,
    Now,
    Page,
    Parts,
    Reading,
    Reply,
    UrgentCaller,
    caller,
    urgent_caller,
)
from ficha.http.envelope import Answer, Listing
from ficha.notices.notices import note_ended_scan

operations = Operations("emergencies", prefix="/emergencies", callers="bearer")

EmergencyId = Annotated[int, Path(alias="id", ge=1, le=MAX_ID, examples=[1])]


@operations.post(
    "",
    "Create emergency",
    callers="tag or bearer",
    seed=True,
    status=201,
    errors=(403, 404),
    example=answer_example(RAISED, 201),
    responses=created_example(RAISED, 200),
    pool=Pool.URGENT,
)
def create(
    request: Request,
    response: Response,
    db: Db,
    parts: Parts,
    now: Now,
    address: Address,
    reply: Reply,
    located: Located,
    body: NewEmergency,
) -> "Answer[RaisedOut]":
    """Alerts the family: with the sticker's tag, or with the token of somebody who may open the record.
    A scan within ten minutes of another joins the emergency under way, and is answered with 200. Soon after an earlier
    alert of the record, `next_alert_at` says when the contacts are told. By WhatsApp each contact gets an alert once;
    a mail may come twice, with one Message-ID for each alert and contact. A tag that ended, that is new or not
    confirmed yet is 409, and nothing is created."""
    permission = _alert_permission(request, db, parts, body, now, address)
    position = position_of(body.position, now)
    if body.simulacro:
        opened = OpenedEmergency(run_drill(db, parts.secrets, permission, now, position), is_new=True)
    else:
        opened = open_emergency(db, permission, now, timeouts=Timeouts.of(parts.settings), position=position)
    if not opened.is_new:
        response.status_code = 200
        reply = replace(reply, status=200)
    else:
        located(f"/emergencies/{opened.emergency.id}")
    return reply(raised_out(opened, is_known=body.tag is None))


@operations.get("", "Emergencies", seed=True, errors=(422,), example=listing_example([EXAMPLE]))
def list_emergencies(
    reading: Reading,
    caller: CurrentCaller,
    now: Now,
    page: Page,
    state: Annotated[EmergencyState | None, Query(description="Only those in this state.")] = None,
) -> "Listing[EmergencyOut]":
    """Of the caller's own record and of those she may open, newest first; for staff also those that wait for staff."""
    found = visible_emergencies(reading, caller, now, before=page.start(MAX_ID), limit=page.limit, state=state)
    return page.answer(found, emergency_out, lambda emergency: emergency.id)


@operations.get(
    "/{id}", "Emergency", seed=True, errors=(404, 422), example=answer_example(DETAIL), example_caller=DEMO_NURSE
)
def emergency(
    reading: Reading,
    parts: Parts,
    caller: CurrentCaller,
    now: Now,
    address: Address,
    reply: Reply,
    emergency_id: EmergencyId,
) -> "Answer[DetailOut]":
    """With the place, and every step that was taken to reach the family. This look is written down."""
    seen = visible_emergency(reading, parts.keyring, caller, emergency_id, now, Timeouts.of(parts.settings))
    note_look(parts.read_log, seen, caller, now, origin=address)
    return reply(detail_out(seen, now))


@operations.patch(
    "/{id}",
    "Change emergency",
    seed=True,
    errors=(403, 404, 409),
    example=answer_example(EXAMPLE),
    example_caller=DEMO_NURSE,
)
def change(
    db: Db, caller: UrgentCaller, now: Now, address: Address, reply: Reply, emergency_id: EmergencyId, body: NewState
) -> "Answer[EmergencyOut]":
    """Somebody looks after it, it is over, or it was a false alarm. The family is not tried any further."""
    return reply(
        emergency_out(change_emergency(db, caller, emergency_id, EmergencyState(body.state), now, origin=address))
    )


def _alert_permission(
    request: Request, db: Db, parts: Parts, body: NewEmergency, now: datetime, address: str
) -> AlertPermission:
    """The sticker's tag is enough, except for a drill. Only a drill counts for the limit of the token. Raises
    Unauthenticated without tag and token, and what `scan` raises: the owner of a tag that ended is told."""
    if body.tag is not None and not body.simulacro:
        try:
            return permission_by_tag(scan(db, parts.keyring, body.code, body.tag), address)
        except TagEnded as refusal:
            note_ended_scan(db, refusal.scan, now, origin=address)
            raise
    who = caller(request) if body.simulacro else urgent_caller(request)
    return permission_by_account(open_fmd(db, parts.keyring, who, body.code, now, origin=address), body.code)
