"""How far an alert has come, in one word: what stands now, by the lines of its progress. Every reader's page says it in
its own words (web/kit/alert_headlines.py), so that no two of them can tell different stories."""

from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import NamedTuple

from ficha.emergencies.alert_progress import ProgressKind, ProgressLine


class AlertState(StrEnum):
    """The value says what must be so; it stands in docs/alert-states.md."""

    CANCELED = "it was a false alarm"
    RESOLVED = "it is over"
    COMING = "a contact said that she comes"
    ACKNOWLEDGED = "the owner or who may change the record said that somebody goes"
    WITHDREW = "a contact who was coming cannot any more; the ladder goes on"
    UNCLEAR = "a contact answered something unclear"
    READ = "a contact read the alert"
    DELIVERED = "a contact's phone has the alert"
    STAFF_HAS = "somebody at the desk has taken it up"
    STAFF_SENT = "a server, or the desk, has what the team on call is sent"
    HELD_BACK = "another alert of the record left lately"
    ALERTING = "an alert to a contact is queued, or sent and waited for"
    ALERTING_STAFF = "what goes to the team on call is queued"
    CANNOT_COME = "whoever answered cannot come; the ladder goes on"
    NOT_REACHED_YET = "what was tried failed; the ladder goes on"
    NEXT_STEP = "the first step, or the next one, is about to be taken"
    NOBODY_COMES = "whoever answered cannot come, and nobody is left"
    NOBODY_ANSWERED = "something was sent, nobody answered, and nobody is left"
    NOBODY_REACHED = "nothing could be sent, and nobody is left"


class StandingState(NamedTuple):
    """`line` is the line that it follows from, with its contact and times."""

    state: AlertState
    line: ProgressLine | None


# In each group the newest counts, and an earlier group outdoes a later one.
STANDING = (
    {ProgressKind.CANCELED: AlertState.CANCELED, ProgressKind.RESOLVED: AlertState.RESOLVED},
    {ProgressKind.COMING: AlertState.COMING},
    {ProgressKind.ACKNOWLEDGED: AlertState.ACKNOWLEDGED},
    {
        ProgressKind.WITHDREW: AlertState.WITHDREW,
        ProgressKind.UNCLEAR: AlertState.UNCLEAR,
        ProgressKind.READ: AlertState.READ,
        ProgressKind.DELIVERED: AlertState.DELIVERED,
        ProgressKind.STAFF_HAS: AlertState.STAFF_HAS,
        ProgressKind.STAFF_SENT: AlertState.STAFF_SENT,
    },
    {ProgressKind.HELD_BACK: AlertState.HELD_BACK},
)
UNDER_WAY = {
    ProgressKind.TRIED: AlertState.ALERTING,
    ProgressKind.SENT: AlertState.ALERTING,
    ProgressKind.STAFF: AlertState.ALERTING_STAFF,
}
OF_STEP = (ProgressKind.TRIED, ProgressKind.SENT, ProgressKind.DELIVERED, ProgressKind.READ)
CANNOT = (ProgressKind.CANNOT_COME, ProgressKind.WITHDREW)
LADDER_ENDED = (ProgressKind.NO_STAFF, ProgressKind.STAFF_NOT_SENT)


def alert_state(lines: Sequence[ProgressLine]) -> StandingState:
    """`lines` are the newest first. That somebody got the alert no longer counts once she said that she cannot come."""
    cannot = [line for line in lines if line.kind in CANNOT]
    gone = {line.contact_id for line in cannot}
    left = [line for line in lines if line.kind not in OF_STEP or line.contact_id not in gone]
    if any(line.kind in LADDER_ENDED for line in lines):  # Nothing goes on after it.
        left = [line for line in left if line.kind is not ProgressKind.WITHDREW]
    for group in STANDING:
        for line in left:
            if line.kind in group:
                return StandingState(group[line.kind], line)
    for line in left:
        if line.kind in UNDER_WAY and not line.is_over:
            return StandingState(UNDER_WAY[line.kind], line)
    state = _unreached({line.kind for line in left}, bool(cannot))
    is_answer = state in (AlertState.CANNOT_COME, AlertState.NOBODY_COMES)
    return StandingState(state, cannot[0] if is_answer else None)


def _unreached(kinds: Collection[ProgressKind], cannot: bool) -> AlertState:
    """Nobody has the alert whom anything is expected of, and no step is waited for."""
    is_sent = any(kind in UNDER_WAY for kind in kinds)
    if not any(kind in LADDER_ENDED for kind in kinds):
        if cannot:
            return AlertState.CANNOT_COME
        has_failed = ProgressKind.NOT_SENT in kinds and not is_sent
        return AlertState.NOT_REACHED_YET if has_failed else AlertState.NEXT_STEP
    if cannot:
        return AlertState.NOBODY_COMES
    return AlertState.NOBODY_ANSWERED if is_sent else AlertState.NOBODY_REACHED
