"""The ways to open a record. The type is the permission: whoever holds an `OpenFmd` was let in here."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, SQLColumnExpression, and_, bindparam, exists, or_, select
from sqlalchemy.orm import Session, aliased

from ficha.accounts.accounts import Account, Role
from ficha.accounts.tokens import NOW, Caller, Query
from ficha.audit import log as audit
from ficha.audit.log import Actor, ChainEnd
from ficha.core.crypto import Keyring, Wrapped
from ficha.core.db import BigId
from ficha.core.errors import FichaError
from ficha.core.prepared import Prepared, prepared
from ficha.fmd.base import Door
from ficha.fmd.grants import Grant, GrantKind, grant_is_live
from ficha.fmd.record_events import CHANGES, publish_access, publish_change_of_record
from ficha.fmd.records import LockedRecord, Record, key_place_of, lock_record_row, read_record_row
from ficha.fmd.shapes import Fuente
from ficha.products.product import HAS_LIVE_CODE, Product, ProductState, tag_matches


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
    wrapped_key: Wrapped

    @property
    def sees_all(self) -> bool:
        return self.rights.door is Door.P

    def key(self, keyring: Keyring) -> bytes:
        return keyring.unwrap(self.wrapped_key, key_place_of(self.record_id))


# The selects below are built once. Sessions execute them; the fast lane adds what it shows and compiles them.
IS_RECORD_OF_PRODUCT = and_(Record.id == Product.record_id, Record.erased_at.is_(None))
ACCESS_COLUMNS = (Record.id, Record.account_id, Grant.kind, Grant.edits, Record.key_id, Record.wrapped_key)


def grant_of(account_id: SQLColumnExpression[int]) -> ColumnElement[bool]:
    """The live grant of this account for the record."""
    return and_(Grant.record_id == Record.id, Grant.account_id == account_id, grant_is_live(NOW))


def with_access(query: Query, account_id: SQLColumnExpression[int]) -> Query:
    """Adds to a select that finds an account the columns from which `access_in` says what it may do with the record
    behind a code. The account's row stays where there is no such record. One account has one live grant at most."""
    return (
        query.add_columns(*ACCESS_COLUMNS)
        .outerjoin(Product, HAS_LIVE_CODE)
        .outerjoin(Record, IS_RECORD_OF_PRODUCT)
        .outerjoin(Grant, grant_of(account_id))
    )


ACCESS_BY_ACCOUNT = with_access(
    select().select_from(Account).where(Account.id == bindparam("account_id")),
    Account.id,
)
RECORD_BY_CODE: Query = select(Product.tag_hash).join(Record, IS_RECORD_OF_PRODUCT).where(HAS_LIVE_CODE)
FIRST_RECORD: Query = (
    select(Record.id, Record.key_id, Record.wrapped_key)
    .where(Record.account_id == bindparam("account_id"), Record.erased_at.is_(None))
    .order_by(Record.created_at, Record.id)
    .limit(1)
)
_WITH_RECORD = RECORD_BY_CODE.add_columns(Record)

# The row of a record that an account may open, with its access, in one statement, which locks no other's record.
_account_id = bindparam("account_id", type_=BigId)
_OTHER_COLUMNS = (
    Record.relacion,
    Record.template_type,
    Record.version,
    Record.stored_bytes,
    Record.created_at,
    Record.erased_at,
)
_claimed = aliased(Product)
_HAS_CLAIMED_CODES = exists().where(_claimed.record_id == Record.id, _claimed.state == ProductState.CLAIMED)
_ROW_TO_OPEN = (
    select(*ACCESS_COLUMNS, *_OTHER_COLUMNS, _HAS_CLAIMED_CODES.label("has_claimed_codes"))
    .select_from(Product)
    .join(Record, IS_RECORD_OF_PRODUCT)
    .outerjoin(Grant, grant_of(_account_id))
    .where(HAS_LIVE_CODE, or_(Record.account_id == _account_id, Grant.id.is_not(None)))
)
_READ_TO_OPEN = Prepared(_ROW_TO_OPEN)
# Whoever held the row before us may have erased it: PostgreSQL looks again at what it waited for.
_LOCK_TO_OPEN = Prepared(_ROW_TO_OPEN.with_for_update(of=Record))


def access_in(account_id: int, row: Sequence[Any]) -> RecordAccess:
    """What the values of ACCESS_COLUMNS allow this account; raises FmdNotFound if it may not open the record."""
    record_id, owner_id, kind, edits, key_id, wrapped_key = row
    if record_id is None or key_id is None:
        raise FmdNotFound
    wrapped = Wrapped(key_id, wrapped_key)
    if owner_id == account_id:
        return RecordAccess(record_id, "owner", OWNER, wrapped)
    if kind is not None:
        return RecordAccess(record_id, kind, rights_of(kind, bool(edits)), wrapped)
    raise FmdNotFound


def find_access(session: Session, account_id: int, code: str, now: datetime) -> RecordAccess:
    """Raises FmdNotFound if this account may not open the record behind the code. Locks nothing."""
    row = prepared(ACCESS_BY_ACCOUNT).first(session, account_id=account_id, code=code.upper(), now=now)
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
        self, session: Session, action: str, what: list[str], now: datetime, *, after: ChainEnd | None = None
    ) -> None:
        """Writes what was done into the log, and tells owner and guardians of a change, or that somebody else read.
        `after` is the log's end, for who has read it since the row was locked."""
        audit.note(session, self.id, self.actor, action, what, now, via=self.via, origin=self.origin, after=after)
        if action in CHANGES:
            publish_change_of_record(session, action, self.record, self.actor, self.via, what, now)
        elif self.via != "owner":
            publish_access(session, self.record, str(self.actor), self.via, now)


@dataclass(frozen=True)
class ScannedFmd:
    """A record opened by its sticker: it can only be read, as deep as its door."""

    record: Record
    key: bytes = field(repr=False)
    code: str
    door: Door
    actor: Actor


def open_fmd(
    session: Session,
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
    statement = _LOCK_TO_OPEN if locks else _READ_TO_OPEN
    row = statement.first(session, account_id=caller.account_id, code=code.upper(), now=now)
    if row is None:
        raise FmdNotFound
    ends = len(ACCESS_COLUMNS)
    access = access_in(caller.account_id, row[:ends])
    record = LockedRecord(row.id, row.account_id, *row[ends:-1])
    return _opened(keyring, caller, access, record, origin, quota, has_claimed_codes=row.has_claimed_codes)


def open_own_fmd(
    session: Session, keyring: Keyring, caller: Caller, *, origin: str = "", locks: bool = True
) -> OpenFmd:
    """The same for the caller's first record, which needs no code; raises FmdNotFound if there is none."""
    row = prepared(FIRST_RECORD).first(session, account_id=caller.account_id)
    if row is None:
        raise FmdNotFound
    access = RecordAccess(row.id, "owner", OWNER, Wrapped(row.key_id, row.wrapped_key))
    record = (lock_record_row if locks else read_record_row)(session, access.record_id)
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


def open_unclaimed(session: Session, keyring: Keyring, record_id: int, actor: Actor) -> OpenFmd:
    """A record that an institution filled and nobody has accepted yet, opened by that institution, whose member it is:
    the caller has seen to that. Locks its row. Raises FmdNotFound once it is somebody's."""
    row = session.get(Record, record_id)
    record = lock_record_row(session, record_id)
    if row is None or record is None or record.account_id is not None or record.erased_at is not None:
        raise FmdNotFound
    rights = Rights(Door.P, changes=True, manages=False)
    return OpenFmd(record, row.open_key(keyring), actor, GrantKind.INSTITUTION, rights, Fuente.INSTITUCION)


def _fuente(caller: Caller, via: str, relacion: str) -> Fuente:
    """Whose word a new fact is."""
    if via == GrantKind.INSTITUTION:
        return Fuente.INSTITUCION
    if Role.MEDICAL in caller.roles:
        return Fuente.MEDICO
    return Fuente.TITULAR if via == "owner" and relacion.lower() == "titular" else Fuente.REPRESENTANTE


def record_with_code(session: Session, code: str) -> tuple[Record, bytes | None]:
    """The record behind a live code, and the hash of its sticker's tag; raises FmdNotFound if there is none.

    A code is no secret: whoever shows nothing else must not see what is in the record.
    """
    row = session.execute(_WITH_RECORD, {"code": code.upper()}).one_or_none()
    if row is None:
        raise FmdNotFound
    return row.Record, row.tag_hash


def scan(session: Session, keyring: Keyring, code: str, tag: str) -> ScannedFmd:
    """Opens a record by a live code and its tag, which a lost sticker no longer has; raises FmdNotFound."""
    record, stored_hash = record_with_code(session, code)
    if not tag_matches(stored_hash, tag):
        raise FmdNotFound
    return ScannedFmd(record, record.open_key(keyring), code.upper(), Door.R, Actor("tag"))
