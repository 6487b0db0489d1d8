"""The ways to open a record. The type is the permission: whoever holds an `OpenFmd` was let in here."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from ficha.accounts.tokens import Caller
from ficha.audit import log as audit
from ficha.audit.log import Actor, ChainEnd
from ficha.core.crypto import Keyring, Wrapped
from ficha.core.errors import FichaError
from ficha.core.prepared import prepared
from ficha.core.transaction import Transaction
from ficha.fmd.access_selects import (
    ACCESS_BY_ACCOUNT,
    ACCESS_COLUMNS,
    FIRST_RECORD,
    LOCK_TO_OPEN,
    READ_TO_OPEN,
    WITH_RECORD,
)
from ficha.fmd.base import Door
from ficha.fmd.grants import GrantKind
from ficha.fmd.record_events import CHANGES, publish_access, publish_change_of_record
from ficha.fmd.records import LockedRecord, Record, key_place_of, lock_record_row, read_record_row
from ficha.fmd.shapes import Fuente


class FmdNotFound(FichaError):
    """Unknown, erased, lost, or somebody else's: one answer."""

    status = 404
    code = "ficha_no_encontrada"
    message = "No hay una ficha con ese código, o usted no puede verla."


class MayNotChange(FichaError):
    status = 403
    code = "solo_lectura"
    message = "Usted puede ver esta ficha, pero no cambiarla."


class MayNotManage(FichaError):
    status = 403
    code = "solo_titular"
    message = "Solo la persona titular o su representante puede hacer esto."


class RecordFull(FichaError):
    """Every change is kept for ever, so an account could fill the disk, and its export everybody's memory."""

    status = 409
    code = "ficha_llena"
    message = "El historial de esta ficha llegó a su máximo y ya no admite cambios. Escríbanos para ampliarlo."


class Quota(NamedTuple):
    """How much history a record may have."""

    changes: int
    bytes: int


class Rights(NamedTuple):
    """What a way in allows: how deep one sees, and what one may do."""

    door: Door
    changes: bool
    manages: bool


OWNER = Rights(Door.P, changes=True, manages=True)


def rights_of(kind: str, edits: bool) -> Rights:
    """Guardians stand in for the owner. Delegates and institutions see what a responder who broke the glass sees."""
    if kind == GrantKind.GUARDIAN:
        return OWNER
    return Rights(Door.B, changes=edits, manages=False)


class RecordAccess(NamedTuple):
    """That an account may open a record: as its owner or by which kind of grant, and with which rights."""

    record_id: int
    via: str
    rights: Rights
    key_id: str
    wrapped_key: bytes

    @property
    def sees_all(self) -> bool:
        return self.rights.door is Door.P

    def key(self, keyring: Keyring) -> bytes:
        return keyring.unwrap(Wrapped(self.key_id, self.wrapped_key), key_place_of(self.record_id))


def access_in(account_id: int, row: Sequence[Any]) -> RecordAccess:
    """What the values of ACCESS_COLUMNS allow this account; raises FmdNotFound if it may not open the record."""
    record_id, owner_id, kind, edits, key_id, wrapped_key = row
    if record_id is None or key_id is None:
        raise FmdNotFound
    if owner_id == account_id:
        return RecordAccess(record_id, "owner", OWNER, key_id, wrapped_key)
    if kind is not None:
        return RecordAccess(record_id, kind, rights_of(kind, bool(edits)), key_id, wrapped_key)
    raise FmdNotFound


def find_access(tx: Transaction, account_id: int, code: str, now: datetime) -> RecordAccess:
    """Raises FmdNotFound if this account may not open the record behind the code. Locks nothing."""
    row = tx.first(prepared(ACCESS_BY_ACCOUNT), account_id=account_id, code=code.upper(), now=now)
    if row is None:
        raise FmdNotFound
    return access_in(account_id, row)


@dataclass(frozen=True)
class OpenFmd:
    """A record that this caller may read, and perhaps change."""

    record: LockedRecord
    key: bytes = field(repr=False)
    actor: Actor
    via: str
    rights: Rights
    fuente: Fuente
    origin: str = ""
    quota: Quota | None = None
    # Codes that become active when the record has data; True if nobody has looked.
    has_claimed_codes: bool = True

    @property
    def id(self) -> int:
        return self.record.id

    def check_quota(self) -> None:
        """Raises RecordFull if the record has grown beyond it: nothing of the change is committed then."""
        quota, record = self.quota, self.record
        if quota is not None and (record.version > quota.changes or record.stored_bytes > quota.bytes):
            raise RecordFull

    def must_change(self) -> None:
        if not self.rights.changes:
            raise MayNotChange

    def must_manage(self) -> None:
        if not self.rights.manages:
            raise MayNotManage

    def note(
        self, tx: Transaction, action: str, what: list[str], now: datetime, *, after: ChainEnd | None = None
    ) -> None:
        """Writes what was done into the log, and tells owner and guardians of a change, or that somebody else read.
        `after` is the log's end, for who has read it since the row was locked."""
        audit.note(tx, self.id, self.actor, action, what, now, via=self.via, origin=self.origin, after=after)
        if action in CHANGES:
            publish_change_of_record(tx, action, self.record, self.actor, self.via, what, now)
        elif self.via != "owner":
            publish_access(tx, self.record, str(self.actor), self.via, now)


@dataclass(frozen=True)
class ScannedFmd:
    """A record opened by its sticker: it can only be read, as deep as its door."""

    record: Record
    key: bytes = field(repr=False)
    code: str
    door: Door
    actor: Actor


def open_fmd(
    tx: Transaction,
    keyring: Keyring,
    caller: Caller,
    code: str,
    now: datetime,
    *,
    origin: str = "",
    quota: Quota | None = None,
    locks: bool = True,
) -> OpenFmd:
    """Locks the record's row until the transaction ends, unless the caller only reads; raises FmdNotFound if the caller
    may not open it."""
    statement = LOCK_TO_OPEN if locks else READ_TO_OPEN
    row = tx.first(statement, account_id=caller.account_id, code=code.upper(), now=now)
    if row is None:
        raise FmdNotFound
    ends = len(ACCESS_COLUMNS)
    access = access_in(caller.account_id, row[:ends])
    record = LockedRecord(row.id, row.account_id, *row[ends:-1])
    return _opened(keyring, caller, access, record, origin, quota, has_claimed_codes=row.has_claimed_codes)


def open_own_fmd(tx: Transaction, keyring: Keyring, caller: Caller, *, origin: str = "", locks: bool = True) -> OpenFmd:
    """The same for the caller's first record, which needs no code; raises FmdNotFound if there is none."""
    row = tx.first(prepared(FIRST_RECORD), account_id=caller.account_id)
    if row is None:
        raise FmdNotFound
    access = RecordAccess(row.id, "owner", OWNER, row.key_id, row.wrapped_key)
    record = (lock_record_row if locks else read_record_row)(tx, access.record_id)
    if record is None or record.erased_at is not None:  # Whoever held the row before us erased it.
        raise FmdNotFound
    return _opened(keyring, caller, access, record, origin, quota=None)


def _opened(
    keyring: Keyring,
    caller: Caller,
    access: RecordAccess,
    record: LockedRecord,
    origin: str,
    quota: Quota | None,
    *,
    has_claimed_codes: bool = True,
) -> OpenFmd:
    actor = Actor("account", caller.account_id)
    fuente = _fuente(caller, access.via, record.relacion)
    key = access.key(keyring)
    return OpenFmd(record, key, actor, access.via, access.rights, fuente, origin, quota, has_claimed_codes)


def open_unclaimed(tx: Transaction, keyring: Keyring, record_id: int, actor: Actor) -> OpenFmd:
    """A record that an institution filled and nobody has accepted yet, opened by that institution, whose member it is:
    the caller has seen to that. Locks its row. Raises FmdNotFound once it is somebody's."""
    row = tx.orm.get(Record, record_id)
    record = lock_record_row(tx, record_id)
    if row is None or record is None or record.account_id is not None or record.erased_at is not None:
        raise FmdNotFound
    rights = Rights(Door.P, changes=True, manages=False)
    return OpenFmd(record, row.open_key(keyring), actor, GrantKind.INSTITUTION, rights, Fuente.INSTITUCION)


def _fuente(caller: Caller, via: str, relacion: str) -> Fuente:
    """Whose word a new fact is."""
    if via == GrantKind.INSTITUTION:
        return Fuente.INSTITUCION
    if caller.is_medical:
        return Fuente.MEDICO
    return Fuente.TITULAR if via == "owner" and relacion.lower() == "titular" else Fuente.REPRESENTANTE


def record_with_code(tx: Transaction, code: str) -> tuple[Record, bytes | None]:
    """The record behind a live code, and the hash of its sticker's tag; raises FmdNotFound if there is none.

    A code is no secret: whoever shows nothing else must not see what is in the record.
    """
    row = tx.orm.execute(WITH_RECORD, {"code": code.upper()}).one_or_none()
    if row is None:
        raise FmdNotFound
    return row.Record, row.tag_hash
