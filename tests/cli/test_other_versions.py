"""A database of another version: with that of a newer one the version before goes on, also when it is started again,
and that of an older one can be backed up before it is migrated."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text

from ficha.core.crypto import Keyring, new_key
from ficha.core.db import Database
from ficha.core.postgres_address import driver_url
from ficha.core.schema_version import SchemaState, schema_state
from ficha.core.secrets import ROOT, ROOT_BOUND_TO
from ficha.migrations import migrate
from tests.processes import Server, environment, ficha
from tests.world import World, registration

# The last migrations of 1.0.0 and of 2.0.0.
OLDER = ("20261118_20", "20261118_51")

ADD_SECRET = text(
    "INSERT INTO secrets (name, created_at, key_id, wrapped_key) VALUES (:name, CURRENT_TIMESTAMP, :key_id, :sealed)"
)
READ_VERSION = text("SELECT version_num FROM alembic_version")
SET_VERSION = text("UPDATE alembic_version SET version_num = :version")


@pytest.fixture
def newer(world: World) -> Iterator[World]:
    """Its last migration is one that nobody here knows."""
    with world.parts.database.writing() as tx:
        newest = tx.orm.scalar(READ_VERSION)
        tx.orm.execute(SET_VERSION, {"version": "20991231_01"})
    yield world
    with world.parts.database.writing() as tx:
        tx.orm.execute(SET_VERSION, {"version": newest})


def test_commands_go_on_with_a_newer_database_and_say_so(newer: World) -> None:
    settings = newer.parts.settings
    env = environment(settings.database, settings.data_dir)
    assert schema_state(settings.database) is SchemaState.NEWER
    for words in (("jobs", "list"), ("audit", "verify")):
        [warning] = ficha(*words, env=env).stderr.splitlines()[:1]
        assert "migrated by a newer Ficha" in warning


def test_migrating_a_newer_database_is_a_sentence(newer: World) -> None:
    settings = newer.parts.settings
    ended = ficha("migrate", env=environment(settings.database, settings.data_dir), check=False)
    assert ended.returncode == 2 and "Traceback" not in ended.stderr
    assert "The database was migrated by a newer Ficha" in ended.stderr


@pytest.mark.slow
@pytest.mark.parametrize("words", [(), ("--demo",)])
def test_a_server_of_the_version_before_is_started_again(newer: World, words: tuple[str, ...]) -> None:
    """As after a power cut between `ficha migrate` of the new version and its servers. With the demo people, a process
    of its own looks at the database first."""
    settings, platform = newer.parts.settings, "http://127.0.0.1:9"
    with Server(settings.database, settings.data_dir, *words, FICHA_WHATSAPP_BASE_URL=platform) as server:
        assert server.post("/v2/auth/register", registration()).status_code == 201
        assert server.log.count("migrated by a newer Ficha") == 1


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database in which no migration was run."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/ficha.db"
        return
    server, name = make_url(driver_url(request.getfixturevalue("postgres_url"))), f"ficha_before_{os.getpid()}"
    admin = create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
        yield server.set(drivername="postgresql", database=name).render_as_string(hide_password=False)
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()


@pytest.mark.parametrize("version", OLDER)
def test_a_database_is_backed_up_before_it_is_migrated(empty_url: str, tmp_path: Path, version: str) -> None:
    env, file = environment(empty_url, tmp_path / "data"), tmp_path / "before.zip"
    make_service(empty_url, tmp_path / "data", version)
    ficha("backup", "--to", str(file), env=env)
    ficha("backup", "drill", env=env)
    refused = ficha("jobs", "list", env=env, check=False)
    assert refused.returncode == 2 and "ficha migrate" in refused.stderr
    ficha("migrate", env=env)
    assert schema_state(empty_url) is SchemaState.CURRENT
    tried = json.loads(ficha("restore", str(file), "--dry-run", "--json", env=env).stdout)
    assert not tried["faults"]
    if empty_url.startswith("sqlite"):  # On PostgreSQL it needs an empty database.
        ficha("restore", str(file), "--replace", env=env)
        assert schema_state(empty_url) is SchemaState.CURRENT


def test_what_an_older_version_backs_up_of_a_newer_database_is_not_restored_by_it(newer: World, tmp_path: Path) -> None:
    settings, file = newer.parts.settings, tmp_path / "newer.zip"
    env = environment(settings.database, settings.data_dir)
    ficha("backup", "--to", str(file), env=env)
    refused = ficha("restore", str(file), "--dry-run", env=env, check=False)
    assert refused.returncode == 1 and "a newer Ficha had migrated" in refused.stderr


def make_service(url: str, data_dir: Path, version: str) -> None:
    """Of that version, with its keys."""
    data_dir.mkdir(mode=0o700)
    keyring, database = Keyring.from_file(data_dir / "keys.json"), Database(url)
    migrate(database, version)
    key_id, sealed = keyring.wrap(new_key(), ROOT_BOUND_TO)
    with database.writing() as tx:
        tx.orm.execute(ADD_SECRET, {"name": ROOT, "key_id": key_id, "sealed": sealed})
    database.close()
