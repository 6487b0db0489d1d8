"""A backup or a restore that ends half-way, at every step, by Ctrl-C or by `kill -9`, leaves nothing half."""

import json
import os
import signal
from functools import partial
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import pytest
from sqlalchemy import text

from ficha.backup.making import make_backup
from ficha.backup.restoring import RestoreChoices, restore
from ficha.cli.signals import EXIT_CODE, SENTENCE, Interrupted
from tests.backup.conftest import entries, leftovers, stop
from tests.processes import environment, errors_of, ficha, kill, start_ficha
from tests.waiting import eventually
from tests.world import World


class InterruptedAt:
    """Shows no progress, and interrupts at the step of this number."""

    def __init__(self, number: int) -> None:
        self._left = number

    def __call__(self, _what: str, _done: int, _total: int) -> None:
        self._left -= 1
        if self._left < 0:
            raise Interrupted


def test_an_interrupted_backup_leaves_no_file(served: World, tmp_path: Path) -> None:
    target = tmp_path / "backups" / "one.zip"
    for number in range(1000):
        try:
            make_backup(served.parts, target, InterruptedAt(number))
        except Interrupted:
            assert list(target.parent.iterdir()) == []
        else:
            break
    assert number > 3 and list(target.parent.iterdir()) == [target]


def test_an_interrupted_restore_changes_nothing(served: World, archive: Path, tmp_path: Path) -> None:
    first = entries(served)
    served.register()
    before = entries(served), served.rows()
    assert before[0] != first
    for number in (0, 1, 2, 3, 5, 10, 30, 35, 40, 45, 1000):
        stop(served)
        try:
            restore(served.parts.settings, archive, InterruptedAt(number), RestoreChoices(replace=True))
        except Interrupted:
            assert (entries(served), served.rows()) == before and leftovers(tmp_path) == []
        else:
            break
    assert number > 3
    assert len(entries(served)) == len(first) + 1, "as in the backup, with the read that waited"


# Where each is made to wait: a table that somebody else holds, or the migrations' own lock.
COPIED = "LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE"
MIGRATED = "SELECT pg_advisory_xact_lock(7216001)"
WAITING = text("SELECT count(*) FROM pg_locks WHERE NOT granted")


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize(
    ("words", "held"),
    [
        (("backup", "--to", "{made}"), COPIED),
        (("backup", "drill"), MIGRATED),
        (("restore", "{archive}", "--dry-run"), MIGRATED),
        (("keys", "rotate"), "LOCK TABLE secrets IN ACCESS EXCLUSIVE MODE"),
    ],
    ids=lambda one: " ".join(one[:2]) if isinstance(one, tuple) else "",
)
def test_ctrl_c_while_postgresql_works_is_a_sentence_and_leaves_nothing(
    served: World, archive: Path, tmp_path: Path, words: tuple[str, ...], held: str
) -> None:
    settings, output, made = served.parts.settings, tmp_path / "output", tmp_path / "made"
    made.mkdir()
    env = environment(settings.database, settings.data_dir)
    before = entries(served), served.rows()
    command = [word.format(made=made, archive=archive) for word in words]
    with served.parts.database.engine.connect() as holder, served.parts.database.engine.connect() as looking:
        holder.exec_driver_sql(held)
        process = start_ficha(*command, env=env, output=output)
        eventually(lambda: looking.execute(WAITING).scalar_one() == 1)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGINT)
        process.join(60)
        is_over = process.exitcode is not None
        kill(process)
        # The server has dropped what was under way too.
        eventually(lambda: looking.execute(WAITING).scalar_one() == 0)
        holder.rollback()
    said = errors_of(output).read_text()
    assert is_over and process.exitcode == EXIT_CODE, said
    assert said.strip().endswith(SENTENCE) and "Traceback" not in said
    assert list(made.iterdir()) == leftovers(tmp_path) == []
    assert (entries(served), served.rows()) == before
    ficha(*command, env=env)


@pytest.mark.slow
def test_a_killed_backup_or_restore_leaves_the_old_or_the_new_and_can_be_run_again(
    served: World, archive: Path, tmp_path: Path
) -> None:
    settings = served.parts.settings
    env = environment(settings.database, settings.data_dir)
    places = {"backup": tmp_path / "made", "restore": settings.data_dir}
    words = {"backup": ("backup", "--to", str(tmp_path / "made")), "restore": ("restore", str(archive), "--replace")}
    (tmp_path / "made").mkdir()
    old = len(entries(served))
    for name, command in words.items():
        for size in (0, 1):
            stop(served)
            process = start_ficha(*command, env=env, output=tmp_path / f"{name}{size}")
            eventually(partial(is_over_or_at_work, process, places[name], size))
            kill(process)
            assert all(made.suffix == ".zip" for made in places["backup"].iterdir() if not made.name.startswith("."))
            assert len(entries(served)) in (old, old + 1)
    stop(served)
    made = json.loads(ficha(*words["backup"], "--json", env=env).stdout)
    assert ficha("restore", made["file"], "--dry-run", env=env).returncode == 0
    ficha(*words["restore"], env=env)
    assert leftovers(tmp_path) == []
    assert len(entries(served)) == old + 1
    assert "whole" in ficha("audit", "verify", env=env).stderr


def is_over_or_at_work(process: ForkServerProcess, folder: Path, size: int) -> bool:
    """Some unfinished folder there has that many things in it."""
    return process.exitcode is not None or any(
        len(list(one.iterdir())) >= size for one in folder.glob(".ficha-unfinished-*")
    )
