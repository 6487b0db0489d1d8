"""Carnets: a card with a code and a tag of its own. none → issued → revoked or expired."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import ForeignKey, LargeBinary, String, and_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, mapped_column

from ficha.audit.read_log import ReadLog
from ficha.core.crypto import Keyring, seal, unseal
from ficha.core.db import Base, BigId, Utc
from ficha.core.errors import FichaError
from ficha.core.ids import random_code
from ficha.core.transaction import Transaction
from ficha.fmd.access import OpenFmd
from ficha.fmd.records import Record
from ficha.products.codes import end_codes, issue_code
from ficha.products.product import IS_LIVE, LIVE, Product, ProductState

# Two codes long: nobody guesses one of 60 bits.
SERIAL_LENGTH = 12


class CarnetState(StrEnum):
    NONE = "none"
    ISSUED = "issued"
    REVOKED = "revoked"
    EXPIRED = "expired"


class Carnet(Base):
    """Rows stay when the record is erased, so that the card is known to be revoked. What is sealed is then gone."""

    __tablename__ = "carnets"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    serial: Mapped[str] = mapped_column(String(SERIAL_LENGTH), unique=True)
    record_id: Mapped[int] = mapped_column(ForeignKey("records.id"), index=True)
    # The card's own: losing the card ends it, and no sticker.
    code: Mapped[str] = mapped_column(String(6), ForeignKey(Product.code))
    service_id: Mapped[int | None] = mapped_column(BigId)
    issued_at: Mapped[datetime] = mapped_column(Utc)
    expires_at: Mapped[datetime] = mapped_column(Utc)
    revoked_at: Mapped[datetime | None] = mapped_column(Utc)
    # The tag and the holder's initials, with the record's key: whoever has that reads the record anyway.
    sealed: Mapped[bytes | None] = mapped_column(LargeBinary)


class CarnetSecrets(NamedTuple):
    tag: str
    initials: str


class CarnetLive(FichaError):
    status = 409
    code = "carnet_vigente"
    message = "Ya hay un carnet vigente. Anúlelo antes de emitir otro."


class NoLiveCarnet(FichaError):
    status = 409
    code = "sin_carnet"
    message = "No hay un carnet vigente. Emita uno antes."


class CarnetUnknown(FichaError):
    status = 404
    code = "carnet_desconocido"
    message = "No conocemos un carnet con ese número. Revise lo impreso."


def newest_carnet(tx: Transaction, record_id: int) -> Carnet | None:
    query = select(Carnet).where(Carnet.record_id == record_id).order_by(Carnet.id.desc()).limit(1)
    return tx.orm.scalars(query).one_or_none()


def state_of(tx: Transaction, carnet: Carnet | None, now: datetime) -> CarnetState:
    """A card whose code was reported lost is revoked too."""
    if carnet is None:
        return CarnetState.NONE
    if carnet.revoked_at is not None or tx.orm.get_one(Product, carnet.code).state not in LIVE:
        return CarnetState.REVOKED
    return CarnetState.EXPIRED if carnet.expires_at <= now else CarnetState.ISSUED


def issue_carnet(
    tx: Transaction,
    fmd: OpenFmd,
    now: datetime,
    *,
    days: int,
    initials: str,
    service_id: int | None = None,
    new_serial: Callable[[], str] = lambda: random_code() + random_code(),
) -> Carnet:
    """The record's row is locked, so that of two at once one is refused. Raises MayNotManage or CarnetLive. What is
    left of an expired one ends."""
    fmd.must_manage()
    before = newest_carnet(tx, fmd.id)
    state = state_of(tx, before, now)
    if state is CarnetState.ISSUED:
        raise CarnetLive
    if before is not None and state is CarnetState.EXPIRED:
        _end(tx, before, now)
    issued = issue_code(tx, now, record_id=fmd.id)
    secrets = CarnetSecrets(issued.tag, initials)
    while True:
        serial = new_serial()
        carnet = Carnet(
            serial=serial,
            record_id=fmd.id,
            code=issued.code,
            service_id=service_id,
            issued_at=now,
            expires_at=now + timedelta(days=days),
            sealed=seal(fmd.key, json.dumps(secrets).encode(), _bound_to(serial)),
        )
        try:
            with tx.savepoint():
                tx.orm.add(carnet)
                tx.orm.flush()
        except IntegrityError:
            continue
        fmd.note(tx, "carnet.issued", [serial], now)
        return carnet


def revoke_carnet(tx: Transaction, fmd: OpenFmd, now: datetime) -> Carnet:
    """Its code and its tag open nothing from now on. Raises MayNotManage or NoLiveCarnet."""
    fmd.must_manage()
    carnet = newest_carnet(tx, fmd.id)
    if carnet is None or state_of(tx, carnet, now) is CarnetState.REVOKED:
        raise NoLiveCarnet
    _end(tx, carnet, now)
    fmd.note(tx, "carnet.revoked", [carnet.serial], now)
    return carnet


def live_carnet(tx: Transaction, record_id: int, now: datetime) -> Carnet:
    """The one that can be printed. Raises NoLiveCarnet."""
    carnet = newest_carnet(tx, record_id)
    if carnet is None or state_of(tx, carnet, now) is not CarnetState.ISSUED:
        raise NoLiveCarnet
    return carnet


def carnet_with(tx: Transaction, serial: str) -> Carnet:
    """Raises CarnetUnknown."""
    query = select(Carnet).where(Carnet.serial == serial.upper().replace("-", "")[:40])
    carnet = tx.orm.scalars(query).one_or_none()
    if carnet is None:
        raise CarnetUnknown
    return carnet


def opened_carnet(carnet: Carnet, key: bytes) -> CarnetSecrets:
    """With the record's key. Raises NoLiveCarnet once it was ended."""
    if carnet.sealed is None:
        raise NoLiveCarnet
    return CarnetSecrets(*json.loads(unseal(key, carnet.sealed, _bound_to(carnet.serial))))


def erase_carnets(tx: Transaction, record_id: int, now: datetime) -> None:
    """Of a record that is erased: they are revoked, and nothing of the person is left in them."""
    mine = update(Carnet).where(Carnet.record_id == record_id)
    tx.orm.execute(mine.where(Carnet.revoked_at.is_(None)).values(revoked_at=now))
    tx.orm.execute(mine.values(sealed=None))


def _end(tx: Transaction, carnet: Carnet, now: datetime) -> None:
    carnet.revoked_at, carnet.sealed = now, None
    end_codes(tx, and_(Product.code == carnet.code, IS_LIVE), ProductState.RETIRED, now)


def _bound_to(serial: str) -> str:
    return f"carnet:{serial}"


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
