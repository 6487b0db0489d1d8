"""Who may alert the family of a record: who holds its sticker, typed its code, or may open it with an account."""

from dataclasses import dataclass, field
from enum import StrEnum

from ficha.audit.log import Actor
from ficha.core.crypto import Keyring
from ficha.core.transaction import Transaction
from ficha.fmd.access import OpenFmd, ScannedFmd, record_with_code
from ficha.fmd.records import RecordRow


class PermissionSource(StrEnum):
    """What the permission comes from. Stored as the emergency's `entrance`."""

    TAG = "tag"
    TYPED = "typed"
    BEARER = "bearer"


@dataclass(frozen=True)
class AlertPermission:
    """Allows alerting the family of one record, and reading nothing of it."""

    record: RecordRow
    key: bytes = field(repr=False)
    code: str
    source: PermissionSource
    actor: Actor
    origin: str
    may_drill: bool = False


def permission_by_tag(fmd: ScannedFmd, origin: str) -> AlertPermission:
    """Also after breaking the glass: the log then names who did."""
    return AlertPermission(fmd.record, fmd.key, fmd.code, PermissionSource.TAG, fmd.actor, origin)


def permission_by_account(fmd: OpenFmd, code: str) -> AlertPermission:
    return AlertPermission(
        fmd.record, fmd.key, code.upper(), PermissionSource.BEARER, fmd.actor, fmd.origin, may_drill=fmd.rights.manages
    )


def permission_by_code(tx: Transaction, keyring: Keyring, code: str, origin: str) -> AlertPermission:
    """For whoever only typed the code, which opens nothing. Raises FmdNotFound if no record has it."""
    record, _ = record_with_code(tx, code)
    key = record.open_key(keyring)
    return AlertPermission(record, key, code.upper(), PermissionSource.TYPED, Actor("typed"), origin)
