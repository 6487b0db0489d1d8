"""The ladder: which contact is alerted next, and by which channel. It decides by values alone."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from ficha.core.phones import one_spelling
from ficha.emergencies.channels.channel import LadderChannel
from ficha.emergencies.contacts import Contact
from ficha.emergencies.steps import STAFF_CHANNEL, StepRow, is_over

# How often staff is called to one emergency at most: nobody keeps a team busy by saying yes and no in turn.
MOST_STAFF_CALLS = 3


@dataclass(frozen=True)
class PlannedStep:
    """One contact by one channel. Without an address nothing can be sent, and the step is stored as skipped."""

    contact: Contact
    channel: str
    address: str


@dataclass(frozen=True)
class Wait:
    until: datetime


class CallStaff:
    """No contact is left to try."""


Decision = PlannedStep | Wait | CallStaff | None


def plan_steps(contacts: Sequence[Contact], channels: Sequence[LadderChannel]) -> list[PlannedStep]:
    """Every channel of every contact, in order. The same address twice in one channel is planned once."""
    planned: list[PlannedStep] = []
    known: set[tuple[str, str]] = set()
    for contact in contacts:
        for channel in channels_for(contact, channels):
            address = channel.address(contact)
            if address and (channel.name, one_spelling(address)) in known:
                continue
            known.add((channel.name, one_spelling(address)))
            planned.append(PlannedStep(contact, channel.name, address))
    return planned


def channels_for(contact: Contact, channels: Sequence[LadderChannel]) -> list[LadderChannel]:
    """Those in the contact's `canales`, in the ladder's order; where it names none, the default channels for which
    there is an address, or else the first channel.

    Where none of the chosen ones has an address, the default channels are tried as well: somebody may be dying.
    """
    chosen = [channel for channel in channels if channel.name in contact.canales]
    default = [channel for channel in channels if channel.is_default and channel.address(contact)]
    if not chosen:
        return default or [channels[0]]
    is_reachable = any(channel in default for channel in chosen)
    return chosen if is_reachable else chosen + [channel for channel in default if channel not in chosen]


def decide_next(
    planned: Sequence[PlannedStep],
    taken: Sequence[StepRow],
    refused: Collection[str],
    now: datetime,
    withdrew_at: datetime | None = None,
) -> Decision:
    """What to do now, given the steps so far, which contacts said that they cannot come, and when the last one did who
    was coming. None when all is done: staff was called, and was not led to believe since that somebody comes."""
    last = taken[-1] if taken else None
    if last is not None and last.channel == STAFF_CHANNEL:
        calls = sum(step.channel == STAFF_CHANNEL for step in taken)
        is_outdated = withdrew_at is not None and withdrew_at > last.started_at
        if not is_outdated or calls >= MOST_STAFF_CALLS:
            return None
    if last is not None and not is_over(last) and last.due_at is not None and now < last.due_at:
        return Wait(last.due_at)
    tried = {(step.contact_id, step.channel) for step in taken}
    for step in planned:
        if (step.contact.id, step.channel) not in tried and step.contact.id not in refused:
            return step
    return CallStaff()
