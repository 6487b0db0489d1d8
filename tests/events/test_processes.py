"""The stream of real server processes: several at once, stopped, killed."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

from ficha.core.clock import SystemClock
from ficha.core.db import Database
from ficha.events.publish import publish
from tests.events.listener import Listener
from tests.processes import Server
from tests.waiting import eventually
from tests.world import registration

pytestmark = pytest.mark.slow

# An event that arrives later than this was not delivered as it happened.
PROMPT_SECONDS = 1.0


class Publisher:
    """Publishes outside the server's process, as a worker does."""

    def __init__(self, url: str) -> None:
        self._database = Database(url)
        self.count = 0

    def publish(self, account_id: int, *, keep: bool = True) -> float:
        """Returns the moment of the commit."""
        tx = self._database.transaction()
        try:
            number = self.count if keep else -1
            publish(tx, "message.state", {"n": number}, SystemClock().now(), accounts=[account_id])
            if keep:
                tx.commit()
                self.count += 1
            else:
                tx.rollback()
        finally:
            tx.rollback()
        return time.monotonic()

    def close(self) -> None:
        self._database.close()


@pytest.fixture
def publisher(database_url: str) -> Iterator[Publisher]:
    publisher = Publisher(database_url)
    yield publisher
    publisher.close()


def register(server: Server) -> tuple[int, str]:
    data = server.post("/v2/auth/register", registration()).json()["data"]
    return data["id"], data["attributes"]["token"]


def test_what_is_committed_arrives_at_once_and_what_is_rolled_back_never(
    database_url: str, tmp_path: Path, publisher: Publisher
) -> None:
    with Server(database_url, tmp_path / "data") as server:
        ana, token = register(server)
        luis, other_token = register(server)
        with Listener(server.port, token) as hers, Listener(server.port, other_token) as his:
            lags = []
            for number in range(5):
                publisher.publish(ana, keep=False)
                committed = publisher.publish(ana)
                lags.append(hers.wait_for_events(number + 1)[-1].at - committed)
            assert median(lags) < PROMPT_SECONDS
            publisher.publish(luis)
            his.wait_for_events(1)
            assert hers.numbers == [0, 1, 2, 3, 4] and his.numbers == [5]


def test_who_goes_from_one_process_to_another_gets_each_event_once(
    database_url: str, tmp_path: Path, publisher: Publisher
) -> None:
    data = tmp_path / "data"
    with Server(database_url, data) as one, Server(database_url, data) as other:
        ana, token = register(one)
        got: list[int] = []
        listener = Listener(one.port, token)
        over = threading.Event()

        def publish_until_over() -> None:
            while not over.is_set():
                publisher.publish(ana)
                time.sleep(0.005)

        writing = threading.Thread(target=publish_until_over)
        writing.start()
        for round_ in range(10):
            listener.wait_for_events(15)
            listener.close()
            got += listener.numbers
            listener = Listener((one, other)[round_ % 2].port, token, listener.last_id)
        over.set()
        writing.join()
        # On a busy machine nothing may have been published since: then this one has nothing left to hear.
        listener.wait_until(lambda: [*got, *listener.numbers][-1] == publisher.count - 1)
        got += listener.numbers
        assert got == list(range(publisher.count))
        listener.close()


def test_a_killed_process_costs_no_event(database_url: str, tmp_path: Path, publisher: Publisher) -> None:
    data = tmp_path / "data"
    first = Server(database_url, data)
    ana, token = register(first)
    listener = Listener(first.port, token)
    publisher.publish(ana)
    listener.wait_for_events(1)
    first.kill()
    listener.wait_until(lambda: listener.is_over)
    listener.close()
    publisher.publish(ana)
    with Server(database_url, data) as second, Listener(second.port, token, listener.last_id) as again:
        publisher.publish(ana)
        again.wait_for_events(2)
        assert listener.numbers + again.numbers == [0, 1, 2]


def test_open_streams_do_not_delay_a_stop(database_url: str, tmp_path: Path, publisher: Publisher) -> None:
    server = Server(database_url, tmp_path / "data", FICHA_WORKERS="2")
    ana, token = register(server)
    listeners = [Listener(server.port, token) for _ in range(6)]
    publisher.publish(ana)
    for listener in listeners:
        listener.wait_for_events(1)
    eventually(lambda: server.log.count("server.started") == 2)  # One that still starts just ends, and says nothing.
    began = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - began < 25  # The server would wait for thirty, and kill its processes then.
    for listener in listeners:
        listener.wait_until(lambda listener=listener: listener.is_over)  # type: ignore[misc]
        assert listener.kinds() == ["message.state"]
        listener.close()
    # Each process went to its end. The server's own word "Killing" is no sign: two of its threads wait for the same
    # process, and the one that comes second takes it for alive.
    assert server.log.count("server.stopped") == 2


def test_a_token_revoked_elsewhere_ends_its_stream_at_the_next_beat(
    database_url: str, tmp_path: Path, publisher: Publisher
) -> None:
    data = tmp_path / "data"
    quick = {"FICHA_EVENTS_BEAT_SECONDS": "1"}
    with Server(database_url, data, **quick) as one, Server(database_url, data, **quick) as other:
        ana, token = register(one)
        luis, other_token = register(one)
        with Listener(one.port, token) as hers, Listener(one.port, other_token) as his:
            assert other.post("/v2/auth/logout", token=token).status_code == 200
            hers.wait_until(lambda: hers.is_over, 40)
            assert hers.kinds() == ["bye"]
            his.wait_until(lambda: "latido" in his.comments, 40)
            publisher.publish(luis)
            publisher.publish(ana)
            his.wait_for_events(1)
            assert his.numbers == [0] and not his.is_over
