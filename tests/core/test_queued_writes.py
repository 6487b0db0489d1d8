"""Changes that wait become as few statements as do the same."""

from hypothesis import given
from hypothesis import strategies as st

from ficha.core.queued_writes import QueuedWrite, QueuedWrites

TABLES = st.sampled_from(["records", "entries", "events"])


def write(table: str | None, *reads: str) -> QueuedWrite:
    text = "SELECT call(%(at)s)" if table is None else f"UPDATE {table} SET at = %(at)s"
    mentions = frozenset(reads) | ({table} if table else set())
    return QueuedWrite(text, {"at": 1}, table, mentions)


def taken(*writes: QueuedWrite) -> list[str]:
    queued = QueuedWrites()
    for one in writes:
        queued.add(one)
    statements = queued.take()
    assert not queued and queued.take() == []
    for sql, values in statements:
        assert all(f"%({name})s" in sql for name in values) and sql.count("%(") == len(values)
    return [sql for sql, _ in statements]


def test_changes_of_several_tables_and_a_call_are_one_statement() -> None:
    assert taken(write("records"), write("events", "grants"), write(None)) == [
        "WITH part_0 AS (UPDATE records SET at = %(at_0)s), part_1 AS (UPDATE events SET at = %(at_1)s) "
        "SELECT call(%(at_2)s)"
    ]


def test_what_would_not_see_the_change_before_it_comes_after_it() -> None:
    assert len(taken(write("records"), write("records"))) == 2, "two changes of one table"
    assert len(taken(write("grants"), write("events", "grants"))) == 2, "the second reads what the first changes"
    assert len(taken(write(None), write("records"))) == 2, "a call in the middle would not be carried out"


@given(st.lists(st.one_of(st.none(), TABLES)))
def test_whatever_waits_is_sent_once_and_in_its_order(tables: list[str | None]) -> None:
    texts = " ".join(taken(*[write(table) for table in tables]))
    assert texts.count("%(at_") == len(tables)
    order = [None if part.startswith("SELECT call") else part.split()[1] for part in _parts(texts)]
    assert order == tables


def _parts(texts: str) -> list[str]:
    """Where each begins."""
    words = texts.replace("(", " ").split()
    starts = [place for place, word in enumerate(words) if word in ("UPDATE", "SELECT")]
    return [" ".join(words[place : place + 2]) for place in starts]
