"""Every kind of event, what it says, and what its data holds besides its time: the list that the documents show."""

from collections.abc import Mapping
from typing import NamedTuple


class EventKind(NamedTuple):
    meaning: str
    data: tuple[str, ...] = ()


RECORD = ("fmd_code", "version", "by", "via", "what")
EMERGENCY = ("id", "fmd_code", "state", "simulacro", "staff")

EVENT_KINDS: Mapping[str, EventKind] = {
    "record.changed": EventKind(
        "The record was changed. `what` names its models, or `relacion`; `by` and `via` who did it, by which right.",
        RECORD,
    ),
    "access.opened": EventKind(
        "Somebody else opened the record. `how`: tag, glass, typed, guardian, delegate, institution or staff. What one"
        " reader does within a moment is one event.",
        ("fmd_code", "how", "by"),
    ),
    "access.offered": EventKind("Somebody was invited to see the record.", RECORD),
    "access.granted": EventKind("Somebody accepted an invitation, and has access to the record.", RECORD),
    "access.withdrawn": EventKind("An access to the record was ended.", RECORD),
    "emergency.opened": EventKind("An emergency began, or a drill (`simulacro`).", EMERGENCY),
    "emergency.changed": EventKind(
        "Its state changed, somebody wrote in its relay, or a step of its ladder changed: then also `step`, `channel`"
        " and perhaps `step_state`.",
        EMERGENCY,
    ),
    "message.received": EventKind("A message came in.", ("id", "thread_id", "type", "about")),
    "message.state": EventKind(
        "For staff: a message was accepted, sent, delivered, read, or failed.", ("id", "state", "about")
    ),
    "subscription.changed": EventKind(
        "For its owner and for staff: a subscription was asked for, activated, extended, canceled, or ended by time.",
        ("id", "state", "plan"),
    ),
    "codes.decoy_touched": EventKind("For staff: somebody typed a code that only a guesser finds."),
    "codes.typed_by_one_address": EventKind("For staff: one address typed the codes of many people."),
    "gap": EventKind("Some of what was missed is no longer kept: read again what you need.", ("detail",)),
    "bye": EventKind("The session has ended: log in and connect again.", ("detail",)),
}
