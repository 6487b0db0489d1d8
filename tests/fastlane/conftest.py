"""A lane on each database."""

import pytest

from tests.fastlane.lane import Lane
from tests.world import World


@pytest.fixture
def lane(world: World) -> Lane:
    return Lane(world)
