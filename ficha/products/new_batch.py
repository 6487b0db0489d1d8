"""Making a batch: the first codes at once, the rest by a job. The operation and the console both call it."""

from datetime import datetime

from ficha.core.crypto import Keyring
from ficha.core.errors import FichaError, Source
from ficha.core.transaction import Transaction
from ficha.jobs.queue import put
from ficha.products.batches import CODES_AT_ONCE, Batch, add_codes, open_batch
from ficha.products.jobs import FILL_BATCH


class TooManyCodes(FichaError):
    status = 422
    code = "lote_demasiado_grande"
    message = "Un lote no puede tener tantos códigos. Pida menos, o haga varios lotes."
    source = Source("pointer", "/count")


def make_batch(
    tx: Transaction,
    keyring: Keyring,
    count: int,
    now: datetime,
    *,
    by: str,
    label: str,
    largest: int,
    tag_days: float,
) -> Batch:
    """Raises TooManyCodes beyond `largest`."""
    if count > largest:
        raise TooManyCodes
    batch = open_batch(tx, keyring, count, now, by=by, tag_days=tag_days, label=label)
    left = batch.count
    while left and batch.made < CODES_AT_ONCE:  # More than once only if a code had been issued before.
        left = add_codes(tx, keyring, batch.id, now, most=CODES_AT_ONCE - batch.made).left
    if left:
        put(tx, FILL_BATCH, {"batch_id": batch.id}, key=f"{FILL_BATCH}:{batch.id}")
    return batch
