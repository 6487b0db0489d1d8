"""The log of a record: an append-only list of entries, each with a keyed hash over itself and the hash before it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, select

from ficha.audit.chain import AuditEntry, ChainEnd, LoggedFact, link_after
from ficha.audit.statements import chain_end, chain_ends, insert_entries, insert_entry
from ficha.core.db import Database
from ficha.core.transaction import Transaction


@dataclass(frozen=True)
class Actor:
    kind: str
    id: int | None = None

    def __str__(self) -> str:
        return self.kind if self.id is None else f"{self.kind}:{self.id}"


# Where a transaction has the key of the hashes. The database does not hold it: who only has that cannot make an entry.
LOG_KEY = "ficha_log_key"


def use_log_key(database: Database, key: Callable[[], bytes]) -> None:
    """Every transaction of this database hashes its entries with this key."""
    database.info[LOG_KEY] = key


def log_key(tx: Transaction) -> bytes:
    key: bytes = tx.info[LOG_KEY]()
    return key


def note(
    tx: Transaction,
    record_id: int,
    actor: Actor,
    action: str,
    what: list[str],
    now: datetime,
    *,
    via: str = "",
    origin: str = "",
    uid: str | None = None,
    after: ChainEnd | None = None,
) -> None:
    """Adds an entry. The caller has locked the record's row, so two entries never take one place;
    the unique index is there in case somebody forgets. `after` is the last entry, if the caller read it since then."""
    fact = LoggedFact(record_id, now, str(actor), action, what, via, origin, uid)
    # Each statement sends the ORM's changes of the record before it, which lock its row.
    insert_entry(tx, fact, link_after(fact, chain_end(tx, record_id) if after is None else after, log_key(tx)))


def note_all(tx: Transaction, facts: Sequence[LoggedFact]) -> None:
    """Adds many entries at once, in their order. The caller has locked the rows of all their records."""
    if not facts:
        return
    ends = chain_ends(tx, {fact.record_id for fact in facts})
    key, entries = log_key(tx), []
    for fact in facts:
        link = link_after(fact, ends[fact.record_id], key)
        ends[fact.record_id] = ChainEnd(link.seq, link.hash)
        entries.append((fact, link))
    insert_entries(tx, entries)


def entries_of(
    tx: Transaction, record_id: int, *which: ColumnElement[bool], before_seq: int | None = None, limit: int
) -> list[AuditEntry]:
    """A page of a record's log, newest first: all of it, or the entries of which these conditions hold."""
    query = select(AuditEntry).where(AuditEntry.record_id == record_id, *which)
    if before_seq is not None:
        query = query.where(AuditEntry.seq < before_seq)
    return list(tx.orm.scalars(query.order_by(AuditEntry.seq.desc()).limit(limit)))
