"""Which tests are run, and in which order their files are begun: at random, but so that no test process is idle before
all are."""

from collections.abc import Iterable
from pathlib import Path

import pytest

Tests = list[pytest.Item]
# Files with fewer tests are quick, most of them: whoever begins one last is not waited for.
FEW = 20
# Those that wait for processes are all begun before this part of the others is.
SLOW_UNTIL = 0.7


def in_running_order(items: Iterable[pytest.Item]) -> Tests:
    """A file stays with one process, which starts its server once, and its browser for all files: so those with a
    browser are first. Tests that kill processes mostly wait for them, and are spread among those that compute."""
    files: dict[Path, Tests] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    browser: list[Tests] = []
    slow: list[Tests] = []
    many: list[Tests] = []
    few: list[Tests] = []
    for tests in files.values():
        if _has(tests, "browser"):
            browser.append(tests)
        elif _has(tests, "slow"):
            slow.append(tests)
        else:
            (few if len(tests) < FEW else many).append(tests)
    turns = [
        *((SLOW_UNTIL * place / len(slow), tests) for place, tests in enumerate(slow)),
        *((place / len(many), tests) for place, tests in enumerate(many)),
    ]
    spread = [tests for _, tests in sorted(turns, key=lambda turn: turn[0])]
    return [item for tests in (*browser, *spread, *few) for item in tests]


def without_repeated_cases(items: Tests) -> Tests:
    """All cases run on SQLite. Of a test marked `one_case_on_postgresql`, whose cases ask the same of the database, the
    first one runs on PostgreSQL too: the first of all its parameters, or of those that the mark names."""
    first: dict[tuple[object, ...], pytest.Item] = {}
    for item in sorted(items, key=lambda item: list(_case(item).values())):
        first.setdefault(_told_apart_by(item), item)
    kept = set(first.values())
    return [item for item in items if item in kept]


def _told_apart_by(item: pytest.Item) -> tuple[object, ...]:
    mark, case = item.get_closest_marker("one_case_on_postgresql"), _case(item)
    if mark is None or not item.get_closest_marker("postgresql"):
        return (item.nodeid,)
    others = [(name, number) for name, number in case.items() if mark.args and name not in mark.args]
    return (item.path, item.name.partition("[")[0], *sorted(others))


def _case(item: pytest.Item) -> dict[str, int]:
    """Which value each of its parameters has, by their numbers."""
    callspec = getattr(item, "callspec", None)
    return callspec.indices if callspec is not None else {}


def _has(tests: Tests, mark: str) -> bool:
    return any(item.get_closest_marker(mark) for item in tests)
