"""In which order files of tests are begun: at random, but so that no test process is idle before all are."""

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


def _has(tests: Tests, mark: str) -> bool:
    return any(item.get_closest_marker(mark) for item in tests)
