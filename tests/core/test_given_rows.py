"""Rows that are one value: whatever is given is what is stored, in its order."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from ficha.audit.chain import AuditEntry
from ficha.core.db import Base
from ficha.core.given_rows import insert_given, rows_value
from tests.world import World

ENTRIES = Base.metadata.tables[AuditEntry.__tablename__]
COLUMNS = ("record_id", "at", "actor", "action", "what", "uid", "seq", "previous", "hash")
INSERT = insert_given(ENTRIES, COLUMNS)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# PostgreSQL keeps no NUL in text, and no half of a pair.
WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
BYTES = st.binary(min_size=32, max_size=32)
TIMES = st.integers(0, 4 * 10**15).map(lambda microseconds: EPOCH + timedelta(microseconds=microseconds))


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(st.lists(st.tuples(TIMES, WORDS, st.lists(WORDS, max_size=3), st.none() | WORDS, BYTES), max_size=5))
def test_rows_are_stored_as_they_were_given(
    world: World, said: list[tuple[datetime, str, list[str], str | None, bytes]]
) -> None:
    rows = [
        dict(
            zip(
                COLUMNS, (7, at, actor, "x", what, f"{n}{uid}"[:32] if uid else None, n, b"\0" * 32, hash_), strict=True
            )
        )
        for n, (at, actor, what, uid, hash_) in enumerate(said, start=1)
    ]
    with world.parts.database.transaction() as tx:
        if rows:
            tx.run(INSERT, rows=rows_value(rows))
        query = select(*(ENTRIES.c[name] for name in COLUMNS)).where(ENTRIES.c.record_id == 7).order_by(ENTRIES.c.id)
        assert [dict(row) for row in tx.orm.execute(query).mappings()] == rows
