"""A runner that is quick to look and is stopped at the end, on both databases."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ficha.core.clock import SystemClock
from ficha.core.db import Database
from ficha.jobs.kinds import Kind
from ficha.jobs.runner import Runner, start_runner

Start = Callable[..., Runner]


@pytest.fixture
def start(database: Database) -> Iterator[Start]:
    runners: list[Runner] = []

    def start(*kinds: Kind, **options: Any) -> Runner:
        quick: dict[str, Any] = {"clock": SystemClock(), "lease_seconds": 2, "poll_seconds": 0.1}
        runner = start_runner(database, kinds, **quick | options)
        runners.append(runner)
        return runner

    yield start
    for runner in runners:
        runner.stop(5)
