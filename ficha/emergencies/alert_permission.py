"""Who may raise the alarm for a record: who holds its sticker, typed its code, or may open it with an account."""

from dataclasses import dataclass, field
from enum import StrEnum

from sqlalchemy.orm import Session

from ficha.audit.log import Actor
from ficha.core.crypto import Keyring
from ficha.fmd.access import OpenFmd, ScannedFmd, record_with_code
from ficha.fmd.records import Record


class Entrance(StrEnum):
    TAG = "tag"
    TYPED = "typed"
    BEARER = "bearer"


@dataclass(frozen=True)
class AlertPermission:
    """The right to alert somebody's family, and to see nothing by it."""

    record: Record
    key: bytes = field(repr=False)
    code: str
    entrance: Entrance
    actor: Actor
    origin: str
    may_drill: bool = False


def permission_by_tag(fmd: ScannedFmd, origin: str) -> AlertPermission:
    """Also after breaking the glass: the log then names who did."""
    return AlertPermission(fmd.record, fmd.key, fmd.code, Entrance.TAG, fmd.actor, origin)


def permission_by_account(fmd: OpenFmd, code: str) -> AlertPermission:
    return AlertPermission(
        fmd.record, fmd.key, code.upper(), Entrance.BEARER, fmd.actor, fmd.origin, may_drill=fmd.rights.manages
    )


def permission_by_code(session: Session, keyring: Keyring, code: str, origin: str) -> AlertPermission:
    """A code that was only typed: the relay button. It opens nothing, so nothing here can be read."""
    record, _ = record_with_code(session, code)
    return AlertPermission(record, record.open_key(keyring), code.upper(), Entrance.TYPED, Actor("typed"), origin)
