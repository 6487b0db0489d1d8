"""On which databases tests run, in which order, and when rubbish is looked for. What they ask for is in fixtures.py."""

import gc
import os

import pytest

from tests import temporary_files
from tests.running_order import in_running_order, without_repeated_cases

IS_STORM = "FICHA_STORM" in os.environ
COLLECT_EVERY = 60
# Objects, and younger collections. By itself Python looks after 700, which is several times in each request.
COLLECT_AFTER = (10_000, 20, 100)
FINISHED = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # Until all is collected: nearly nothing of it is rubbish.
    temporary_files.keep_in_memory()
    # The process that hands tests out runs none, and need not load the service: two seconds that the others wait for.
    hands_out_tests = config.getoption("numprocesses", None) and not hasattr(config, "workerinput")
    if not hands_out_tests:
        config.pluginmanager.import_plugin("tests.fixtures")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Whatever uses a database is tested on SQLite and PostgreSQL, and where it is marked so, in a storm on the oldest
    PostgreSQL as well (`make oldest`). A test that says itself on which it runs is left alone."""
    markers = list(metafunc.definition.iter_markers())
    is_said = any(mark.name == "parametrize" and "database_url" in str(mark.args[0]) for mark in markers)
    if "database_url" not in metafunc.fixturenames or is_said:
        return
    is_oldest = IS_STORM and any(mark.name == "oldest_postgresql" for mark in markers)
    oldest = ["postgresql15"] if is_oldest else []
    metafunc.parametrize("database_url", ["sqlite", "postgresql", *oldest], indirect=True)


def pytest_itemcollected(item: pytest.Item) -> None:
    """So that they can be left out: `-m "not postgresql"`."""
    fixtures = getattr(item, "fixturenames", ())
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    if "postgres_url" in fixtures or str(parameters.get("database_url")).startswith("postgresql"):
        item.add_marker("postgresql")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = in_running_order(items if IS_STORM else without_repeated_cases(items))
    assert len({item.nodeid for item in items}) == len(items), "of those with one name, only one would be run"


def pytest_collection_finish() -> None:
    """What was imported and collected stays. Python looks for rubbish seldom where much is alive, and each test leaves
    an application and clients that hold each other: test processes grew to more than a gigabyte."""
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)
    gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """What outlives a file stays as well: looked through again each time, it cost a tenth of all the time."""
    finished = item.config.stash.get(FINISHED, 0) + 1
    item.config.stash[FINISHED] = finished
    is_end_of_file = nextitem is None or nextitem.path != item.path
    if finished % COLLECT_EVERY == 0 or is_end_of_file:
        gc.collect()
    if is_end_of_file:
        gc.freeze()
