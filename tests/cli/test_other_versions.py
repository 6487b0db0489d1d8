"""A database that a newer Ficha has migrated: the version before goes on with it, also when it is started again."""

from collections.abc import Iterator

import pytest
from sqlalchemy import text

from ficha.core.schema_version import SchemaState, newest_schema_version, schema_state
from tests.processes import Server, environment, ficha
from tests.world import World, registration

SET_VERSION = text("UPDATE alembic_version SET version_num = :version")


@pytest.fixture
def newer(world: World) -> Iterator[World]:
    """Its last migration is one that nobody here knows."""
    with world.parts.database.writing() as tx:
        tx.orm.execute(SET_VERSION, {"version": "20991231_01"})
    yield world
    with world.parts.database.writing() as tx:
        tx.orm.execute(SET_VERSION, {"version": newest_schema_version()})


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
