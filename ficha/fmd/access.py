"""The ways to open a record. The type is the permission: whoever holds an `OpenFmd` was let in here."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from ficha.accounts.tokens import Caller
from ficha.audit import log as audit
from ficha.audit.chain import ChainEnd
from ficha.audit.log import Actor
from ficha.core.crypto import Keyring, Wrapped
from ficha.core.errors import FichaError
from ficha.core.transaction import Transaction
from ficha.fmd.access_selects import select_ended_grant
from ficha.fmd.base import Door
from ficha.fmd.grants import GrantKind
from ficha.fmd.model_parts import Fuente
from ficha.fmd.record_events import CHANGES, publish_access, publish_change_of_record
from ficha.fmd.records import RecordRow, record_key_bound_to
from ficha.fmd.statements import access_row, first_record, lock_record_row, record_by_code, record_to_open


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
        return keyring.unwrap(Wrapped(self.key_id, self.wrapped_key), record_key_bound_to(self.record_id))


def access_in(account_id: int, row: Sequence[Any]) -> RecordAccess:
    """What an AccessRow allows this account; raises FmdNotFound if it may not open the record. The fast lane has the
    same values as its driver gives them."""
    record_id, owner_id, kind, edits, key_id, wrapped_key = row
    if record_id is None or key_id is None:
        raise FmdNotFound
    via, rights = _way_in(account_id, owner_id, kind, bool(edits))
    return RecordAccess(record_id, via, rights, key_id, wrapped_key)


def _way_in(account_id: int, owner_id: int | None, kind: str | None, edits: bool) -> tuple[str, Rights]:
    """As its owner, or by the kind of the account's grant, if it has one."""
    if owner_id == account_id:
        return "owner", OWNER
    if kind is not None:
        return kind, rights_of(kind, edits)
    raise FmdNotFound


def find_access(tx: Transaction, account_id: int, code: str, now: datetime) -> RecordAccess:
    """Raises FmdNotFound if this account may not open the record behind the code. Locks nothing."""
    row = access_row(tx, account_id, code, now)
    if row is None:
        raise FmdNotFound
    return access_in(account_id, row)


@dataclass
class OpenFmd:
    """A record that this caller may read, and perhaps change. `record` is its row as it is now: whoever changes it puts
    the new one here."""

    record: RecordRow
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

    record: RecordRow
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
    found = record_to_open(tx, caller.account_id, code, now, locks=locks)
    if found is None:
        raise FmdNotFound
    record, kind, edits, has_claimed_codes = found
    via, rights = _way_in(caller.account_id, record.account_id, kind, edits)
    return _opened(keyring, caller, record, via, rights, origin, quota, has_claimed_codes)


def had_access(tx: Transaction, account_id: int, code: str, now: datetime) -> bool:
    """Whether the family had let this account in, and no longer does. To everybody else the record of another person is
    as good as none."""
    return tx.orm.scalar(select_ended_grant(account_id, code, now)) is not None


def open_own_fmd(tx: Transaction, keyring: Keyring, caller: Caller, *, origin: str = "", locks: bool = True) -> OpenFmd:
    """The same for the caller's first record, which needs no code; raises FmdNotFound if there is none."""
    record = first_record(tx, caller.account_id, locks=locks)
    if record is None:
        raise FmdNotFound
    return _opened(keyring, caller, record, "owner", OWNER, origin)


def _opened(
    keyring: Keyring,
    caller: Caller,
    record: RecordRow,
    via: str,
    rights: Rights,
    origin: str,
    quota: Quota | None = None,
    has_claimed_codes: bool = True,
) -> OpenFmd:
    actor, fuente = caller.actor, _fuente(caller, via, record.relacion)
    return OpenFmd(record, record.open_key(keyring), actor, via, rights, fuente, origin, quota, has_claimed_codes)


def open_unclaimed(tx: Transaction, keyring: Keyring, record_id: int, actor: Actor) -> OpenFmd:
    """A record that an institution filled and nobody has accepted yet, opened by that institution, whose member it is:
    the caller has seen to that. Locks its row. Raises FmdNotFound once it is somebody's."""
    record = lock_record_row(tx, record_id)
    if record is None or record.account_id is not None or record.erased_at is not None:
        raise FmdNotFound
    rights = Rights(Door.P, changes=True, manages=False)
    return OpenFmd(record, record.open_key(keyring), actor, GrantKind.INSTITUTION, rights, Fuente.INSTITUCION)


def _fuente(caller: Caller, via: str, relacion: str) -> Fuente:
    """Whose word a new fact is."""
    if via == GrantKind.INSTITUTION:
        return Fuente.INSTITUCION
    if caller.is_medical:
        return Fuente.MEDICO
    return Fuente.TITULAR if via == "owner" and relacion.lower() == "titular" else Fuente.REPRESENTANTE


def record_with_code(tx: Transaction, code: str) -> RecordRow:
    """The record behind a live code; raises FmdNotFound if there is none.

    A code is no secret: whoever shows nothing else must not see what is in the record.
    """
    found = record_by_code(tx, code)
    if found is None:
        raise FmdNotFound
    return found[0]
