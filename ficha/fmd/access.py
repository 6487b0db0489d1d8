"""The ways to open a record. The type is the permission: whoever holds an `OpenFmd` was let in here."""

import hmac
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import and_, select
from sqlalchemy.orm import Session

from ficha.accounts.accounts import Role
from ficha.accounts.tokens import Caller
from ficha.audit import log as audit
from ficha.audit.log import Actor
from ficha.core.crypto import Keyring
from ficha.core.errors import FichaError
from ficha.fmd.base import Door
from ficha.fmd.grants import Grant, GrantKind
from ficha.fmd.records import Record
from ficha.fmd.shapes import Fuente
from ficha.products.product import LIVE, Product, tag_hash


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


def way_in(account_id: int, owner_id: int | None, kind: str | None, edits: bool | None) -> tuple[str, Rights]:
    """How this account gets into a record, and what that allows: as its owner or by a live grant. Both lanes ask."""
    if owner_id == account_id:
        return "owner", OWNER
    if kind is not None:
        return kind, rights_of(kind, bool(edits))
    raise FmdNotFound


@dataclass(frozen=True)
class OpenFmd:
    """A record that this caller may read, and perhaps change."""

    record: Record
    key: bytes = field(repr=False)
    actor: Actor
    via: str
    rights: Rights
    fuente: Fuente
    origin: str = ""

    @property
    def id(self) -> int:
        return self.record.id

    def must_change(self) -> None:
        if not self.rights.changes:
            raise MayNotChange

    def must_manage(self) -> None:
        if not self.rights.manages:
            raise MayNotManage

    def note(self, session: Session, action: str, what: list[str], now: datetime) -> None:
        audit.note(session, self.id, self.actor, action, what, now, via=self.via, origin=self.origin)


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
    locks: bool = True,
) -> OpenFmd:
    """The record behind a live code, for somebody who may open it. `locks` holds its row until the transaction ends."""
    query = (
        select(Record, Grant.kind, Grant.edits)
        .join(Product, Product.record_id == Record.id)
        .outerjoin(
            Grant,
            and_(Grant.record_id == Record.id, Grant.account_id == caller.account_id, Grant.ends_at > now),
        )
        .where(Product.code == code.upper(), Product.state.in_(LIVE))
        .limit(1)
    )
    row = session.execute(query).one_or_none()
    if row is None:
        raise FmdNotFound
    record, kind, edits = row
    via, rights = way_in(caller.account_id, record.account_id, kind, edits)
    if locks:
        session.refresh(record, with_for_update=True)
        if record.erased_at is not None:
            raise FmdNotFound
    actor = Actor("account", caller.account_id)
    fuente = _fuente(caller, via, record.relacion)
    return OpenFmd(record, record.open_key(keyring), actor, via, rights, fuente, origin)


def _fuente(caller: Caller, via: str, relacion: str) -> Fuente:
    """Whose word a new fact is."""
    if via == GrantKind.INSTITUTION:
        return Fuente.INSTITUCION
    if Role.MEDICAL in caller.roles:
        return Fuente.MEDICO
    return Fuente.TITULAR if via == "owner" and relacion.lower() == "titular" else Fuente.REPRESENTANTE


def scan(session: Session, keyring: Keyring, code: str, tag: str) -> ScannedFmd:
    """The sticker in the hand: a live code and its tag, which a lost sticker no longer has."""
    row = session.execute(
        select(Record, Product.tag_hash)
        .join(Product, Product.record_id == Record.id)
        .where(Product.code == code.upper(), Product.state.in_(LIVE))
    ).one_or_none()
    presented = tag_hash(tag)
    if row is None or row.tag_hash is None or not hmac.compare_digest(row.tag_hash, presented):
        raise FmdNotFound
    record = row[0]
    return ScannedFmd(record, record.open_key(keyring), code.upper(), Door.R, Actor("tag"))
