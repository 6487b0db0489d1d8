"""Whether a carnet is genuine and valid, for whoever holds it in her hand: nothing medical, no name, initials only."""

from datetime import datetime
from typing import NamedTuple

from ficha.audit.read_log import ReadLog
from ficha.cards.carnets import CarnetState, carnet_with, opened_carnet, state_of
from ficha.core.crypto import Keyring
from ficha.core.transaction import Transaction
from ficha.fmd.records import Record

PUBLIC = "public"


class Verification(NamedTuple):
    serial: str
    state: CarnetState
    issued_at: datetime
    expires_at: datetime
    # To be compared with the name on the card; empty for one that is not valid.
    initials: str
    service_id: int | None


def verify_carnet(
    tx: Transaction, keyring: Keyring, read_log: ReadLog, serial: str, now: datetime, *, origin: str
) -> Verification:
    """Written into the record's log. Raises CarnetUnknown."""
    carnet = carnet_with(tx, serial)
    state = state_of(tx, carnet, now)
    initials = ""
    if state is CarnetState.ISSUED:
        key = tx.orm.get_one(Record, carnet.record_id).open_key(keyring)
        initials = opened_carnet(carnet, key).initials
        read_log.note(carnet.record_id, PUBLIC, "carnet.verified", [carnet.serial], now, via=PUBLIC, origin=origin)
    return Verification(carnet.serial, state, carnet.issued_at, carnet.expires_at, initials, carnet.service_id)
