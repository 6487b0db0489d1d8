"""The ladder: which contact is tried next, and by which way. Values in, values out."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from ficha.emergencies.contacts import Contact
from ficha.emergencies.timeouts import Timeouts


class Channel(StrEnum):
    WHATSAPP = "whatsapp"
    CORREO = "correo"
    PUSH = "push"
    STAFF = "staff"


ORDER = (Channel.WHATSAPP, Channel.CORREO, Channel.PUSH)


@dataclass(frozen=True)
class Rung:
    """One way to one contact. Without an address it cannot be gone, and is written down as skipped."""

    contact: Contact
    channel: Channel
    address: str


@dataclass(frozen=True)
class Climbed:
    """A rung that was tried. It is over when it failed, was skipped or answered; else at its time."""

    contact_id: str | None
    channel: Channel
    is_over: bool
    due_at: datetime | None


@dataclass(frozen=True)
class Wait:
    until: datetime


class CallStaff:
    """Nobody is left to try: people of ours look after it."""


Move = Rung | Wait | CallStaff | None


def rungs(contacts: Sequence[Contact]) -> list[Rung]:
    """Every way to every contact, in order. The same phone or mailbox twice is one way: nobody is alerted double."""
    found: list[Rung] = []
    known: set[tuple[Channel, str]] = set()
    for contact in contacts:
        for channel in ways_to(contact):
            rung = Rung(contact, channel, address_of(contact, channel))
            if rung.address and (channel, rung.address) in known:
                continue
            known.add((channel, rung.address))
            found.append(rung)
    return found


def ways_to(contact: Contact) -> list[Channel]:
    """As the contact's `canales` say, in the ladder's order; WhatsApp and then mail where they say nothing.

    Where none of the chosen ways can be gone, the usual ones are tried as well: somebody may be dying.
    """
    chosen = [channel for channel in ORDER if channel in contact.canales]
    usual = [channel for channel in (Channel.WHATSAPP, Channel.CORREO) if address_of(contact, channel)]
    if not chosen:
        return usual or [Channel.WHATSAPP]
    is_reachable = any(address_of(contact, channel) for channel in chosen if channel is not Channel.PUSH)
    return chosen if is_reachable else chosen + [channel for channel in usual if channel not in chosen]


def address_of(contact: Contact, channel: Channel) -> str:
    return {Channel.WHATSAPP: contact.phone, Channel.CORREO: contact.correo, Channel.PUSH: contact.phone}[channel]


def next_move(ways: Sequence[Rung], climbed: Sequence[Climbed], refused: Collection[str], now: datetime) -> Move:
    """What to do now, given what was tried so far and who said that they cannot. None when all is done."""
    last = climbed[-1] if climbed else None
    if last is not None and last.channel is Channel.STAFF:
        return None
    if last is not None and not last.is_over and last.due_at is not None and now < last.due_at:
        return Wait(last.due_at)
    tried = {(each.contact_id, each.channel) for each in climbed}
    for rung in ways:
        if (rung.contact.id, rung.channel) not in tried and rung.contact.id not in refused:
            return rung
    return CallStaff()


def limit_of(channel: Channel, patience: Timeouts) -> timedelta:
    """How long an answer is waited for before the next rung."""
    seconds = {
        Channel.WHATSAPP: patience.ladder_whatsapp_seconds,
        Channel.CORREO: patience.ladder_mail_seconds,
        Channel.PUSH: patience.ladder_push_seconds,
        Channel.STAFF: 0.0,
    }
    return timedelta(seconds=seconds[channel])
