"""What only the tests of pages ask for."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.processes import Server
from tests.web.browsing import Visitor, address_of, demo_server, launched
from tests.world import PRODUCTION, World, build_world, settings_for

KEYS = {"master_keys": "k1:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="}


@pytest.fixture
def hidden(database_url: str, tmp_path: Path) -> Iterator[World]:
    """The service as it runs in production."""
    world = build_world(settings_for(database_url, tmp_path / "production", **PRODUCTION, **KEYS))
    yield world
    world.close()


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server with the demo people for everybody in this process: nobody changes them, nobody stops it.

    There is no such browser: Playwright's loop would stay behind in this thread, where other tests run their own.
    """
    with demo_server(tmp_path_factory.mktemp("demo")) as server:
        yield server


@pytest.fixture(scope="module")
def visits(demo: Server) -> Iterator[Visitor]:
    with launched() as browser:
        yield Visitor(browser, address_of(demo))


@pytest.fixture
def visitor(visits: Visitor) -> Iterator[Visitor]:
    """Somebody with a phone, who meets no fault of ours."""
    visits.faults.clear()
    yield visits
    assert visits.faults == []


@pytest.fixture(scope="module")
def one_service(sqlite_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """One service for all tests of a file, for pages that no request changes: they are made from the code and ask no
    database for anything. To render all operations again for each test took a second every time."""
    folder = tmp_path_factory.mktemp("service")
    shutil.copy(sqlite_file, folder / "ficha.db")
    world = build_world(settings_for(f"sqlite:///{folder / 'ficha.db'}", folder / "data"))
    yield world.client
    world.close()
