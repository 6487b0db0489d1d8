"""Whether an alert would reach anybody: what stands in the way of each contact, and whether all ways are closed."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Exists, and_, bindparam, exists, or_, select
from sqlalchemy.orm import aliased

from ficha.core.prepared import Prepared
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.devices.people import accounts_reached_by
from ficha.emergencies.alert_targets import AlertTarget, Reach, known_target, target_of, targets
from ficha.emergencies.channels.catalog import CHANNELS
from ficha.emergencies.channels.channel import LadderChannel
from ficha.emergencies.channels.push import PushChannel
from ficha.emergencies.channels.whatsapp import WhatsAppChannel
from ficha.emergencies.contacts import Contact
from ficha.emergencies.ladder import plan_steps
from ficha.messaging.threads import Person, is_stopped
from ficha.products.product import Product

# What keeps a step from reaching anybody, in the words of the steps of a real ladder.
NO_ADDRESS, STOPPED, NO_DEVICE = "sin_direccion", "contacto_de_baja", "no_disponible"
CHANNEL_BY_NAME = {channel.name: channel for channel in CHANNELS}


def is_closed(columns: Any) -> Any:
    """Of a row of alert_targets: its person declined, or was asked whether she agrees and never said so."""
    return or_(columns.refused_at.is_not(None), and_(columns.asked_at.is_not(None), columns.confirmed_at.is_(None)))


HAS_CLOSED = Prepared(
    select(targets.c.record_id).where(targets.c.record_id == bindparam("record"), is_closed(targets.c)).limit(1)
)


def has_closed_way(code: str = "code") -> Exists:
    """Whether any way to a contact of the record behind this code is closed. It names no table of what it is put into,
    so a database asks it once."""
    product = aliased(Product)
    return (
        exists()
        .where(AlertTarget.record_id == product.record_id, product.code == bindparam(code), is_closed(AlertTarget))
        .correlate(None)
    )


def is_everybody_closed(
    tx: Transaction, secrets: Secrets, settings: Settings, record_id: int, contacts: Sequence[Contact]
) -> bool:
    """Whether an alert would reach none of these contacts, though they have addresses: they declined, never agreed, or
    stopped our messages. Asked further only where some way is closed, which is seldom."""
    if not contacts or tx.first(HAS_CLOSED, record=record_id) is None:
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
    known = known_target(tx, record_id, target_of(secrets, channel.name, address))
    if known is not None and known.refused_at is not None:
        return Reach.REFUSED
    if known is not None and known.asked_at is not None and known.confirmed_at is None:
        return Reach.UNCONFIRMED
    if channel.name == WhatsAppChannel.name:
        number = settings.whatsapp_phone_number_id
        return STOPPED if is_stopped(tx, number, Person.from_address(address)) else ""
    if channel.name == PushChannel.name and not accounts_reached_by(tx, contact.phone, contact.correo):
        return NO_DEVICE
    return ""
