"""The inventory as staff see it: batches and codes, what became of them, and what staff do with them.

Whose code it is stands nowhere here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, case, func, literal, select

from ficha.core.clock import Clock
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.errors import FichaError
from ficha.core.ids import CODE_ALPHABET
from ficha.core.transaction import Transaction
from ficha.jobs.kinds import Job, Kind
from ficha.jobs.queue import put, put_empty_wal
from ficha.products.batches import CODES_AT_ONCE, FILL_BATCH, Batch, add_codes, batch_with, count_unfetched, delete_tags
from ficha.products.codes import end_codes
from ficha.products.decoys import Decoy
from ficha.products.product import LedgerRow, LedgerState, Product, ProductState, write_batch, write_code

VOID_BATCH = "lotes.anular"

_SHIPPED = (LedgerRow.state == LedgerState.SHIPPED,)


def _batch_is(state: LedgerState) -> ColumnElement[bool]:
    return select(LedgerRow.id).where(LedgerRow.batch_id == Product.batch_id, LedgerRow.state == state).exists()


# What became of a code, by its row and by the ledger. One that its owner retired was claimed all the same; those of a
# voided batch are ended by a job, some moments later.
INVENTORY_STATE: ColumnElement[str] = case(
    (Product.claimed_at.is_not(None), literal(LedgerState.CLAIMED.value)),
    (Product.ended_at.is_not(None) | _batch_is(LedgerState.VOID), literal(LedgerState.VOID.value)),
    (
        _batch_is(LedgerState.SHIPPED) | select(LedgerRow.id).where(LedgerRow.code == Product.code, *_SHIPPED).exists(),
        literal(LedgerState.SHIPPED.value),
    ),
    else_=literal(LedgerState.PRINTED.value),
)
# Said once more, in the words of an index: those states are few among all codes. Who filters by void finds those of a
# voided batch once they are ended.
RARE: Mapping[LedgerState, tuple[ColumnElement[bool], ...]] = {
    LedgerState.CLAIMED: (Product.claimed_at.is_not(None),),
    LedgerState.VOID: (Product.ended_at.is_not(None),),
    LedgerState.SHIPPED: (
        Product.batch_id.in_(select(LedgerRow.batch_id).where(LedgerRow.batch_id.is_not(None), *_SHIPPED))
        | Product.code.in_(select(LedgerRow.code).where(LedgerRow.code.is_not(None), *_SHIPPED)),
    ),
}
# Nobody was given a decoy, and nobody is told which code is one.
_IS_NO_DECOY = ~select(Decoy.code).where(Decoy.code == Product.code).exists()


class ListedCode(NamedTuple):
    product: Product
    state: LedgerState


class CodesUnknown(FichaError):
    status = 404
    code = "codigos_desconocidos"
    message = "Alguno de esos códigos no existe. No se cambió ninguno."


class CodesNotFree(FichaError):
    status = 409
    code = "codigos_con_dueno"
    message = "Alguno de esos códigos ya es de una ficha o ya no está en uso. No se cambió ninguno."


class TagsDestroyed(FichaError):
    status = 409
    code = "marcas_destruidas"
    message = "Las marcas de este lote ya se destruyeron: sus etiquetas no se pueden imprimir otra vez. Haga otro lote."


class SheetNotFetched(FichaError):
    status = 409
    code = "pliego_sin_descargar"
    message = "Descargue antes todos los pliegos del lote: al confirmar se destruyen sus marcas."


def list_batches(tx: Transaction, *, before: int, limit: int) -> list[Batch]:
    """Newest first."""
    return list(tx.orm.scalars(select(Batch).where(Batch.id < before).order_by(Batch.id.desc()).limit(limit)))


def count_by_state(tx: Transaction, batch_id: int) -> dict[LedgerState, int]:
    """How many codes of the batch are in each state."""
    became = INVENTORY_STATE.label("became")
    counted = select(became, func.count()).where(Product.batch_id == batch_id).group_by(became)
    found = dict(tx.orm.execute(counted).all())
    return {each: found.get(each.value, 0) for each in LedgerState}


def list_codes(
    tx: Transaction,
    *,
    batch_id: int | None = None,
    state: LedgerState | None = None,
    product_states: Sequence[ProductState] = (),
    starts: str = "",
    after: str = "",
    limit: int,
) -> list[ListedCode]:
    """In the order of the codes, those after `after`. `starts` are the first characters of a code. One that was claimed
    is in use, lost or retired by now: `product_states` says which of them."""
    query = select(Product, INVENTORY_STATE).where(Product.code > after)
    query = query.where(_IS_NO_DECOY) if batch_id is None else query.where(Product.batch_id == batch_id)
    if state is not None:
        query = query.where(INVENTORY_STATE == state.value, *RARE.get(state, ()))  # noqa: SIM300
    if product_states:
        query = query.where(Product.state.in_(product_states))
    if starts:
        query = query.where(Product.code.between(starts.upper(), starts.upper() + CODE_ALPHABET[-1] * 6))
    rows = tx.orm.execute(query.order_by(Product.code).limit(limit))
    return [ListedCode(product, LedgerState(found)) for product, found in rows]


def listed_code(tx: Transaction, code: str) -> ListedCode | None:
    """A decoy is as unknown as a code that never was."""
    query = select(Product, INVENTORY_STATE).where(Product.code == code.upper(), _IS_NO_DECOY)
    row = tx.orm.execute(query).one_or_none()
    return None if row is None else ListedCode(row[0], LedgerState(row[1]))


def ship_batch(tx: Transaction, batch_id: int, now: datetime, by: str) -> None:
    write_batch(tx, batch_with(tx, batch_id, locks=True).id, LedgerState.SHIPPED, now, by)


def ship_codes(tx: Transaction, codes: Sequence[str], now: datetime, by: str) -> None:
    """All or none. Raises CodesUnknown, or CodesNotFree if one is not merely printed."""
    for code in _locked(tx, codes):
        write_code(tx, code, LedgerState.SHIPPED, now, by)


def void_codes(tx: Transaction, codes: Sequence[str], now: datetime, by: str) -> None:
    """These codes are never used: nobody can claim them, their tags open nothing. All or none. Raises as above."""
    locked = _locked(tx, codes)
    end_codes(tx, Product.code.in_(locked), ProductState.RETIRED, now)
    for code in locked:
        write_code(tx, code, LedgerState.VOID, now, by)


def void_batch(tx: Transaction, batch_id: int, now: datetime, by: str) -> None:
    """What nobody has claimed of the batch is void: its tags are destroyed at once, its codes ended by a job."""
    batch = batch_with(tx, batch_id, locks=True)
    write_batch(tx, batch_id, LedgerState.VOID, now, by)
    batch.count = batch.made
    if batch.has_tags:
        destroy_tags(tx, batch)
    put(tx, VOID_BATCH, {"batch_id": batch_id}, key=f"{VOID_BATCH}:{batch_id}")


def end_printed_codes(tx: Transaction, batch_id: int, now: datetime) -> bool:
    """Ends some codes of a voided batch that nobody has claimed. False when none is left."""
    some = select(Product.code).where(Product.batch_id == batch_id, Product.state == ProductState.PRINTED)
    codes = tx.orm.scalars(some.order_by(Product.code).limit(CODES_AT_ONCE).with_for_update()).all()
    end_codes(tx, Product.code.in_(codes), ProductState.RETIRED, now)
    return bool(codes)


def confirm_sheet(tx: Transaction, batch_id: int, now: datetime, by: str) -> Batch:
    """The sheets are printed and good: the tags are destroyed. Raises TagsDestroyed or SheetNotFetched."""
    batch = batch_with(tx, batch_id, locks=True)
    if not batch.has_tags:
        raise TagsDestroyed
    if batch.made < batch.count or count_unfetched(tx, batch_id):
        raise SheetNotFetched
    batch.confirmed_at, batch.confirmed_by = now, by
    destroy_tags(tx, batch)
    return batch


def destroy_tags(tx: Transaction, batch: Batch) -> None:
    """Of no use to anybody from now on: the key goes too."""
    delete_tags(tx, batch.id)
    batch.destroy_key()
    put_empty_wal(tx)


def destroy_overdue_tags(tx: Transaction, now: datetime) -> None:
    overdue = select(Batch).where(Batch.tags_until <= now, Batch.wrapped_key.is_not(None))
    for batch in tx.orm.scalars(overdue.with_for_update()):
        destroy_tags(tx, batch)


def _locked(tx: Transaction, codes: Sequence[str]) -> list[str]:
    """The rows of these codes, in their order, so that two who lock the same never wait for each other."""
    wanted = sorted({code.upper() for code in codes})
    query = select(Product).where(Product.code.in_(wanted), _IS_NO_DECOY).order_by(Product.code)
    found = tx.orm.scalars(query.with_for_update()).all()
    if len(found) < len(wanted):
        raise CodesUnknown
    if any(product.state != ProductState.PRINTED for product in found):
        raise CodesNotFree
    return wanted


@dataclass(frozen=True)
class ProductJobs:
    database: Database
    keyring: Keyring
    clock: Clock

    def kinds(self) -> list[Kind]:
        return [Kind(FILL_BATCH, self.fill_batch), Kind(VOID_BATCH, self.void_batch)]

    def fill_batch(self, job: Job) -> None:
        left = 1
        while left:
            with self.database.writing() as tx:
                left = add_codes(tx, self.keyring, job.payload["batch_id"], self.clock.now()).left

    def void_batch(self, job: Job) -> None:
        is_left = True
        while is_left:
            with self.database.writing() as tx:
                is_left = end_printed_codes(tx, job.payload["batch_id"], self.clock.now())
