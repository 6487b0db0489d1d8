"""Reads reach the log exactly once, whichever process dies, waits or drains at the same time."""

import random
import shutil
import time
from collections import Counter
from itertools import count
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ficha.audit.log import Actor, note
from ficha.audit.read_log import BATCH, ReadLog
from ficha.core.db import Database
from ficha.fmd.records import Record
from tests.audit.conftest import NOW, files, logged, read
from tests.audit.process import main as read_until_killed
from tests.databases import database_with_log_key, held, make_impatient
from tests.processes import kill, start
from tests.waiting import eventually


@pytest.mark.slow
def test_what_a_process_printed_is_in_the_log_once_though_it_was_killed(
    database: Database, database_url: str, reads: ReadLog, folder: Path, tmp_path: Path
) -> None:
    """Its own drain runs meanwhile: the end comes between any two steps of that, too."""
    printed: list[int] = []
    output = tmp_path / "printed"
    for first in (0, 1_000_000, 2_000_000):
        output.unlink(missing_ok=True)
        process = start(read_until_killed, database_url, folder, first, output)
        eventually(lambda: output.exists() and output.stat().st_size)
        time.sleep(random.uniform(0.0, 1.5))  # Any moment will do.
        kill(process)
        printed += [int(line) for line in output.read_text().splitlines(keepends=True) if line.endswith("\n")]
    eventually(lambda: (reads.drain(), not files(folder))[1])
    times = Counter(int(name) for name in logged(database))
    assert set(times.values()) == {1}
    assert set(printed) <= set(times)
    assert len(times) - len(printed) <= 3, "nothing but the read that each was killed in"


@pytest.mark.parametrize("cut", [1, 20, 60])
def test_a_torn_last_line_is_recognised(database: Database, reads: ReadLog, folder: Path, cut: int) -> None:
    read(reads, what="a")
    read(reads, what="b")
    (file,) = files(folder)
    torn = folder.with_name("torn")
    torn.write_bytes(file.read_bytes()[:-cut])
    reads.drain()
    torn.rename(folder / "0-dead.reads")
    assert reads.drain() == 0
    assert logged(database) == ["a", "b"] and files(folder) == []


def test_a_crash_between_commit_and_removal_doubles_nothing(database: Database, reads: ReadLog, folder: Path) -> None:
    for number in range(BATCH + 3):
        read(reads, number % 6 + 1, str(number))
    (file,) = files(folder)
    shutil.copy(file, folder.with_name("copy"))
    reads.drain()
    folder.with_name("copy").rename(file)
    read(reads, what="later")
    assert reads.drain() == 1
    assert len(logged(database)) == len(set(logged(database))) == BATCH + 4
    assert files(folder) == []


def test_a_crash_half_way_through_a_file_goes_on_from_there(database: Database, reads: ReadLog, folder: Path) -> None:
    batches = count()

    def fail_at_second(*_: object) -> None:
        if next(batches) == 1:
            raise TimeoutError

    failing = ReadLog(folder, database, on_logged=fail_at_second)
    for number in range(2 * BATCH):
        read(failing, number % 6 + 1, str(number))
    assert failing.drain() == BATCH
    assert reads.drain() == BATCH
    assert sorted(map(int, logged(database))) == list(range(2 * BATCH))


def test_two_drain_the_same_record_at_once(database: Database, database_url: str, reads: ReadLog, folder: Path) -> None:
    """Each has a database of its own, as two processes have."""
    second = database_with_log_key(database_url)
    others = [reads, ReadLog(folder, second)]

    def work(which: int) -> None:
        for number in range(40):
            for record in (1, 2, 6):
                read(others[which], record, f"{which}-{record}-{number}")
            if number % 3 == 0:
                others[which].drain()

    threads = [Thread(target=work, args=(which,)) for which in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for log in others:
        log.stop()
    second.close()
    eventually(lambda: (reads.drain(), not files(folder))[1])
    names = logged(database)
    assert len(names) == len(set(names)) == 240


def test_nothing_waits_and_nothing_is_lost_while_another_holds_the_database(
    database_url: str, reads: ReadLog, folder: Path
) -> None:
    impatient = database_with_log_key(database_url)
    make_impatient(impatient)
    log = ReadLog(folder, impatient)
    with held(database_url, "audit_entries"):
        for number in range(3):
            read(log, what=str(number))
            assert log.drain() == 0
        assert len(files(folder)) == 3
    assert log.drain() == 3
    assert logged(impatient) == ["0", "1", "2"]
    impatient.close()


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)  # SQLite has one lock for all records.
def test_a_record_that_somebody_is_changing_waits_and_the_others_do_not(
    database: Database, reads: ReadLog, folder: Path
) -> None:
    with database.writing() as tx:
        tx.orm.get(Record, 1, with_for_update=True)
        for number in range(BATCH):
            read(reads, number % 2 + 1, str(number))
        assert reads.drain() == BATCH / 2
        read(reads, 1, "last")
        assert reads.drain() == 0
        note(tx, 1, Actor("account", 1), "record.changed", ["changed"], NOW)
    assert reads.drain() == BATCH / 2 + 1
    assert logged(database)[: BATCH // 2 + 2] == ["changed", *(str(number) for number in range(0, BATCH, 2)), "last"]


_numbers = count(1000, 10)
steps = st.lists(
    st.tuples(
        st.sampled_from(["in a transaction", "through a file", "through another's file", "drain", "drain another's"])
    )
    | st.tuples(st.sampled_from(["in a transaction", "through a file"]), st.integers(0, 2)),
    max_size=25,
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=steps)
def test_any_mixture_of_the_two_ways_gives_a_whole_chain(
    database: Database, reads: ReadLog, folder: Path, steps: list[tuple[str] | tuple[str, int]]
) -> None:
    first = next(_numbers)
    other = ReadLog(folder, database)
    expected: list[str] = []
    for number, (step, *record) in enumerate(steps):
        record_id, name = first + int(record[0] if record else 0), f"{first}-{number}"
        if step == "in a transaction":
            with database.writing() as tx:
                note(tx, record_id, Actor("account", 1), "record.changed", [name], NOW)
        elif step.endswith("file"):
            read(reads if step == "through a file" else other, record_id, name)
        else:
            (reads if step == "drain" else other).drain()
            continue
        expected.append(name)
    other.stop()
    reads.drain()
    assert sorted(name for name in logged(database) if name.startswith(f"{first}-")) == sorted(expected)
