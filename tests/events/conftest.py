"""The fixture `server`: the service behind a real HTTP server, with short times."""

from collections.abc import Iterator

import pytest

from ficha.http.streams import StreamRules
from tests.events.stream_server import StreamServer, open_stream_server
from tests.world import World

RULES = StreamRules(beat_seconds=0.3, per_account=3, per_process=5)


@pytest.fixture
def server(world: World) -> Iterator[StreamServer]:
    with open_stream_server(world, RULES) as server:
        yield server
