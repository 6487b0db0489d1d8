"""Reads noted in a file reach the log as they were, in their order, or are refused."""

import resource
from pathlib import Path
from threading import Event, Thread

import pytest

from ficha.audit.log import entries_of
from ficha.audit.read_log import BATCH, ReadLog, ReadNotLogged
from ficha.core.db import Database
from tests.audit.conftest import NOW, files, logged, read
from tests.waiting import eventually


def test_a_read_is_logged_as_it_was_noted(database: Database, reads: ReadLog, folder: Path) -> None:
    reads.note(3, "account:9", "record.read", ["salud", "vivienda"], NOW, via="delegate", origin="2001:db8::1")
    assert reads.drain() == 1
    assert files(folder) == [] and reads.drain() == 0
    with database.reading() as tx:
        (entry,) = entries_of(tx, 3, limit=9)
        assert (entry.actor, entry.action, entry.via) == ("account:9", "record.read", "delegate")
        assert (entry.what, entry.at, entry.origin) == (["salud", "vivienda"], NOW, "2001:db8::1")


def test_many_reads_keep_their_order_in_each_record(database: Database, reads: ReadLog) -> None:
    for number in range(2 * BATCH + 7):
        read(reads, number % 6 + 1, f"{number:05d}")
    assert reads.drain() == 2 * BATCH + 7
    with database.reading() as tx:
        for record in range(1, 7):
            whats = [entry.what for entry in entries_of(tx, record, limit=9999)]
            assert whats == sorted(whats, reverse=True)
    assert len(logged(database)) == 2 * BATCH + 7


def test_it_drains_by_itself_and_a_stop_drains_the_rest(database: Database, reads: ReadLog, folder: Path) -> None:
    reads.start()
    read(reads, what="a")
    eventually(lambda: logged(database) == ["a"])
    assert reads.is_alive
    read(reads, what="b")
    reads.stop()
    assert not reads.is_alive and list(folder.iterdir()) == []
    assert logged(database) == ["a", "b"]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize(("writes_for", "seen"), [(0.05, ["a"]), (5, [])])
def test_who_looks_waits_a_moment_for_a_writer(
    database: Database, reads: ReadLog, writes_for: float, seen: list[str]
) -> None:
    read(reads, what="a")
    writes, looked = Event(), Event()

    def write() -> None:
        with database.writing() as tx:
            tx.connection()  # Which begins it.
            writes.set()
            looked.wait(writes_for)

    writer = Thread(target=write)
    writer.start()
    writes.wait()
    reads.drain_now()
    assert logged(database) == seen
    looked.set()
    writer.join()


def test_the_file_of_a_living_process_is_left_alone(database: Database, reads: ReadLog, folder: Path) -> None:
    other = ReadLog(folder, database)
    read(other)
    assert reads.drain() == 0 and len(files(folder)) == 1
    assert other.drain() == 1
    other.stop()


def test_a_read_that_cannot_be_written_to_a_file_is_refused(database: Database, folder: Path) -> None:
    folder.write_text("a file where the folder should be")
    reads = ReadLog(folder, database)
    reads.start()
    assert reads.can_note
    with pytest.raises(ReadNotLogged):
        read(reads)
    assert not reads.can_note
    folder.unlink()
    assert reads.can_note
    reads.stop()


def test_a_full_disk_refuses_the_read_and_spoils_no_other(database: Database, reads: ReadLog, folder: Path) -> None:
    read(reads, what="before")
    (file,) = files(folder)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (file.stat().st_size + 10, hard))
    try:
        for _ in range(2):  # The first is cut short, the second has no room at all.
            with pytest.raises(ReadNotLogged):
                read(reads, what="refused")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    read(reads, what="after")
    assert reads.drain() == 2
    assert logged(database) == ["before", "after"]


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("origin", ["a\tb", "a\nb", "a\0b"])
def test_what_would_break_a_line_is_a_mistake(reads: ReadLog, origin: str) -> None:
    with pytest.raises(ValueError, match="tab"):
        reads.note(1, "account:1", "record.read", [], NOW, via="owner", origin=origin)


def test_what_is_too_long_for_its_column_is_cut_and_not_refused_for_ever(database: Database, reads: ReadLog) -> None:
    reads.note(1, "a" * 99, "b" * 99, [], NOW, via="c" * 99, origin="d" * 99)
    assert reads.drain() == 1
    with database.reading() as tx:
        (entry,) = entries_of(tx, 1, limit=1)
    assert (entry.actor, entry.action, entry.via, entry.origin) == ("a" * 60, "b" * 40, "c" * 20, "d" * 60)
    assert logged(database) == []
