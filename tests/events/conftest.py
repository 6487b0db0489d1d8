"""A house with an open door for those who listen."""

from collections.abc import Iterator

import pytest

from ficha.http.streams import Rules
from tests.events.house import House, open_house
from tests.world import World

RULES = Rules(beat_seconds=0.3, per_account=3, per_process=5)


@pytest.fixture
def house(world: World) -> Iterator[House]:
    with open_house(world, RULES) as house:
        yield house
