"""Emergencies as operations take and answer them."""

from datetime import datetime, timedelta
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from ficha.api.bodies import Body, Latitude, Longitude, ProductCode
from ficha.core.deferred_model import DeferredModel
from ficha.emergencies.emergency import Emergency, EmergencyState
from ficha.emergencies.emergency_access import VisibleEmergency, VisibleStep
from ficha.emergencies.opening import OpenedEmergency
from ficha.emergencies.positions import MapProvider, Position, map_url
from ficha.http.envelope import Moment, Resource

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


NextAlert = Annotated[
    Moment | None,
    Field(
        description="Another alert of this record left lately, so the contacts are told at this moment; until then the"
        " best is to call. null where nothing holds it back."
    ),
]


class RaisedAttributes(EmergencyAttributes):
    next_alert_at: NextAlert


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
    position: PositionOut | None
    steps: list[StepOut]


EmergencyOut = Resource[EmergencyAttributes]
RaisedOut = Resource[RaisedAttributes]
DetailOut = Resource[EmergencyDetail]
ATTRIBUTES = {
    "state": "open",
    "code": "K7M2QX",
    "fmd_code": 1904221833,
    "simulacro": False,
    "entrance": "tag",
    "scans": 1,
    "opened_at": "2026-11-15T12:00:00+00:00",
    "opened_by": "tag",
    "last_scan_at": "2026-11-15T12:00:00+00:00",
    "acknowledged_at": None,
    "acknowledged_by": None,
    "resolved_at": None,
    "resolved_by": None,
    "canceled_at": None,
    "canceled_by": None,
    "staff_at": None,
}
EXAMPLE = {"type": "emergency", "id": 7, "attributes": ATTRIBUTES}
RAISED = EXAMPLE | {"attributes": ATTRIBUTES | {"next_alert_at": None}}
DETAIL = EXAMPLE | {
    "attributes": ATTRIBUTES
    | {
        "next_alert_at": None,
        "position": {
            "lat": 10.48801,
            "lng": -66.87919,
            "accuracy": 25,
            "taken_at": "2026-11-15T11:59:40+00:00",
            "age_seconds": 20,
            "map_url": "https://www.google.com/maps/search/?api=1&query=10.48801,-66.87919",
        },
        "steps": [
            {
                "place": 1,
                "contact": "k7M2qX9a",
                "nombre": "María Rojas",
                "relacion": "madre",
                "channel": "whatsapp",
                "state": "read",
                "reason": None,
                "provider_id": "wamid.HBgLMTY0NjcwNDM1OTUVAgARGBI1RjQyNUE3NEYxMzAzMzQ5MkEA",
                "started_at": "2026-11-15T12:00:01+00:00",
                "due_at": "2026-11-15T12:01:01+00:00",
                "sent_at": "2026-11-15T12:00:02+00:00",
                "delivered_at": "2026-11-15T12:00:03+00:00",
                "read_at": "2026-11-15T12:00:20+00:00",
                "ended_at": None,
                "answer": "voy",
                "answered_at": "2026-11-15T12:00:31+00:00",
                "phoned_at": None,
            }
        ],
    }
}


def position_of(given: NewPosition | None, now: datetime) -> Position | None:
    if given is None:
        return None
    taken_at = given.taken_at or now
    return Position(
        given.lat, given.lng, given.accuracy, min(taken_at, now) if taken_at < now + MAX_CLOCK_ERROR else now
    )


def _attributes(found: Emergency, *, is_known: bool) -> dict[str, object]:
    same = ("state", "code", "entrance", "scans", "opened_at", "opened_by", "last_scan_at", "staff_at")
    ends = [f"{state}_{what}" for state in ("acknowledged", "resolved", "canceled") for what in ("at", "by")]
    values = {name: getattr(found, name) for name in (*same, *ends)}
    return values | {"fmd_code": found.record_id if is_known else None, "simulacro": found.is_drill}


def emergency_out(found: Emergency, *, is_known: bool = True) -> EmergencyOut:
    attributes = EmergencyAttributes.model_validate(_attributes(found, is_known=is_known))
    return Resource(type="emergency", id=found.id, attributes=attributes)


def raised_out(opened: OpenedEmergency, *, is_known: bool) -> RaisedOut:
    values = _attributes(opened.emergency, is_known=is_known) | {"next_alert_at": opened.held_until}
    return Resource(type="emergency", id=opened.emergency.id, attributes=RaisedAttributes.model_validate(values))


def detail_out(seen: VisibleEmergency, now: datetime) -> DetailOut:
    known = seen.position
    position = known and PositionOut(
        lat=known.lat,
        lng=known.lng,
        accuracy=known.accuracy_m,
        taken_at=known.taken_at,
        age_seconds=int(known.age(now).total_seconds()),
        map_url=map_url(MapProvider.GOOGLE, known.lat, known.lng),
    )
    values = _attributes(seen.emergency, is_known=True)
    attributes = EmergencyDetail.model_validate(
        values | {"position": position, "steps": [_step(each) for each in seen.steps], "next_alert_at": seen.held_until}
    )
    return Resource(type="emergency", id=seen.emergency.id, attributes=attributes)


def _step(seen: VisibleStep) -> StepOut:
    same = ("place", "channel", "state", "reason", "provider_id", "started_at", "due_at")
    ends = ("sent_at", "delivered_at", "read_at", "ended_at")
    values = {name: getattr(seen.step, name) for name in (*same, *ends)}
    return StepOut(
        contact=seen.step.contact_id,
        nombre=seen.contact.nombre,
        relacion=seen.contact.relacion,
        answer=seen.called.answer if seen.called else None,
        answered_at=seen.called.answered_at if seen.called else None,
        phoned_at=seen.called.phoned_at if seen.called else None,
        **values,
    )
