"""What staff fetch of a batch: its codes as lines of CSV, a page at a time, so that a large one takes no more memory
than a small one; previews of any stickers; and its sheets as long as its tags are kept."""

from collections.abc import Iterator, Sequence
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
from ficha.products.batches import CODES_AT_ONCE, Batch, batch_with, mark_fetched, opened_part, opened_tags, parts_of
from ficha.products.decoys import Decoy
from ficha.products.inventory import TagsDestroyed, list_codes
from ficha.products.product import Product

CSV_HEAD = "code,state,issued_at,claimed_at,ended_at,link\r\n"
TAGS_HEAD = "code,link\r\n"


def csv_lines(database: Database, base_url: str, batch_id: int) -> Iterator[str]:
    yield CSV_HEAD
    after = ""
    while True:
        with database.reading() as tx:
            page = list_codes(tx, batch_id=batch_id, after=after, limit=CODES_AT_ONCE)
        if not page:
            return
        rows = []
        for product, state in page:
            times = (product.issued_at, product.claimed_at, product.ended_at)
            said = ",".join(time.isoformat() if time else "" for time in times)
            rows.append(f"{product.code},{state},{said},{link_of(base_url, product.code)}\r\n")
        yield "".join(rows)
        after = page[-1].product.code


def csv_lines_with_tags(database: Database, base_url: str, batch_id: int, key: bytes, now: datetime) -> Iterator[str]:
    """For whoever prints: those that nobody has claimed. `key` is the batch's. Each part counts as fetched when it was
    given out."""
    yield TAGS_HEAD
    with database.reading() as tx:
        starts = parts_of(tx, batch_id)
    for start in starts:
        with database.reading() as tx:
            tags = opened_part(tx, key, batch_id, start)
        yield "".join(f"{code},{link_of(base_url, code, tag)}\r\n" for code, tag in tags.items())
        with database.writing() as tx:
            mark_fetched(tx, batch_id, start, now)


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
