"""Who may raise the alarm for a record: who holds its sticker, typed its code, or may open it with an account."""

from dataclasses import dataclass, field
from enum import StrEnum

from sqlalchemy import select
from sqlalchemy.orm import Session

from ficha.audit.log import Actor
from ficha.core.crypto import Keyring
from ficha.fmd.access import FmdNotFound, OpenFmd, ScannedFmd
from ficha.fmd.codes import LIVE, Product
from ficha.fmd.records import Record


class Entrance(StrEnum):
    TAG = "tag"
    TYPED = "typed"
    BEARER = "bearer"


@dataclass(frozen=True)
class Alarm:
    """The right to alert somebody's family, and to see nothing by it."""

    record: Record
    key: bytes = field(repr=False)
    code: str
    entrance: Entrance
    actor: Actor
    origin: str
    may_drill: bool = False


def alarm_by_tag(fmd: ScannedFmd, origin: str) -> Alarm:
    """Also after breaking the glass: the log then names who did."""
    return Alarm(fmd.record, fmd.key, fmd.code, Entrance.TAG, fmd.actor, origin)


def alarm_by_account(fmd: OpenFmd, code: str) -> Alarm:
    return Alarm(
        fmd.record, fmd.key, code.upper(), Entrance.BEARER, fmd.actor, fmd.origin, may_drill=fmd.rights.manages
    )


def alarm_by_code(session: Session, keyring: Keyring, code: str, origin: str) -> Alarm:
    """A code that was only typed: the relay button. It opens nothing, so nothing here can be read."""
    record = session.scalars(
        select(Record)
        .join(Product, Product.record_id == Record.id)
        .where(Product.code == code.upper(), Product.state.in_(LIVE), Record.erased_at.is_(None))
    ).one_or_none()
    if record is None:
        raise FmdNotFound
    return Alarm(record, record.open_key(keyring), code.upper(), Entrance.TYPED, Actor("typed"), origin)
