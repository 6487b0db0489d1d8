"""The service with a family in it, on both databases."""

from collections.abc import Iterator

import pytest

from tests.emergencies.house import House, opened_house
from tests.world import World


@pytest.fixture
def house(world: World) -> Iterator[House]:
    with opened_house(world) as house:
        yield house
