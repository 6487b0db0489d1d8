"""What staff print: previews of any stickers, and the sheets of a batch as long as its tags are kept."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select

from ficha.cards.qr import link_of
from ficha.cards.sheet_process import drawn_sheet
from ficha.cards.stickers import Paper, Sticker, StickerFormat
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.errors import FichaError, Source
from ficha.core.transaction import Transaction
from ficha.products.batches import Batch, batch_with
from ficha.products.decoys import Decoy
from ficha.products.inventory import TagsDestroyed
from ficha.products.product import Product
from ficha.products.sealed_tags import mark_fetched, opened_part, opened_tags, parts_of


class PartUnknown(FichaError):
    status = 404
    code = "pliego_desconocido"
    message = "El lote no tiene un pliego con ese número."
    source = Source("parameter", "part")


class FoundStickers(NamedTuple):
    stickers: list[Sticker]
    # Codes that do not exist, or that were ended.
    unknown: list[str]


def stickers_of(tx: Transaction, keyring: Keyring, base_url: str, codes: Sequence[str]) -> FoundStickers:
    """With their tags where a batch keeps them and nobody has claimed the sticker; else their links lead to the door of
    the typed code."""
    wanted = list(dict.fromkeys(code.upper() for code in codes))
    is_decoy = select(Decoy.code).where(Decoy.code == Product.code).exists()
    query = select(Product).where(Product.code.in_(wanted), Product.ended_at.is_(None), ~is_decoy)
    known = {product.code: product for product in tx.orm.scalars(query)}
    tags: dict[str, str] = {}
    for batch_id in {product.batch_id for product in known.values() if product.batch_id is not None}:
        batch = tx.orm.get_one(Batch, batch_id)
        if batch.has_tags:
            tags |= opened_tags(tx, batch.open_key(keyring), batch_id, known)
    found = [
        Sticker(code, link_of(base_url, code, tags.get(code)), has_tag=code in tags) for code in wanted if code in known
    ]
    return FoundStickers(found, [code for code in wanted if code not in known])


def batch_sheet(
    database: Database,
    keyring: Keyring,
    base_url: str,
    batch_id: int,
    now: datetime,
    *,
    part: int,
    format: StickerFormat,
    paper: Paper,
) -> bytes:
    """A part of the batch, at most a thousand stickers, those that nobody has claimed. No transaction is open while it
    is drawn. Raises BatchUnknown, TagsDestroyed or PartUnknown."""
    with database.reading() as tx:
        batch = batch_with(tx, batch_id)
        if not batch.has_tags:
            raise TagsDestroyed
        starts = parts_of(tx, batch_id)
        if part > len(starts):
            raise PartUnknown
        tags = opened_part(tx, batch.open_key(keyring), batch_id, starts[part - 1])
    stickers = [Sticker(code, link_of(base_url, code, tag), has_tag=True) for code, tag in tags.items()]
    drawn = drawn_sheet(stickers, format, paper, base_url)
    with database.writing() as tx:
        mark_fetched(tx, batch_id, starts[part - 1], now)
    return drawn
