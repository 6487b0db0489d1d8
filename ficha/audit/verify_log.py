"""The whole log at once: every entry, what anchors and their copies know of it, and the triggers that guard it."""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import text

from ficha.audit.anchors import AnchorKey
from ficha.audit.faults import BrokenGuard, GuardFault
from ficha.audit.verify import verify_all
from ficha.audit.verify_anchors import verify_anchors, verify_copies
from ficha.core.db import Database
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction

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


class LogFault(NamedTuple):
    record: str
    entry: str
    fault: str


def verify_log(
    database: Database, secrets: Secrets, now: datetime, copies: Sequence[Path], progress: Callable[[int], None]
) -> list[LogFault]:
    """What is wrong; nothing, if the log is whole. `copies` are places with copies of anchors. Raises KeyDestroyed or
    Tampered if the log's key does not open."""
    with database.reading() as tx:
        broken = verify_all(tx, progress)
        key = AnchorKey(secrets)
        anchors = verify_anchors(tx, key, now)
        anchors += [fault for place in copies for fault in verify_copies(tx, key, place)]
        return [
            *(LogFault(str(entry.record_id), str(entry.seq), entry.fault.value) for entry in broken),
            *(LogFault("", f"anchor {anchor.number}", anchor.fault.value) for anchor in anchors),
            *(LogFault("", guard.trigger, guard.fault.value) for guard in verify_guards(tx)),
        ]


def verify_guards(tx: Transaction) -> list[BrokenGuard]:
    """Whoever took a trigger away had something in mind."""
    dialect = tx.dialect.name
    expected = SQLITE if dialect == "sqlite" else POSTGRESQL
    found = {row[0]: row[1] for row in tx.orm.execute(FOUND[dialect])}
    missing = [name for name, content in expected.items() if found.get(name) != content]
    return [
        *(BrokenGuard(name, GuardFault.MISSING) for name in missing),
        *(BrokenGuard(name, GuardFault.UNKNOWN) for name in found if name not in expected),
    ]
