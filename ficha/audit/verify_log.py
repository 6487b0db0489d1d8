"""The whole log at once: every entry, the triggers that guard it, and its anchors: their signatures, their order, and
the copies that are kept apart."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import select, text

from ficha.audit.anchors import (
    AT_LEAST_EVERY,
    Anchor,
    AnchorKey,
    SignedAnchor,
    UnreadableCopy,
    anchor_with,
    copies_in,
    ends_root,
    newest_number,
)
from ficha.audit.chain import AuditEntry
from ficha.audit.verify_entries import BrokenEntry, Fault, verify_all
from ficha.core.db import Database
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction


class AnchorFault(StrEnum):
    FORGED = "forged: the signature is not ours"
    ENDS_ALTERED = "its list of entries was altered"
    MISSING = "an anchor before it is missing"
    OLDER_DATABASE = "not in the database, which is older or was cut"
    OTHER_DATABASE = "not the one in the database, which was replaced"
    COPY_FORGED = "the copy kept apart was forged or damaged"
    NONE_LATELY = "no newer anchor, though older entries wait for one: do jobs run?"


# Of entries from before there was a key, as long as no anchor has vouched for any (decision 18).
NOT_VOUCHED_FOR = "without the log's key: just upgraded, run `ficha audit anchor`; else somebody rewrote them"


class GuardFault(StrEnum):
    MISSING = "the trigger that refuses changes is gone, off or altered"
    UNKNOWN = "a trigger that is not ours"


class LogFault(NamedTuple):
    record: str
    entry: str
    fault: str


# An entry that waits longer than this for its anchor was to be hidden, or nothing runs the job.
LONGEST_WAIT = AT_LEAST_EVERY + timedelta(hours=1)


def verify_anchors(tx: Transaction, key: AnchorKey, now: datetime) -> list[LogFault]:
    return [*_broken_chain(tx, key), *_late(tx, now)]


def verify_copies(tx: Transaction, key: AnchorKey, folder: Path) -> list[LogFault]:
    """Holds the database against copies: a folder of ours, or a file with what was published."""
    return list(_broken_copies(tx, key, folder)) if folder.exists() else []


def _anchor_fault(number: int, fault: AnchorFault) -> LogFault:
    return LogFault("", f"anchor {number}", fault.value)


def _broken_chain(tx: Transaction, key: AnchorKey) -> Iterator[LogFault]:
    number, digest = 0, bytes(32)
    for found in tx.orm.scalars(select(Anchor.number).order_by(Anchor.number)).all():
        stored = tx.orm.get_one(Anchor, found)
        tx.orm.expunge(stored)  # Its ends need not stay in memory.
        anchor = SignedAnchor(stored.number, stored.at, stored.previous, stored.root, stored.signature)
        if not key.has_signed(anchor):
            yield _anchor_fault(found, AnchorFault.FORGED)
        elif ends_root(stored.through_id, stored.ends) != stored.root:
            yield _anchor_fault(found, AnchorFault.ENDS_ALTERED)
        if (anchor.number, anchor.previous) != (number + 1, digest):
            yield _anchor_fault(found, AnchorFault.MISSING)
        number, digest = anchor.number, anchor.digest


def _late(tx: Transaction, now: datetime) -> Iterator[LogFault]:
    number = newest_number(tx)
    through_id = tx.orm.scalar(select(Anchor.through_id).where(Anchor.number == number)) or 0
    oldest = tx.orm.scalar(select(AuditEntry.at).where(AuditEntry.id > through_id).order_by(AuditEntry.id).limit(1))
    if oldest is not None and oldest < now - LONGEST_WAIT:
        yield _anchor_fault(number, AnchorFault.NONE_LATELY)


def _broken_copies(tx: Transaction, key: AnchorKey, folder: Path) -> Iterator[LogFault]:
    newest = newest_number(tx)
    try:
        for copy in copies_in(folder):
            stored = anchor_with(tx, copy.number)
            if not key.has_signed(copy):
                yield _anchor_fault(copy.number, AnchorFault.COPY_FORGED)
            elif copy.number > newest:
                yield _anchor_fault(copy.number, AnchorFault.OLDER_DATABASE)
            elif stored is not None and stored.statement != copy.statement:
                yield _anchor_fault(copy.number, AnchorFault.OTHER_DATABASE)
    except UnreadableCopy as error:
        number = Path(str(error)).stem
        yield _anchor_fault(int(number) if number.isdigit() else 0, AnchorFault.COPY_FORGED)


TABLES = ("audit_entries", "audit_anchors")
# As the migrations made them.
SQLITE = {
    f"{table}_no_{event}": f"CREATE TRIGGER {table}_no_{event} BEFORE {event} ON {table} "
    "BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END"
    for table in TABLES
    for event in ("UPDATE", "DELETE")
}
# For each row, before updates and deletes, always on, and what its function does.
POSTGRESQL = {f"{table}_append_only": "27 O BEGIN RAISE EXCEPTION 'the log is append-only'; END" for table in TABLES}

FOUND = {
    "sqlite": text("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name LIKE 'audit_%'"),
    "postgresql": text(
        "SELECT tgname, tgtype || ' ' || tgenabled::text || ' ' || trim(prosrc) FROM pg_trigger "
        "JOIN pg_proc ON pg_proc.oid = tgfoid JOIN pg_class ON pg_class.oid = tgrelid "
        "WHERE NOT tgisinternal AND relname LIKE 'audit_%' AND relnamespace = current_schema()::regnamespace"
    ),
}


def verify_log(
    database: Database, secrets: Secrets, now: datetime, copies: Sequence[Path], progress: Callable[[int], None]
) -> list[LogFault]:
    """What is wrong; nothing, if the log is whole. `copies` are folders with copies of anchors. Raises KeyDestroyed or
    Tampered if the log's key does not open."""
    with database.reading() as tx:
        broken = told_entries(tx, verify_all(tx, progress))
        key = AnchorKey(secrets)
        is_upgraded = any(fault.fault == NOT_VOUCHED_FOR for fault in broken)
        anchors = [] if is_upgraded else verify_anchors(tx, key, now)
        anchors += [fault for folder in copies for fault in verify_copies(tx, key, folder)]
        return [
            *broken,
            *anchors,
            *verify_guards(tx),
        ]


def told_entries(tx: Transaction, broken: Sequence[BrokenEntry]) -> list[LogFault]:
    """Each with what is wrong. Before the first anchor, all that have a hash without a key are one line that says what
    to do: the version that wrote them had none."""
    older = [] if newest_number(tx) else [entry for entry in broken if entry.fault is Fault.REHASHED]
    told = [LogFault(str(entry.record_id), str(entry.seq), entry.fault.value) for entry in broken if entry not in older]
    return [*told, LogFault("", f"{len(older)} entries", NOT_VOUCHED_FOR)] if older else told


def verify_guards(tx: Transaction) -> list[LogFault]:
    """Whoever took a trigger away had something in mind."""
    dialect = tx.dialect.name
    expected = SQLITE if dialect == "sqlite" else POSTGRESQL
    found = {row[0]: row[1] for row in tx.orm.execute(FOUND[dialect])}
    missing = [name for name, content in expected.items() if found.get(name) != content]
    return [
        *(LogFault("", name, GuardFault.MISSING.value) for name in missing),
        *(LogFault("", name, GuardFault.UNKNOWN.value) for name in found if name not in expected),
    ]
