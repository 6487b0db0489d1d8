"""The log of a record cannot be changed by the service, nor by anybody without being found out."""

import hmac
import json
from datetime import UTC, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Update, delete, update
from sqlalchemy.exc import DBAPIError

from ficha.audit.chain import AuditEntry, ChainEnd, LoggedFact, entry_hash, link_after
from ficha.audit.log import Actor, entries_of, log_key, note, note_all
from ficha.audit.verify_entries import PAGE, BrokenEntry, Fault, count_entries, verify_all, verify_record
from ficha.core.db import Database
from tests.audit.tampering import tampering_with
from tests.clock import MovableClock


@pytest.fixture
def chain(database: Database) -> Database:
    clock = MovableClock()
    with database.writing() as tx:
        for action in ("record.created", "record.read", "record.changed", "record.read"):
            note(tx, 7, Actor("account", 1), action, ["salud"], clock.now(), via="owner", origin="127.0.0.1")
            clock.move(minutes=1)
        note(tx, 8, Actor("service"), "record.created", [], clock.now())
        note(tx, 6, Actor("service"), "record.created", [], clock.now(), uid="abc")
    return database


def broken(database: Database) -> list[BrokenEntry]:
    with database.reading() as tx:
        return verify_all(tx, lambda _: None)


def change(place: int, **values: object) -> Update:
    return update(AuditEntry).where(AuditEntry.record_id == 7, AuditEntry.seq == place).values(**values)


def test_an_untouched_log_is_whole(chain: Database) -> None:
    looked_at: list[int] = []
    with chain.reading() as tx:
        assert verify_all(tx, looked_at.append) == []
        assert verify_record(tx, 7) == []
        assert sum(looked_at) == count_entries(tx) == 6


@pytest.mark.parametrize("statement", [change(2, actor="account:99"), delete(AuditEntry)])
def test_the_service_itself_cannot_change_or_remove_an_entry(chain: Database, statement: Update) -> None:
    with pytest.raises(DBAPIError, match="append-only"), chain.writing() as tx:
        tx.orm.execute(statement)
    assert broken(chain) == []
    with chain.reading() as tx:
        assert count_entries(tx) == 6


@pytest.mark.parametrize(
    "values",
    [
        {"actor": "account:99"},
        {"via": "tag"},
        {"origin": "::1"},
        {"action": "record.changed"},
        {"what": []},
        {"at": MovableClock().now()},
        {"uid": "another"},
        {"hash": bytes(32)},
        {"previous": bytes(32)},
        {"record_id": 5},
    ],
    ids=lambda values: next(iter(values)),
)
def test_a_field_altered_by_hand_is_found_and_its_entry_named(chain: Database, values: dict[str, object]) -> None:
    with tampering_with(chain) as tx:
        tx.orm.execute(change(4, **values))
    assert broken(chain) == [BrokenEntry(int(str(values.get("record_id", 7))), 4, Fault.ALTERED)]


@pytest.mark.parametrize("garbage", ["at = 'infinity'", "what = '\"salud\"'"])
def test_an_entry_that_cannot_be_read_any_more_is_named_too(chain: Database, garbage: str) -> None:
    with tampering_with(chain) as tx:
        tx.connection().exec_driver_sql(f"UPDATE audit_entries SET {garbage} WHERE record_id = 7 AND seq = 2")
    assert broken(chain) == [BrokenEntry(7, 2, Fault.ALTERED)]


def test_a_removed_entry_is_missed_by_the_one_after_it(chain: Database) -> None:
    with tampering_with(chain) as tx:
        tx.orm.execute(delete(AuditEntry).where(AuditEntry.record_id == 7, AuditEntry.seq.in_((1, 3))))
    assert broken(chain) == [BrokenEntry(7, 2, Fault.MISSING), BrokenEntry(7, 4, Fault.MISSING)]


def test_entries_that_changed_places_are_both_named(chain: Database) -> None:
    with tampering_with(chain) as tx:
        for old, new in ((2, 99), (3, 2), (99, 3)):
            tx.orm.execute(change(old, seq=new))
    assert broken(chain) == [BrokenEntry(7, 2, Fault.REORDERED), BrokenEntry(7, 3, Fault.REORDERED)]


def test_an_entry_forged_with_a_matching_hash_is_found_by_the_next(chain: Database) -> None:
    with chain.reading() as tx:
        third, fourth = reversed(entries_of(tx, 7, limit=2))
    with tampering_with(chain) as tx:
        fact = LoggedFact(*(getattr(third, name) for name in LoggedFact._fields))
        forged = fact._replace(actor="account:99")
        link = link_after(forged, ChainEnd(2, third.previous), log_key(tx))
        tx.orm.execute(change(3, **forged._asdict(), **link._asdict()))
    assert broken(chain) == [BrokenEntry(7, fourth.seq, Fault.REPLACED)]


def test_one_record_is_looked_at_alone(chain: Database) -> None:
    with tampering_with(chain) as tx:
        tx.orm.execute(change(3, actor="account:99"))
    with chain.reading() as tx:
        assert verify_record(tx, 8) == []
        assert verify_record(tx, 7) == [BrokenEntry(7, 3, Fault.ALTERED)]


def test_a_long_log_is_looked_at_page_by_page(database: Database) -> None:
    now = MovableClock().now()
    with database.writing() as tx:
        note_all(tx, [LoggedFact(9, now, "account:1", "record.read", [], "", "", None)] * (PAGE + 10))
    pages: list[int] = []
    with database.reading() as tx:
        assert verify_all(tx, pages.append) == []
    assert pages == [PAGE, 10]


def test_the_owner_reads_it_newest_first(chain: Database) -> None:
    with chain.reading() as tx:
        newest = entries_of(tx, 7, limit=3)
        assert [entry.seq for entry in newest] == [4, 3, 2]
        assert [entry.seq for entry in entries_of(tx, 7, before_seq=2, limit=3)] == [1]


WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@given(
    st.builds(
        LoggedFact,
        record_id=st.integers(1, 2**63 - 1),
        at=st.datetimes(timezones=st.just(timezone(timedelta(hours=-4)))),
        actor=WORDS,
        action=WORDS,
        what=st.lists(WORDS, max_size=3),
        via=WORDS,
        origin=WORDS,
        uid=st.none() | WORDS,
    ),
    st.integers(1, 2**40),
)
def test_an_entry_is_hashed_for_ever_as_it_was_at_first(fact: LoggedFact, seq: int) -> None:
    """Written out with the standard library: were one byte different, no old entry would match any more."""
    at = fact.at.astimezone(UTC).isoformat()
    told = [fact.record_id, seq, at, fact.actor, fact.via, fact.origin, fact.action, fact.what, fact.uid]
    written = b"\1" * 32 + json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode()
    assert entry_hash(fact, seq, b"\1" * 32, b"key") == hmac.digest(b"key", written, "sha256")
