"""What every test may ask for: a real database, a clock that can be moved, a client."""

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from starlette.testclient import TestClient

from ficha.accounts import login
from ficha.core.db import Database
from ficha.core.log import configure_logs
from tests.databases import (
    POSTGRES_15,
    database_with_log_key,
    empty,
    postgres_15,
    postgres_18,
    postgres_database,
    share_compiled_statements,
    sqlite_template,
)
from tests.emergencies.scenario import EmergencyScenario
from tests.first_root import FirstRoot
from tests.light_claves import LIGHT
from tests.world import Person, World, build_world, settings_for

DATABASE = f"ficha_test_{os.getpid()}"


def pytest_configure() -> None:
    share_compiled_statements()
    # How long an example takes says more of what else the machine does than of us.
    settings.register_profile("ficha", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("ficha")


@pytest.fixture(scope="session", autouse=True)
def logs(tmp_path_factory: pytest.TempPathFactory) -> None:
    configure_logs(settings_for("", tmp_path_factory.getbasetemp()))


@pytest.fixture(autouse=True)
def light_claves(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test marked `full_price` pays the price of the service."""
    if request.node.get_closest_marker("full_price") is None:
        monkeypatch.setattr(login, "_hasher", LIGHT)


@pytest.fixture(scope="session")
def sqlite_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sqlite_template(tmp_path_factory.mktemp("template"))


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A database on a server of this test process's own, unless TEST_DATABASE_URL names one."""
    with ExitStack() as stack:
        server = os.environ.get("TEST_DATABASE_URL") or stack.enter_context(postgres_18())
        yield stack.enter_context(postgres_database(server, DATABASE))


@pytest.fixture(scope="session")
def oldest_postgres_url() -> Iterator[str]:
    if not POSTGRES_15.exists():
        pytest.skip("PostgreSQL 15 is not installed: apt-get install postgresql-15")
    with postgres_15() as server, postgres_database(server, DATABASE) as url:
        yield url


@pytest.fixture
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty, migrated database."""
    if request.param == "sqlite":
        file = tmp_path / "ficha.db"
        shutil.copy(request.getfixturevalue("sqlite_file"), file)
        return f"sqlite:///{file}"
    url: str = request.getfixturevalue("postgres_url" if request.param == "postgresql" else "oldest_postgres_url")
    empty(url)
    return url


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = database_with_log_key(database_url)
    yield database
    database.close()


@pytest.fixture(scope="session")
def first_root(sqlite_file: Path, tmp_path_factory: pytest.TempPathFactory) -> FirstRoot:
    return FirstRoot(tmp_path_factory.mktemp("root"), sqlite_file)


@pytest.fixture
def world(database_url: str, first_root: FirstRoot, tmp_path: Path) -> Iterator[World]:
    """The whole service on a real, empty database."""
    first_root.put(database_url, tmp_path / "data")
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
