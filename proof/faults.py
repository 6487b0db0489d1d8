"""What is broken during a proof, one thing after another, and how long each was felt."""

import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle
from threading import Event

from proof.cluster import Cluster, Node, wait_until
from proof.load import Attempt
from proof.service import Service

# How long a node is gone, frozen or cut off: longer than it takes the others to elect one of theirs.
AWAY_SECONDS = 30.0
WHOLE_SECONDS = 90.0


@dataclass(frozen=True)
class Fault:
    """`redundant`: seconds until three nodes stood again, from its beginning; None if that took too long."""

    at: float
    kind: str
    redundant: float | None


class Faults:
    def __init__(self, cluster: Cluster, service: Service) -> None:
        self._cluster, self._service = cluster, service
        self.done: list[Fault] = []
        kinds: list[tuple[str, Callable[[], None]]] = [
            ("primary killed", self._on_primary(Node.kill, Node.start)),
            ("server killed", lambda: service.kill("server-1")),
            ("primary paused", self._on_primary(_pause, _resume)),
            ("worker killed", lambda: service.kill("worker-0")),
            ("primary cut off", self._on_primary(Node.cut_off, Node.join_again)),
            ("switchover", self._switch_over),
        ]
        self._kinds = cycle(kinds)

    def run(self, every: float, stopping: Event) -> None:
        """One at each interval, until it is stopped. A fault that has begun is ended first."""
        begun = time.monotonic()
        number = 1
        while not stopping.wait(max(0.0, begun + number * every - time.monotonic())):
            number += 1
            kind, cause = next(self._kinds)
            at = time.monotonic()
            cause()
            redundant: float | None = None
            with suppress(TimeoutError):
                wait_until(self._cluster.is_whole, WHOLE_SECONDS, kind)
                redundant = time.monotonic() - at
            self.done.append(Fault(at, kind, redundant))

    def _on_primary(self, cause: Callable[[Node], None], end: Callable[[Node], None]) -> Callable[[], None]:
        def run() -> None:
            node = self._primary()
            cause(node)
            time.sleep(AWAY_SECONDS)
            end(node)

        return run

    def _switch_over(self) -> None:
        self._cluster.switch_over(self._primary())

    def _primary(self) -> Node:
        wait_until(lambda: self._cluster.primary() is not None, WHOLE_SECONDS, "there is no primary")
        found = self._cluster.primary()
        assert found is not None
        return found


def _pause(node: Node) -> None:
    node.signal(signal.SIGSTOP)


def _resume(node: Node) -> None:
    node.signal(signal.SIGCONT)


def seconds_felt(fault: Fault, attempts: list[Attempt], until: float) -> float:
    """From the beginning of a fault to the end of the last request after it that failed, before the next one."""
    ends = [
        attempt.at + attempt.ms / 1000
        for attempt in attempts
        if attempt.outcome != "ok" and fault.at - 1 <= attempt.at < until
    ]
    return max(ends, default=fault.at) - fault.at
