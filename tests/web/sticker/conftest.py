"""The demo people on the server that the browser tests share."""

import pytest

from tests.processes import Server
from tests.web.sticker.demo_people import DemoPeople


@pytest.fixture(scope="session")
def demo_people(demo: Server) -> DemoPeople:
    return DemoPeople(demo)
