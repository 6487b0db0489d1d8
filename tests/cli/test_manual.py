"""What holds for every command: it explains itself, prints JSON for scripts, and can be interrupted."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from sqlalchemy import text
from typer.testing import CliRunner

from ficha import __version__
from ficha.cli.app import GROUPS, app
from ficha.cli.signals import EXIT_CODE, SENTENCE
from ficha.core.db import Database
from tests.processes import environment, errors_of, ficha, start_ficha
from tests.waiting import eventually
from tests.world import World

# They print a sentence, or serve; `openapi` prints JSON and nothing else.
NO_DATA = {
    "serve",
    "worker",
    "migrate",
    "error-page",
    "sandbox",
    "openapi",
    "admin create",
    "codes decoys",
    "codes sheet",
    "codes confirm",
    "keys add-issuer",
    "keys withdraw-issuer",
    "codes ship",
    "codes void",
    "keys create",
    "keys announce",
    "keys withdraw",
    "keys rotate",
    "keys drop",
    "keys add-signing",
    "keys forget-signing",
    "roster decide",
    "jobs retry",
    "jobs discard",
}


def commands(group: typer.core.TyperGroup, above: str = "") -> Iterator[tuple[str, typer.core.TyperCommand]]:
    for name, command in group.commands.items():
        path = f"{above} {name}".strip()
        if isinstance(command, typer.core.TyperGroup):
            if command.invoke_without_command:
                yield path, command  # type: ignore[misc]
            yield from commands(command, path)
        else:
            yield path, command  # type: ignore[misc]


COMMANDS = dict(commands(typer.main.get_group(app)))


def test_the_manual_names_every_command_under_a_heading_in_one_line(tmp_path: Path) -> None:
    said = ficha("--help", env=environment("", tmp_path, COLUMNS="100")).stdout
    for title, members in GROUPS.items():
        assert title in said
        for name in members:
            assert sum(line.startswith(f"│ {name} ") for line in said.splitlines()) == 1, name
    assert all(word in said for word in ("First steps", "--json", "Ctrl-C", "130"))
    assert "│           " not in said.split("Run the service")[1], "a summary takes more than one line"


def test_the_version_is_told_without_a_database_or_settings_that_can_be_read(tmp_path: Path) -> None:
    said = ficha("--version", env=environment("", tmp_path, FICHA_PORT="none"))
    assert (said.stdout, said.returncode) == (f"ficha {__version__}\n", 0)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("path", COMMANDS)
def test_every_command_has_an_example_and_prints_json_where_it_prints_data(path: str) -> None:
    said = CliRunner().invoke(app, [*path.split(), "--help"]).stdout
    assert f"ficha {path}" in said and "Example:" in said
    has_json = any("--json" in option.opts for option in COMMANDS[path].params)
    assert has_json != (path in NO_DATA)


def test_data_is_json_for_scripts(world: World) -> None:
    env = environment(world.parts.settings.database, world.parts.settings.data_dir)
    codes = json.loads(ficha("codes", "create", "--count", "2", "--json", env=env).stdout)
    assert [one["code"] in one["link"] for one in codes] == [True, True]
    assert json.loads(ficha("jobs", "list", "--json", env=env).stdout)["dead"] == []
    assert json.loads(ficha("audit", "verify", "--json", env=env).stdout) == {"is_whole": True, "faults": []}


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_ctrl_c_is_one_sentence_and_exit_code_130(database: Database, database_url: str, tmp_path: Path) -> None:
    """`ficha migrate` waits for another that is at work; there it is interrupted."""
    waiting = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
    with database.engine.connect() as other, database.engine.connect() as looking:
        other.exec_driver_sql("SELECT pg_advisory_lock(7216001)")
        output = tmp_path / "output"
        process = start_ficha("migrate", env=environment(database_url, tmp_path), output=output)
        eventually(lambda: looking.execute(waiting).scalar_one() == 1)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGINT)
        process.join(60)
        other.exec_driver_sql("SELECT pg_advisory_unlock(7216001)")
    assert process.exitcode == EXIT_CODE
    said = errors_of(output).read_text()
    assert said.strip().endswith(SENTENCE) and "Traceback" not in said
