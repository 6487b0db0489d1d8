"""Every command, as its own example says, while something is wrong with the database or the keys: one sentence that
names the cause, and never a traceback."""

import base64
import io
import json
import os
import re
import shlex
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest
import typer
from sqlalchemy import Engine, event, make_url
from sqlalchemy.exc import DBAPIError

from ficha.backup.making import make_backup
from ficha.cli.app import app, main
from ficha.cli.faults import fault_of
from ficha.cli.signals import EXIT_CODE, SENTENCE
from ficha.core.db import Base, Database
from ficha.core.key_sources import create_key_file
from tests.backup.conftest import silent
from tests.cli.test_manual import COMMANDS
from tests.databases import disconnect, held
from tests.ports import ReservedPort
from tests.processes import environment, ficha, python
from tests.world import World

# They go on until somebody stops them, and are processes of their own below; or would take most of the time here.
ELSEWHERE = {"serve", "worker", "sandbox", "openapi"}
WITHOUT_DATABASE = {"settings", "keys create", "error-page"}


MADE = typer.main.get_command(app)


class Ended(NamedTuple):
    exit_code: object
    said: str


class Operator:
    """Types each command's own example, in this process."""

    def __init__(self, world: World, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.url, self.data_dir = world.parts.settings.database, world.parts.settings.data_dir
        self._folder, self._patch = folder, monkeypatch
        make_backup(world.parts, folder / "backup.zip", silent)
        shutil.copy(folder / "backup.zip", folder / "alumnos.xlsx")
        world.parts.database.close()

    def types_all(self, capsys: pytest.CaptureFixture[str]) -> dict[str, Ended]:
        """The last is `restore`, which puts another database in the place of this one."""
        paths = sorted(COMMANDS.keys() - ELSEWHERE, key="restore".__eq__)
        return {path: self._types(self._example(path), capsys) for path in paths}

    def _example(self, path: str) -> list[str]:
        [said] = re.findall(r"Example: (.*)", COMMANDS[path].callback.__doc__ or "")
        words = shlex.split(said.partition(" >")[0])
        words = words[words.index("ficha") + 1 :]
        folder = str(self._folder)
        return [re.sub(r"^/mnt/.*\.zip$", f"{folder}/backup.zip", word).replace("/mnt", folder) for word in words]

    def _types(self, words: list[str], capsys: pytest.CaptureFixture[str]) -> Ended:
        with self._patch.context() as patch:
            for name, value in environment(self.url, self.data_dir).items():
                patch.setenv(name, value)
            patch.chdir(self._folder)
            patch.setattr(sys, "argv", ["ficha", *words])
            patch.setattr(sys, "stdin", io.StringIO("y\n" * 9))
            before = signal.getsignal(signal.SIGINT)
            try:
                main()
            except SystemExit as end:
                return Ended(end.code or 0, capsys.readouterr().err)
            except BaseException as error:
                return Ended(repr(error), "Traceback")
            finally:
                signal.signal(signal.SIGINT, before)
        return Ended(None, "")


@pytest.fixture
def operator(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Operator]:
    # Who waits for a lock gives up soon.
    monkeypatch.setattr("ficha.core.db.LOCK_WAIT_SECONDS", 0.05)
    monkeypatch.setattr("ficha.core.engines.LOCK_WAIT_SECONDS", 0.05)
    # Made of its functions once, and not for each command that is typed.
    monkeypatch.setattr("ficha.cli.app.app", MADE)
    opened: list[Any] = []

    def note(connection: Any, _record: object) -> None:
        opened.append(connection)

    if not world.parts.database.is_sqlite:
        disconnect(world.parts.settings.database)
    event.listen(Engine, "connect", note)
    yield Operator(world, tmp_path, monkeypatch)
    event.remove(Engine, "connect", note)
    for connection in opened:  # Some commands leave them to the end of their process.
        connection.close()


@contextmanager
def on_each_connection(pragma: str) -> Iterator[None]:
    def execute(connection: Any, _record: object) -> None:
        connection.execute(f"PRAGMA {pragma}")

    event.listen(Engine, "connect", execute)
    try:
        yield
    finally:
        event.remove(Engine, "connect", execute)


@contextmanager
def not_a_database(operator: Operator) -> Iterator[None]:
    Path(operator.url.removeprefix("sqlite:///")).write_text("Dear reader, this is a letter. " * 99)
    yield


@contextmanager
def full(operator: Operator) -> Iterator[None]:
    """With small pages, nearly every row needs a new one."""
    with closing(sqlite3.connect(operator.url.removeprefix("sqlite:///"), isolation_level=None)) as connection:
        connection.executescript("PRAGMA journal_mode=DELETE; PRAGMA page_size=512; VACUUM")
    with on_each_connection("max_page_count=1"):
        yield


@contextmanager
def read_only(operator: Operator) -> Iterator[None]:
    with on_each_connection("query_only=ON"):
        yield


@contextmanager
def locked(operator: Operator) -> Iterator[None]:
    with held(operator.url, ", ".join(Base.metadata.tables)):
        yield


@contextmanager
def keys_of_another(operator: Operator) -> Iterator[None]:
    operator.data_dir = operator.data_dir.with_name("another")
    create_key_file(operator.data_dir / "keys.json", made_for="development")
    yield


@contextmanager
def no_keys(operator: Operator) -> Iterator[None]:
    operator.data_dir = operator.data_dir.with_name("another")
    operator.data_dir.mkdir()
    (operator.data_dir / "keys.json").write_text('{"keys": ["a letter"]}')
    (operator.data_dir / "keys.json").chmod(0o600)
    yield


@contextmanager
def of_another_user(operator: Operator) -> Iterator[None]:
    """And root types, as after `sudo -i`."""
    other = 10_001 if os.geteuid() == 0 else os.geteuid()
    with pytest.MonkeyPatch.context() as patch:
        if os.geteuid() != 0:
            patch.setattr("os.geteuid", lambda: 0)
        else:
            os.chown(operator.data_dir, other, other)
        before = sorted(operator.data_dir.rglob("*"))
        yield
        assert sorted(operator.data_dir.rglob("*")) == before


@contextmanager
def down(operator: Operator) -> Iterator[None]:
    with ReservedPort() as port:
        operator.url = f"postgresql://ficha:secreta@127.0.0.1:{port}/ficha"
        yield


@contextmanager
def standby(operator: Operator) -> Iterator[None]:
    """A transaction there may not write, and cannot be told otherwise by a setting."""
    name = make_url(operator.url).database
    disconnect(operator.url)
    with psycopg.connect(operator.url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
        yield
        connection.execute(f'ALTER DATABASE "{name}" RESET default_transaction_read_only')


EVERY = COMMANDS.keys() - ELSEWHERE - WITHOUT_DATABASE
WRITING = {"admin create", "audit anchor", "codes create", "codes decoys", "institution create", "keys add-signing"}


class Cause(NamedTuple):
    comes_about: Callable[[Operator], AbstractContextManager[None]]
    database: str
    sentence: str
    # Those that can do nothing then.
    stops: AbstractSet[str]


CAUSES = [
    Cause(not_a_database, "sqlite", "ficha.db is damaged, or is no database", EVERY),
    Cause(full, "sqlite", "ficha.db is full", {"codes create", "codes decoys"}),
    Cause(read_only, "sqlite", "ficha.db is read-only", WRITING),
    Cause(locked, "sqlite", "ficha.db is locked", WRITING),
    Cause(locked, "postgresql", "is locked", WRITING),
    Cause(keys_of_another, "sqlite", "The database is under master key", WRITING),
    Cause(no_keys, "sqlite", "keys.json is not a key file", WRITING),
    Cause(of_another_user, "sqlite", "what root makes there, the service could not open", EVERY | {"keys create"}),
    Cause(down, "postgresql", "PostgreSQL does not answer at 127.0.0.1:", EVERY),
    Cause(standby, "postgresql", "is read-only", WRITING),
]


@pytest.mark.parametrize(
    ("cause", "database_url"),
    [pytest.param(one, one.database, id=f"{one.comes_about.__name__} {one.database}") for one in CAUSES],
    indirect=["database_url"],
)
def test_every_command_names_what_is_wrong(
    cause: Cause, operator: Operator, capsys: pytest.CaptureFixture[str]
) -> None:
    with cause.comes_about(operator):
        ended = operator.types_all(capsys)
    assert {path: end for path, end in ended.items() if end.exit_code not in (0, 1, 2)} == {}
    assert {path: end for path, end in ended.items() if "ficha migrate" in end.said} == {}
    told = {path for path, end in ended.items() if end.exit_code and cause.sentence in end.said.splitlines()[-1]}
    assert cause.stops - told == set()


def test_those_that_serve_name_what_is_wrong(tmp_path: Path) -> None:
    with ReservedPort() as port, ReservedPort() as free:
        env = environment(f"postgresql://ficha:secreta@127.0.0.1:{port}/ficha", tmp_path, FICHA_PORT=str(free))
        for words in (("serve", "--no-sandbox"), ("serve", "--no-sandbox", "--demo"), ("worker",)):
            ended = ficha(*words, env=env, check=False)
            assert ended.returncode == 1
            assert ended.stderr.splitlines() == [f"PostgreSQL does not answer at 127.0.0.1:{port}: Connection refused."]


@pytest.mark.slow
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_server_whose_processes_cannot_start_says_why_and_shows_no_traceback(world: World, tmp_path: Path) -> None:
    """The key file has another key by the name of the right one, which only who opens something with it can know."""
    settings, keys = world.parts.settings, json.loads(world.parts.settings.key_path.read_text())
    keys["keys"][0]["key"] = base64.b64encode(bytes(32)).decode()
    (tmp_path / "keys.json").write_text(json.dumps(keys))
    (tmp_path / "keys.json").chmod(0o600)
    with ReservedPort() as port:
        env = environment(settings.database, settings.data_dir, FICHA_PORT=str(port))
        env["FICHA_KEY_FILE"] = str(tmp_path / "keys.json")
        ended = ficha("serve", "--no-sandbox", env=env, check=False)
    assert ended.returncode == 1 and "Traceback" not in ended.stderr
    assert f"{tmp_path / 'keys.json'} does not have it, or another by that name. Bring the keys" in ended.stderr


INTERRUPTED_AT = """
import os, signal, sys
class Interrupting:
    def find_spec(self, name, *_):
        if name == "{name}":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
sys.argv = ["ficha", "migrate"]
from ficha.cli import main
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["typer", "ficha.cli.roster", "pydantic.warnings", "sqlalchemy", "ficha.migrations"])
def test_ctrl_c_while_a_command_is_loaded_is_a_sentence_too(tmp_path: Path, name: str) -> None:
    """The first half second of each, and more on a busy machine."""
    ended = python("-c", INTERRUPTED_AT.format(name=name), env=environment("", tmp_path))
    assert (ended.returncode, ended.stderr.strip()) == (EXIT_CODE, SENTENCE)


@pytest.mark.parametrize(
    ("name", "value"), [("FICHA_LIMIT_LOGIN", "often"), ("FICHA_LIMITS_URL", "memcached://x"), ("FICHA_PORT", "0")]
)
def test_a_server_says_which_setting_it_does_not_understand(tmp_path: Path, name: str, value: str) -> None:
    ended = ficha("serve", "--no-sandbox", env=environment("", tmp_path, **{name: value}), check=False)
    assert ended.returncode == 2 and ended.stderr.startswith(f"{name}: ") and len(ended.stderr.splitlines()) == 1


TOO_LARGE = str(2**63)
OUT_OF_RANGE = [
    ("jobs", "retry", TOO_LARGE),
    ("jobs", "discard", TOO_LARGE),
    ("audit", "verify", "--record", TOO_LARGE),
    ("audit", "verify", "--record", "0"),
    ("roster", "decide", TOO_LARGE, "--same", "--institution", "liceo"),
    ("keys", "drop", "--older-than", TOO_LARGE),
    ("sandbox", "--port", "99999"),
    ("serve", "--port", "99999"),
    ("serve", "--port", "0"),
]


@pytest.mark.parametrize("words", OUT_OF_RANGE, ids=" ".join)
def test_a_number_that_no_row_or_port_has_is_refused(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        MADE(words)
    told = " ".join(capsys.readouterr().err.replace("│", " ").split())
    assert ended.value.code == 2 and "than or equal to" in told


@pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)
def test_the_largest_number_is_only_not_there(world: World) -> None:
    env = environment(world.parts.settings.database, world.parts.settings.data_dir)
    for words in (("jobs", "retry"), ("jobs", "discard"), ("audit", "verify", "--record")):
        ended = ficha(*words, str(2**63 - 1), env=env, check=False)
        assert ended.returncode == 1 and "Traceback" not in ended.stderr and " no " in ended.stderr


def test_an_address_that_is_none_or_a_folder_is_a_sentence(tmp_path: Path) -> None:
    said = {
        "mysql://ficha@127.0.0.1/ficha": "FICHA_DATABASE_URL is not an address of SQLite or PostgreSQL.",
        f"sqlite:///{tmp_path}": f"The database {tmp_path} cannot be opened: look at its folder, and who may use it.",
    }
    for url, sentence in said.items():
        for words in (("migrate",), ("jobs", "list")):
            ended = ficha(*words, env=environment(url, tmp_path), check=False)
            assert ended.returncode in (1, 2) and ended.stderr.strip() == sentence


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_database_that_is_not_there_is_not_said_to_lack_a_migration(database_url: str, tmp_path: Path) -> None:
    nowhere = make_url(database_url).set(database="nowhere").render_as_string(hide_password=False)
    ended = ficha("jobs", "list", env=environment(nowhere, tmp_path), check=False)
    assert ended.returncode == 2
    assert ended.stderr.endswith(' refuses the connection: database "nowhere" does not exist.\n')


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("53100", "is full"),
        ("53300", "has no room for more work now: said by a test"),
        ("57P01", "PostgreSQL does not answer at"),
        ("40P01", "is locked"),
        ("42501", "This user may not do that"),
        ("XX001", "is damaged"),
        ("22012", None),
        ("23505", None),
    ],
)
def test_what_postgresql_says_is_a_sentence_unless_it_is_a_bug_of_ours(
    database: Database, monkeypatch: pytest.MonkeyPatch, code: str, sentence: str | None
) -> None:
    monkeypatch.setenv("FICHA_DATABASE_URL", database.url)
    with pytest.raises(DBAPIError) as raised, database.engine.connect() as connection:
        connection.exec_driver_sql(f"DO $$ BEGIN RAISE 'said by a test' USING ERRCODE = '{code}'; END $$")
    fault = fault_of(raised.value)
    assert (fault is None) if sentence is None else (fault is not None and sentence in fault.sentence)
