"""Emergencies as operations take and answer them."""

from datetime import datetime, timedelta
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from ficha.api.bodies import Body, Latitude, Longitude, ProductCode
from ficha.api.examples import attributes_example, resource_example
from ficha.core.deferred_model import DeferredModel
from ficha.emergencies.emergency import Emergency, EmergencyState
from ficha.emergencies.emergency_access import VisibleEmergency, VisibleStep
from ficha.emergencies.opening import OpenedEmergency
from ficha.emergencies.positions import MapProvider, Position, map_url
from ficha.http.envelope import Moment, Resource, filled

# A phone's clock may be fast: a position from the next minutes counts as taken now.
MAX_CLOCK_ERROR = timedelta(minutes=5)


class NewPosition(Body):
    lat: Latitude = Field(description="Degrees north.", examples=[10.48801])
    lng: Longitude = Field(description="Degrees east.", examples=[-66.87919])
    accuracy: Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)] | None = Field(
        None, description="Metres around it.", examples=[25]
    )
    taken_at: Annotated[AwareDatetime, Field(strict=False)] | None = Field(
        None, description="When the device measured it; now when absent.", examples=["2026-11-15T11:59:40+00:00"]
    )


class NewEmergency(Body):
    code: ProductCode = Field(description="Any live code of the record.", examples=["K7M2QX"])
    tag: Annotated[str, Field(min_length=1, max_length=64)] | None = Field(
        None, description="Of the scanned sticker. Without it, a bearer token.", examples=["QX7M2K5TNBP4RWZC6DHJ3VFYGA"]
    )
    position: NewPosition | None = None
    simulacro: bool = Field(False, description="A rehearsal: nobody is alarmed. For the owner and her guardians.")


class NewState(Body):
    state: Literal["acknowledged", "resolved", "canceled"] = Field(examples=["resolved"])


class EmergencyAttributes(DeferredModel):
    state: EmergencyState = Field(description="open, acknowledged, resolved or canceled.")
    code: str
    fmd_code: int | None = Field(description="Number of the record; null for who only holds the sticker.")
    simulacro: bool
    entrance: str = Field(description="tag, typed or bearer.")
    scans: int = Field(description="How many scans it stands for.")
    opened_at: Moment
    opened_by: str
    last_scan_at: Moment
    acknowledged_at: Moment | None
    acknowledged_by: str | None
    resolved_at: Moment | None
    resolved_by: str | None
    canceled_at: Moment | None
    canceled_by: str | None
    staff_at: Moment | None = Field(description="Since when it waits for staff; null while the family is tried.")
    taken_at: Moment | None = Field(description="Since when somebody of staff has taken it.")
    taken_by: str | None = Field(description="Who of staff has taken it, as account:7.")


NextAlert = Annotated[
    Moment | None,
    Field(
        description="Another alert of this record left lately, so the contacts are told at this moment; until then the"
        " best is to call. null where nothing holds it back."
    ),
]


StalledSince = Annotated[
    Moment | None,
    Field(
        description="Since when the next alert should have left and did not: for more than a minute nobody has sent it,"
        " and the family may not know, so the best is to call. null while all goes on."
    ),
]


class RaisedAttributes(EmergencyAttributes):
    next_alert_at: NextAlert
    stalled_since: StalledSince


class PositionOut(DeferredModel):
    lat: float
    lng: float
    accuracy: float | None
    taken_at: Moment
    age_seconds: int
    map_url: str


class StepOut(DeferredModel):
    place: int
    contact: str | None = Field(description="Id of the contact in the record; null for the staff queue.")
    nombre: str = Field(description="Empty for staff.")
    relacion: str
    channel: str = Field(description="whatsapp, correo, push or staff.")
    state: str = Field(description="queued, sending, accepted, sent, delivered, read, failed, skipped or simulated.")
    reason: str | None
    provider_id: str | None
    started_at: Moment
    due_at: Moment | None
    sent_at: Moment | None
    delivered_at: Moment | None
    read_at: Moment | None
    ended_at: Moment | None
    answer: str | None = Field(
        description="voy, no_puedo, or dudosa: answered, unclear. What the contact answered, by whatever way."
    )
    answered_at: Moment | None
    phoned_at: Moment | None = Field(description="When the contact last called our number since the alert.")


class EmergencyDetail(EmergencyAttributes):
    next_alert_at: NextAlert
    stalled_since: StalledSince
    position: PositionOut | None
    steps: list[StepOut]


EmergencyOut = Resource[EmergencyAttributes]
RaisedOut = Resource[RaisedAttributes]
DetailOut = Resource[EmergencyDetail]
TOLD = {"state": "open", "code": "K7M2QX", "fmd_code": 1904221833, "entrance": "tag", "scans": 1, "opened_by": "tag"}
POSITION = {
    "lat": 10.48801,
    "lng": -66.87919,
    "accuracy": 25,
    "taken_at": "2026-11-15T11:59:40+00:00",
    "age_seconds": 20,
    "map_url": "https://www.google.com/maps/search/?api=1&query=10.48801,-66.87919",
}
STEP = attributes_example(
    StepOut,
    place=1,
    contact="k7M2qX9a",
    nombre="María Rojas",
    relacion="madre",
    channel="whatsapp",
    state="read",
    provider_id="wamid.HBgLMTY0NjcwNDM1OTUVAgARGBI1RjQyNUE3NEYxMzAzMzQ5MkEA",
    started_at="2026-11-15T12:00:01+00:00",
    due_at="2026-11-15T12:01:01+00:00",
    sent_at="2026-11-15T12:00:02+00:00",
    delivered_at="2026-11-15T12:00:03+00:00",
    read_at="2026-11-15T12:00:20+00:00",
    answer="voy",
    answered_at="2026-11-15T12:00:31+00:00",
)
EXAMPLE = resource_example("emergency", 7, EmergencyAttributes, **TOLD)
RAISED = resource_example("emergency", 7, RaisedAttributes, **TOLD)
DETAIL = resource_example("emergency", 7, EmergencyDetail, **TOLD, position=POSITION, steps=[STEP])


def position_of(given: NewPosition | None, now: datetime) -> Position | None:
    if given is None:
        return None
    taken_at = given.taken_at or now
    return Position(
        given.lat, given.lng, given.accuracy, min(taken_at, now) if taken_at < now + MAX_CLOCK_ERROR else now
    )


def emergency_out(found: Emergency) -> EmergencyOut:
    shown = filled(EmergencyAttributes, found, fmd_code=found.record_id, simulacro=found.is_drill)
    return Resource(type="emergency", id=found.id, attributes=shown)


def raised_out(opened: OpenedEmergency, *, is_known: bool) -> RaisedOut:
    found = opened.emergency
    shown = filled(
        RaisedAttributes,
        found,
        fmd_code=found.record_id if is_known else None,
        simulacro=found.is_drill,
        next_alert_at=opened.held_until,
        stalled_since=opened.stalled_since,
    )
    return Resource(type="emergency", id=found.id, attributes=shown)


def detail_out(seen: VisibleEmergency, now: datetime) -> DetailOut:
    known = seen.position
    position = known and filled(
        PositionOut,
        known,
        accuracy=known.accuracy_m,
        age_seconds=int(known.age(now).total_seconds()),
        map_url=map_url(MapProvider.GOOGLE, known.lat, known.lng),
    )
    found = seen.emergency
    shown = filled(
        EmergencyDetail,
        found,
        fmd_code=found.record_id,
        simulacro=found.is_drill,
        next_alert_at=seen.held_until,
        stalled_since=seen.stalled_since,
        position=position,
        steps=[_step(each) for each in seen.steps],
    )
    return Resource(type="emergency", id=found.id, attributes=shown)


def _step(seen: VisibleStep) -> StepOut:
    return filled(
        StepOut,
        seen.step,
        contact=seen.step.contact_id,
        nombre=seen.contact.nombre,
        relacion=seen.contact.relacion,
        answer=seen.called.answer if seen.called else None,
        answered_at=seen.called.answered_at if seen.called else None,
        phoned_at=seen.called.phoned_at if seen.called else None,
    )
