"""A town with demo people, and somebody who passes by with a phone."""

from collections.abc import Iterator

import pytest

from tests.server.process import Server
from tests.web.browsing import Visitor, address_of, launched
from tests.web.emergency.family import Town


@pytest.fixture(scope="session")
def town(demo: Server) -> Town:
    return Town(demo)


@pytest.fixture(scope="module")
def visits(demo: Server) -> Iterator[Visitor]:
    with launched() as browser:
        yield Visitor(browser, address_of(demo))


@pytest.fixture
def visitor(visits: Visitor) -> Iterator[Visitor]:
    visits.faults.clear()
    yield visits
    assert visits.faults == []
