"""The codes of a record: its owner or guardian looks one up, claims one more, gives one a new tag, or ends one; marks
stickers lost by a mailed link: who asks for that names a correo or a code, and learns nothing by it; and calls a
sticker something (helmet, wheelchair), which is sealed with the record's key for it may tell much."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, update

from ficha.accounts.accounts import Account, account_with
from ficha.accounts.jobs import SEND_CLAIM, SEND_LOST
from ficha.accounts.tokens import Caller
from ficha.audit import log as audit
from ficha.core.crypto import Tampered, seal, unseal
from ficha.core.errors import FichaError, Source
from ficha.core.ids import CODE_LENGTH
from ficha.core.transaction import Transaction
from ficha.fmd.access import OpenFmd
from ficha.fmd.grants import managed_records, may_manage
from ficha.fmd.records import Record
from ficha.fmd.statements import live_codes_of_account
from ficha.jobs.queue import put
from ficha.products.codes import (
    IssuedCode,
    TagEnd,
    claim_code,
    confirm_claims,
    end_codes,
    issue_bare_code,
    issue_code,
    keep_ended_tags,
)
from ficha.products.product import IS_LIVE, LiveCode, Product, ProductState, tag_hash
from ficha.products.statements import live_codes


class CodeUnknown(FichaError):
    """No such code, or one of a record that the caller may not see."""

    status = 404
    code = "codigo_desconocido"
    message = "No hay un código así, o usted no puede verlo."


class CodeEnded(FichaError):
    status = 409
    code = "codigo_terminado"
    message = "Ese código ya no está en uso: se marcó como perdido o se retiró."


class CodeAlreadyOwn(FichaError):
    status = 409
    code = "codigo_propio"
    message = "Ese código ya es de su ficha."


class CodeNotConfirmed(FichaError):
    """Whoever guessed the code could take the sticker from its holder: only the tag or the mailbox proves the claim."""

    status = 409
    code = "codigo_sin_confirmar"
    message = "Confirme antes este código con el enlace que le enviamos por correo, o con el QR de la etiqueta."


@dataclass(frozen=True)
class CodesOfAccount:
    """The numbers that the API gives for a person. `fmd_code` is her first record; the codes are those of all."""

    fmd_code: int
    product_codes: list[str]
    bp_codes: list[str]
    records: list["CodesOfRecord"]


@dataclass(frozen=True)
class CodesOfRecord:
    fmd_code: int
    relacion: str
    codes: list[str]


def codes_of_account(tx: Transaction, account_id: int) -> CodesOfAccount:
    rows = live_codes_of_account(tx, account_id)
    records = {row.record_id: CodesOfRecord(row.record_id, row.relacion, []) for row in rows}
    for row in rows:
        if row.code is not None:
            records[row.record_id].codes.append(row.code)
    return CodesOfAccount(
        fmd_code=rows[0].record_id,
        product_codes=[row.code for row in rows if row.code is not None and not row.is_bp],
        bp_codes=[row.code for row in rows if row.code is not None and row.is_bp],
        records=list(records.values()),
    )


def own_product(
    tx: Transaction, caller: Caller, code: str, now: datetime, *, locks: bool = False
) -> tuple[Product, Record]:
    """A code of a record that the caller owns or guards, ended or not. Raises CodeUnknown."""
    product = tx.orm.get(Product, code.upper())
    record = tx.orm.get(Record, product.record_id) if product and product.record_id else None
    if product is None or record is None or not may_manage(tx, record, caller.account_id, now):
        raise CodeUnknown
    if locks and not _lock(tx, caller.account_id, record, now):
        raise CodeUnknown
    return product, record


class RecordNotManaged(FichaError):
    """No such record, or one for which the caller may not act."""

    status = 404
    code = "ficha_ajena"
    message = "No hay una ficha con ese número, o usted no puede agregarle etiquetas."
    source = Source("pointer", "/fmd_code")


class NoRoomForSticker(FichaError):
    status = 409
    code = "etiquetas_del_plan"
    message = "Esta ficha llegó al máximo de etiquetas de su plan. Retire una, o pida otro plan."


def claim_for_caller(
    tx: Transaction,
    caller: Caller,
    code: str,
    now: datetime,
    *,
    most: int,
    tag: str | None = None,
    fmd_code: int | None = None,
) -> tuple[Product, Record]:
    """Adds a code to a record of the caller, her first if none is named, which has `most` live ones then. Without the
    tag, the mailbox of the account is asked. Locks the record's row. Raises RecordNotManaged, CodeNotFree or
    NoRoomForSticker; for a code of that record already, CodeAlreadyOwn or CodeEnded."""
    record = _locked(tx, caller, fmd_code, now)
    known = tx.orm.get(Product, code.upper())
    is_waking = tag is not None and known is not None and not known.is_confirmed
    if known is not None and known.record_id == record.id and not is_waking:
        raise CodeEnded if known.ended_at is not None else CodeAlreadyOwn
    is_here = known is not None and known.record_id == record.id
    if not is_here and len(live_codes(tx, [record.id])) >= most:
        raise NoRoomForSticker
    claim_code(tx, code, record.id, now, tag=tag)
    audit.note(tx, record.id, caller.actor, "code.claimed", [code.upper()], now)
    if tag is None:
        put(tx, SEND_CLAIM, {"account_id": caller.account_id})
    return tx.orm.get_one(Product, code.upper(), populate_existing=True), record


def new_code_for(tx: Transaction, caller: Caller, record_id: int, now: datetime) -> str:
    """For a record whose last code ended: without one it has no address. One that has a live code keeps that. Locks the
    record's row. Raises RecordNotManaged."""
    record = _locked(tx, caller, record_id, now)
    live = live_codes(tx, [record.id])
    if live:
        return live[0].code
    code = issue_bare_code(tx, now, record.id)
    audit.note(tx, record.id, caller.actor, "code.claimed", [code], now)
    return code


def _locked(tx: Transaction, caller: Caller, record_id: int | None, now: datetime) -> Record:
    """The record with this number, or the caller's first if none is named; its row is locked."""
    managed = managed_records(tx, caller.account_id, now)
    record = next((record for record in managed if record_id in (None, record.id)), None)
    if record is None or not _lock(tx, caller.account_id, record, now):
        raise RecordNotManaged
    return record


def _lock(tx: Transaction, account_id: int, record: Record, now: datetime) -> bool:
    """False if it was erased, or is no longer the account's to manage, since it was found."""
    tx.orm.refresh(record, with_for_update=True)
    return record.erased_at is None and may_manage(tx, record, account_id, now)


def end_code(
    tx: Transaction, caller: Caller, code: str, state: ProductState, now: datetime, *, why: TagEnd | None = None
) -> tuple[Product, Record]:
    """Ends a code as lost or retired, for good: its tag opens nothing from now on, and is known to have
    ended, for the reason of its state if for no other. Raises CodeEnded."""
    product, record = own_product(tx, caller, code, now, locks=True)
    if not end_codes(tx, and_(Product.code == product.code, IS_LIVE), state, now, why=why):
        raise CodeEnded
    audit.note(tx, record.id, caller.actor, f"code.{state}", [product.code], now)
    tx.orm.refresh(product)
    return product, record


def renew_tag(tx: Transaction, caller: Caller, code: str, tag: str, now: datetime) -> tuple[Product, Record]:
    """Gives a live code this tag; the one before opens nothing from now on, and is known to have ended. Raises
    CodeEnded or CodeNotConfirmed."""
    product, record = own_product(tx, caller, code, now, locks=True)
    tx.orm.refresh(product)
    if not product.is_confirmed:
        raise CodeNotConfirmed
    is_mine = and_(Product.code == product.code, IS_LIVE, Product.sleeping_tag_hash.is_(None))
    keep_ended_tags(tx, is_mine, TagEnd.REPLACED, now)
    renewed = tx.orm.execute(
        update(Product).where(is_mine).values(tag_hash=tag_hash(tag)).returning(Product.code)
    ).one_or_none()
    if renewed is None:
        raise CodeEnded
    audit.note(tx, record.id, caller.actor, "code.new_tag", [product.code], now)
    tx.orm.refresh(product)
    return product, record


def add_code(tx: Transaction, record_id: int, actor: audit.Actor, now: datetime) -> IssuedCode:
    """A new code of the record, to be printed at home: its tag is told only now. The caller has locked the record."""
    issued = issue_code(tx, now, record_id=record_id)
    audit.note(tx, record_id, actor, "code.issued", [issued.code], now)
    return issued


def add_further_code(tx: Transaction, fmd: OpenFmd, now: datetime, *, most: int) -> IssuedCode:
    """One more thing to print, with a code and a tag of its own: the others go on, and it is ended alone. Raises
    MayNotManage or NoRoomForSticker."""
    fmd.must_manage()
    if len(live_codes(tx, [fmd.id])) >= most:
        raise NoRoomForSticker
    return add_code(tx, fmd.id, fmd.actor, now)


def leave_a_code(tx: Transaction, record_id: int, actor: audit.Actor, now: datetime) -> str:
    """Nobody is left without a code: where all have ended, adds one, which is on no sticker. Returns the code by which
    the record is found."""
    live = live_codes(tx, [record_id])
    if live:
        return live[0].code
    code = issue_bare_code(tx, now, record_id)
    audit.note(tx, record_id, actor, "code.issued", [code], now)
    return code


def confirm_claims_of(tx: Transaction, account_id: int, now: datetime) -> list[str]:
    """The account's mailbox has confirmed what it claimed by code alone. Returns the codes that open now."""
    confirmed: list[str] = []
    # In the order in which the erasure of an account locks them.
    for record in sorted(managed_records(tx, account_id, now), key=lambda one: one.id):
        if not _lock(tx, account_id, record, now):
            continue
        codes = sorted(confirm_claims(tx, record.id))
        if codes:
            audit.note(tx, record.id, audit.Actor("account", account_id), "code.confirmed", codes, now)
        confirmed += codes
    return confirmed


MOST_LETTERS = 40


def account_of_lost(tx: Transaction, given: str) -> Account | None:
    """Whom a correo or a code leads to: of a code, its owner."""
    if "@" in given:
        return account_with(tx, given)
    if len(given) != CODE_LENGTH:
        return None
    product = tx.orm.get(Product, given.upper())
    record = tx.orm.get(Record, product.record_id) if product and product.record_id else None
    return tx.orm.get(Account, record.account_id) if record and record.account_id else None


def ask_for_lost_link(tx: Transaction, account: Account | None) -> None:
    """The same work whether or not there is such an account: the job finds out."""
    put(tx, SEND_LOST, {"account_id": account.id if account else None})


def mark_lost(tx: Transaction, caller: Caller, codes: Sequence[str], now: datetime) -> list[str]:
    """Those of these codes that are the caller's and still open something. A record of which all ended gets a code."""
    gone, records = [], set()
    for code in codes:
        try:
            product, record = end_code(tx, caller, code, ProductState.LOST, now)
        except (CodeUnknown, CodeEnded):
            continue
        gone.append(product.code)
        records.add(record.id)
    for record_id in sorted(records):
        leave_a_code(tx, record_id, caller.actor, now)
    return gone


def name_sticker(tx: Transaction, fmd: OpenFmd, code: str, name: str) -> None:
    """An empty name takes the one it has away. Raises MayNotManage, or CodeUnknown for one that is not the record's."""
    fmd.must_manage()
    product = tx.orm.get(Product, code.upper())
    if product is None or product.record_id != fmd.id:
        raise CodeUnknown
    words = " ".join(name.split())[:MOST_LETTERS]
    product.sealed_name = seal(fmd.key, words.encode("utf-8", "replace"), _bound_to(product)) if words else None


def sticker_name(product: Product | LiveCode, key: bytes) -> str:
    """Empty where it has none. `key` is the record's."""
    if product.sealed_name is None:
        return ""
    try:
        return unseal(key, product.sealed_name, _bound_to(product)).decode()
    except Tampered:
        return ""


def _bound_to(product: Product | LiveCode) -> str:
    return f"product:{product.code}:name"
