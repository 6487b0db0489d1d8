"""What only the tests of pages ask for."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from tests.processes import Server
from tests.web.browsing import SharedBrowser, Visitor, address_of, demo_server
from tests.web.sticker.demo_people import DemoPeople
from tests.world import PRODUCTION, World, build_world, settings_for

if TYPE_CHECKING:
    from playwright.sync_api import Browser

shared_browser = SharedBrowser()
KEYS = {"master_keys": "k1:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="}


@pytest.fixture
def hidden(database_url: str, tmp_path: Path) -> Iterator[World]:
    """The service as it runs in production."""
    world = build_world(settings_for(database_url, tmp_path / "production", **PRODUCTION, **KEYS))
    yield world
    world.close()


@pytest.fixture(scope="session")
def demo(sqlite_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server with the demo people for everybody in this process: nobody changes them, nobody stops it."""
    with demo_server(tmp_path_factory.mktemp("demo"), sqlite_file) as server:
        yield server


@pytest.fixture(scope="session")
def demo_people(demo: Server) -> DemoPeople:
    """The demo people on that server, and stickers printed there."""
    return DemoPeople(demo)


@pytest.fixture(scope="module")
def browser() -> "Browser":
    """One for all files of this process."""
    return shared_browser.get()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    if nextitem is None or nextitem.get_closest_marker("browser") is None:
        shared_browser.close()


@pytest.fixture(scope="module")
def visits(demo: Server, browser: "Browser") -> Visitor:
    return Visitor(browser, address_of(demo))


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
