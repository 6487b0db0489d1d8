"""What the tests of the sandbox's pages share."""

import pytest

from tests.world import World


@pytest.fixture
def world(world: World) -> World:
    """With its platform running: the pages ask it by its address."""
    assert world.platform.url
    return world
