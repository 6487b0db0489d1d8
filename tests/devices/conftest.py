"""The service, and a push service of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.channels.push_service import PushService, push_service
from tests.world import World, build_world, settings_for


@pytest.fixture
def push() -> Iterator[PushService]:
    with push_service() as service:
        yield service


@pytest.fixture
def world(database_url: str, tmp_path: Path, push: PushService) -> Iterator[World]:
    world = build_world(settings_for(database_url, tmp_path / "data", push_hosts=(push.host,)))
    yield world
    world.close()
