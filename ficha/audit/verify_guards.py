"""Checks the triggers that refuse changes of the log: whoever took them away had something in mind."""

from sqlalchemy import text

from ficha.audit.faults import BrokenGuard, GuardFault
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


def verify_guards(tx: Transaction) -> list[BrokenGuard]:
    dialect = tx.dialect.name
    expected = SQLITE if dialect == "sqlite" else POSTGRESQL
    found = {row[0]: row[1] for row in tx.orm.execute(FOUND[dialect])}
    missing = [name for name, content in expected.items() if found.get(name) != content]
    return [
        *(BrokenGuard(name, GuardFault.MISSING) for name in missing),
        *(BrokenGuard(name, GuardFault.UNKNOWN) for name in found if name not in expected),
    ]
