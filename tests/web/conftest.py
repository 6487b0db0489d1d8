"""What only the tests of pages ask for."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.world import PRODUCTION, World, build_world, settings_for

KEYS = {"master_keys": "k1:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="}


@pytest.fixture
def hidden(database_url: str, tmp_path: Path) -> Iterator[World]:
    """The service as it runs in production."""
    world = build_world(settings_for(database_url, tmp_path / "production", **PRODUCTION, **KEYS))
    yield world
    world.close()
