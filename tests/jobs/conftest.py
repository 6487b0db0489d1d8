"""Runners that poll often and are stopped after the test, on both databases."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ficha.core.db import Database
from ficha.jobs.kinds import Kind
from ficha.jobs.runner import Runner, start_runner
from tests.clock import MovableClock

Start = Callable[..., Runner]


@pytest.fixture
def start(database: Database) -> Iterator[Start]:
    runners: list[Runner] = []

    def start(*kinds: Kind, **options: Any) -> Runner:
        quick: dict[str, Any] = {"lease_seconds": 2, "poll_seconds": 0.1}
        runner = start_runner(database, kinds, **quick | options)
        runners.append(runner)
        return runner

    yield start
    for runner in runners:
        runner.stop(5)


@pytest.fixture
def clock(database: Database) -> MovableClock:
    """The database's clock, which stands still until the test moves it."""
    database.clock = clock = MovableClock()
    return clock
