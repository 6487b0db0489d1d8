"""The life of a code: printed → claimed → active → lost or retired. A code is a name, not a secret."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from ficha.accounts.tokens import Caller
from ficha.audit import log as audit
from ficha.core.errors import FichaError, Source
from ficha.core.ids import random_code
from ficha.fmd.codes import LIVE, Product, State, new_tag, tag_hash
from ficha.fmd.grants import may_manage
from ficha.fmd.records import Record, records_of


class CodeNotFree(FichaError):
    """Unknown and already claimed look the same."""

    status = 404
    code = "codigo_no_disponible"
    message = "Ese código no existe o ya pertenece a una ficha. Revise lo impreso en la etiqueta."
    source = Source("pointer", "/product_code")


class CodeUnknown(FichaError):
    """No such code, or one of a record that the caller may not see."""

    status = 404
    code = "codigo_desconocido"
    message = "No hay un código así, o usted no puede verlo."


class CodeEnded(FichaError):
    status = 409
    code = "codigo_terminado"
    message = "Ese código ya no está en uso: se marcó como perdido o se retiró."


@dataclass(frozen=True)
class Issued:
    """A new code, and its tag at the only moment it is known."""

    code: str
    tag: str


def issue_code(session: Session, now: datetime, *, record_id: int | None = None) -> Issued:
    """A code nobody ever had: printed when it belongs to no record yet, claimed when it does."""
    while True:
        tag = new_tag()
        product = Product(
            code=random_code(),
            state=State.PRINTED if record_id is None else State.CLAIMED,
            record_id=record_id,
            tag_hash=tag_hash(tag),
            issued_at=now,
            claimed_at=None if record_id is None else now,
        )
        try:
            with session.begin_nested():
                session.add(product)
                session.flush()
            return Issued(product.code, tag)
        except IntegrityError:
            continue


def issue_codes(session: Session, now: datetime, count: int) -> Iterator[Issued]:
    for _ in range(count):
        yield issue_code(session, now)


def claim_code(session: Session, code: str, record_id: int, now: datetime) -> None:
    """One statement decides, so of fifty at once exactly one wins."""
    claimed = session.execute(
        update(Product)
        .where(Product.code == code.upper(), Product.state == State.PRINTED)
        .values(state=State.CLAIMED, record_id=record_id, claimed_at=now)
        .returning(Product.code)
    ).one_or_none()
    if claimed is None:
        raise CodeNotFree


def retire_codes(session: Session, record_id: int, now: datetime) -> None:
    session.execute(
        update(Product).where(Product.record_id == record_id).values(state=State.RETIRED, tag_hash=None, ended_at=now)
    )


def own_product(session: Session, caller: Caller, code: str, now: datetime) -> tuple[Product, Record]:
    """A code of a record that the caller owns or guards, whatever became of it."""
    product = session.get(Product, code.upper())
    record = session.get(Record, product.record_id) if product and product.record_id else None
    if product is None or record is None or not may_manage(session, record, caller.account_id, now):
        raise CodeUnknown
    return product, record


def claim_for_caller(session: Session, caller: Caller, code: str, now: datetime) -> tuple[Product, Record]:
    """The caller's own record gets one more code."""
    record = records_of(session, caller.account_id)[0]
    session.refresh(record, with_for_update=True)
    claim_code(session, code, record.id, now)
    audit.note(session, record.id, audit.Actor("account", caller.account_id), "code.claimed", [code.upper()], now)
    return session.get_one(Product, code.upper(), populate_existing=True), record


def end_code(session: Session, caller: Caller, code: str, state: State, now: datetime) -> tuple[Product, Record]:
    """Lost or retired: the tag is dead at once, and nothing brings the code back."""
    product, record = own_product(session, caller, code, now)
    session.refresh(record, with_for_update=True)
    ended = session.execute(
        update(Product)
        .where(Product.code == product.code, Product.state.in_(LIVE))
        .values(state=state, tag_hash=None, ended_at=now)
        .returning(Product.code)
    ).one_or_none()
    if ended is None:
        raise CodeEnded
    audit.note(session, record.id, audit.Actor("account", caller.account_id), f"code.{state}", [product.code], now)
    session.refresh(product)
    return product, record
