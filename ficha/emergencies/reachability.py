"""Whom alerts may reach, and what stands in the way of each contact. A number or mailbox that an owner typed belongs to
somebody who may never have agreed.

Until that person answers, one record sends it one alert, and later one question whether she agrees. Whoever declines
gets nothing more from that record. Many records together cannot flood one number or mailbox; how often one record
may alert is in quiet_time.py.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import Exists, bindparam, exists
from sqlalchemy.orm import aliased

from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.devices.devices import accounts_reached_by
from ficha.emergencies.channels.catalog import CHANNEL_BY_NAME, CHANNELS
from ficha.emergencies.channels.channel import LadderChannel
from ficha.emergencies.channels.push import PushChannel
from ficha.emergencies.channels.whatsapp import WhatsAppChannel
from ficha.emergencies.contacts import Contact
from ficha.emergencies.emergency import IS_CLOSED, AlertTarget, AnyEmergency, TargetRow, targets_of
from ficha.emergencies.ladder import PlannedStep, plan_steps
from ficha.emergencies.statements import count_alerts, has_closed_target, known_target, note_alert
from ficha.messaging.threads import Person, is_stopped
from ficha.products.product import Product

# What counts when many records alert.
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
# What keeps a step from reaching anybody, in the words of the steps of a real ladder.
NO_ADDRESS, STOPPED, NO_DEVICE = "sin_direccion", "contacto_de_baja", "no_disponible"


class Reach(StrEnum):
    """What may be sent to a target. All but the first two are reasons why nothing is."""

    ALERT = "alert"
    QUESTION = "question"
    REFUSED = "no_acepta"
    UNCONFIRMED = "sin_confirmar"
    LIMIT = "limite"


def reserve_target(
    tx: Transaction, secrets: Secrets, settings: Settings, emergency: AnyEmergency, planned: PlannedStep, now: datetime
) -> Reach:
    """What may be sent to this address now; it is written down as sent. The caller has locked the record's row."""
    targets = targets_of(secrets, planned.channel, planned.address)
    known = known_target(tx, emergency.record_id, targets)
    reach = _reach(tx, settings, known, targets, now)
    if reach in (Reach.ALERT, Reach.QUESTION):
        asked_at = now if reach is Reach.QUESTION else known and known.asked_at
        contact_id, is_known = planned.contact.id, known is not None
        target = targets[0] if known is None else known.target
        note_alert(tx, emergency, target, contact_id, planned.channel, now, asked_at, is_known=is_known)
    return reach


def _reach(
    tx: Transaction, settings: Settings, known: TargetRow | None, targets: tuple[bytes, bytes], now: datetime
) -> Reach:
    closed = closed_by(known)
    if closed is not None:
        return closed
    if known is not None and known.confirmed_at is not None:
        return Reach.LIMIT if count_alerts(tx, targets, now - HOUR) >= settings.alerts_per_confirmed else Reach.ALERT
    if count_alerts(tx, targets, now - DAY) >= settings.alerts_per_unconfirmed:
        return Reach.LIMIT
    return Reach.ALERT if known is None else Reach.QUESTION


def closed_by(known: TargetRow | None) -> Reach | None:
    """As `IS_CLOSED` asks the database."""
    if known is not None and known.refused_at is not None:
        return Reach.REFUSED
    if known is not None and known.asked_at is not None and known.confirmed_at is None:
        return Reach.UNCONFIRMED
    return None


def has_closed_way(code: str = "code") -> Exists:
    """Whether any way to a contact of the record behind this code is closed. It names no table of what it is put into,
    so a database asks it once."""
    product = aliased(Product)
    return (
        exists()
        .where(AlertTarget.record_id == product.record_id, product.code == bindparam(code), IS_CLOSED)
        .correlate(None)
    )


def is_everybody_closed(
    tx: Transaction, secrets: Secrets, settings: Settings, record_id: int, contacts: Sequence[Contact]
) -> bool:
    """Whether an alert would reach none of these contacts, though they have addresses: they declined, never agreed, or
    stopped our messages. Asked further only where some way is closed, which is seldom."""
    if not contacts or not has_closed_target(tx, record_id):
        return False
    return all(
        obstacle_of(tx, secrets, settings, record_id, step.contact, CHANNEL_BY_NAME[step.channel])
        for step in plan_steps(contacts, CHANNELS)
    )


def obstacle_of(
    tx: Transaction,
    secrets: Secrets,
    settings: Settings,
    record_id: int,
    contact: Contact | None,
    channel: LadderChannel,
) -> str:
    """Why an alert would not be sent to this contact by this channel; empty if it would."""
    address = channel.address(contact) if contact else ""
    if contact is None or not address:
        return NO_ADDRESS
    closed = closed_by(known_target(tx, record_id, targets_of(secrets, channel.name, address)))
    if closed is not None:
        return closed
    if channel.name == WhatsAppChannel.name:
        number = settings.whatsapp_phone_number_id
        return STOPPED if is_stopped(tx, number, Person.from_address(address)) else ""
    if channel.name == PushChannel.name and not accounts_reached_by(tx, contact.phone, contact.correo):
        return NO_DEVICE
    return ""
