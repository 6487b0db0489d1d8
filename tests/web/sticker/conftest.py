"""A town with demo people."""

import pytest

from tests.processes import Server
from tests.web.sticker.family import Town


@pytest.fixture(scope="session")
def town(demo: Server) -> Town:
    return Town(demo)
