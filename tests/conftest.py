"""What every test may ask for: a real database, a clock that can be moved, a client."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from starlette.testclient import TestClient

from ficha.accounts import clave
from ficha.core.db import Database
from ficha.core.log import configure_logs
from tests.databases import POSTGRES_VARIABLE, PostgresServer, compile_once, empty, postgres_database, sqlite_template
from tests.emergencies.scenario import EmergencyScenario
from tests.world import Person, World, build_world, settings_for

# Begun first, or one test process would be at them when the others have nothing left to do.
LONGEST = (
    "emergencies/test_kills",
    "house/test_any_input",
    "server/test_serve",
    "house/test_doors",
    "messaging/test_sending_under_failures",
    "web/test_browser",
    "web/responder/test_browser",
    "jobs/test_processes",
    "web/emergency/test_browser",
    "cli/test_commands",
    "web/test_sandbox_browser",
)
LIGHT = PasswordHasher(time_cost=1, memory_cost=2_048, parallelism=1)
SERVER = pytest.StashKey[PostgresServer]()


def pytest_configure(config: pytest.Config) -> None:
    """One PostgreSQL for the whole run, started by the process that starts the others."""
    compile_once()
    if not hasattr(config, "workerinput") and POSTGRES_VARIABLE not in os.environ:
        server = PostgresServer()
        config.stash[SERVER] = server
        os.environ[POSTGRES_VARIABLE] = server.url


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In random order otherwise. A file stays with one process, which starts its browser or server once."""

    def place(item: pytest.Item) -> int:
        name = item.nodeid.removeprefix("tests/")
        return next((number for number, long in enumerate(LONGEST) if name.startswith(long)), len(LONGEST))

    items.sort(key=place)
    for item in items:
        if not item.nodeid.endswith(item.name):  # Schemathesis names its tests, and pytest calls them all the same.
            item._id = item.id.with_params(item.name.partition("[")[2].removesuffix("]"))
    assert len({item.nodeid for item in items}) == len(items), "of those with one name, only one would be run"


def pytest_unconfigure(config: pytest.Config) -> None:
    if SERVER in config.stash:
        config.stash[SERVER].stop()
        os.environ.pop(POSTGRES_VARIABLE, None)


@pytest.fixture(scope="session", autouse=True)
def logs(tmp_path_factory: pytest.TempPathFactory) -> None:
    configure_logs(settings_for("", tmp_path_factory.getbasetemp()))


@pytest.fixture(autouse=True)
def light_claves(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Argon2id at a tenth of its price: the tests register thousands of people. A test marked
    `full_price` pays all of it."""
    if request.node.get_closest_marker("full_price") is None:
        monkeypatch.setattr(clave, "_hasher", LIGHT)


@pytest.fixture(scope="session")
def sqlite_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sqlite_template(tmp_path_factory.mktemp("template"))


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    with postgres_database(f"ficha_test_{worker}_{os.getpid()}") as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty, migrated database. Whatever uses it is tested on both."""
    if request.param == "sqlite":
        file = tmp_path / "ficha.db"
        shutil.copy(request.getfixturevalue("sqlite_file"), file)
        return f"sqlite:///{file}"
    url: str = request.getfixturevalue("postgres_url")
    database = Database(url)
    empty(database)
    database.close()
    return url


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = Database(database_url)
    yield database
    database.close()


@pytest.fixture
def world(database_url: str, tmp_path: Path) -> Iterator[World]:
    """The whole service on a real, empty database."""
    world = build_world(settings_for(database_url, tmp_path / "data"))
    yield world
    world.close()


@pytest.fixture
def client(world: World) -> TestClient:
    return world.client


@pytest.fixture
def ana(world: World) -> Person:
    return world.register(nombre="Ana Pérez")


@pytest.fixture
def scenario(world: World) -> EmergencyScenario:
    world.listen()
    return EmergencyScenario(world)
