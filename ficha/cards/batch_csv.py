"""The codes of a batch as lines of CSV, a page at a time: a large batch takes no more memory than a small one."""

from collections.abc import Iterator
from datetime import datetime

from ficha.cards.qr import link_of
from ficha.core.db import Database
from ficha.products.batches import CODES_AT_ONCE
from ficha.products.inventory import list_codes
from ficha.products.sealed_tags import mark_fetched, opened_part, parts_of

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
