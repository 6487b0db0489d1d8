"""The load generator: one process, keep-alive connections, one request under way on each.

    python -m bench.load < job.json > outcome.json

It waits for no framework: sockets, epoll and bytes made beforehand. Only 127.0.0.1 is ever asked.
"""

import json
import re
import select
import socket
import sys
import time
from array import array
from dataclasses import asdict, dataclass, field

from bench.entries import ENTRIES
from bench.entries.entry import Asking, Seed, request_bytes

LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
PATIENCE_SECONDS = 40.0


@dataclass
class Job:
    """`entry` is empty to ask for `path` alone, over and over."""

    entry: str
    port: int
    seconds: float
    seeds: list[Seed]
    path: str = ""


@dataclass
class Outcome:
    requests: int = 0
    seconds: float = 0.0
    p50_ms: float = 0.0
    p99_ms: float = 0.0
    answer_bytes: float = 0.0
    # What this process itself spent on it.
    own_cpu_seconds: float = 0.0
    sample: str = ""
    errors: dict[str, int] = field(default_factory=dict)

    def count(self, error: str, times: int = 1) -> None:
        self.errors[error] = self.errors.get(error, 0) + times


class Line:
    """One connection: what it asks, and what has come of the answer."""

    __slots__ = ("asking", "buffer", "needed", "socket", "started")

    def __init__(self, port: int, asking: Asking) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=5)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.asking = asking
        self.buffer = b""
        self.needed = 0
        self.started = 0.0

    def send(self, request: bytes) -> None:
        self.buffer, self.needed = b"", 0
        self.started = time.perf_counter()
        self.socket.sendall(request)

    def receive(self) -> bytes | None:
        """The whole answer; None while it is not all there; empty when the other side hung up."""
        piece = self.socket.recv(65536)
        if not piece:
            return b""
        self.buffer += piece
        if not self.needed:
            end = self.buffer.find(b"\r\n\r\n")
            if end < 0:
                return None
            found = LENGTH.search(self.buffer, 0, end)
            self.needed = end + 4 + (int(found[1]) if found else 0)
        return self.buffer if len(self.buffer) >= self.needed else None


def run(job: Job) -> Outcome:
    status, ask = (b"200", None) if not job.entry else (str(ENTRIES[job.entry].status).encode(), ENTRIES[job.entry].ask)
    lines = [Line(job.port, ask(seed) if ask else _always(job.path)) for seed in job.seeds]
    by_number = {line.socket.fileno(): line for line in lines}
    poll = select.epoll()
    for number in by_number:
        poll.register(number, select.EPOLLIN)
    outcome, latencies, total = Outcome(), array("d"), 0
    own_cpu = time.process_time()
    started = last = time.perf_counter()
    deadline = started + job.seconds
    for line in lines:
        line.send(next(line.asking))
    under_way = len(lines)
    while under_way:
        ready = poll.poll(1.0)
        if not ready and time.perf_counter() > deadline + PATIENCE_SECONDS:
            outcome.count("no answer", under_way)
            break
        for number, _event in ready:
            line = by_number[number]
            answer = line.receive()
            if answer is None:
                continue
            last = time.perf_counter()
            if answer[9:12] != status:
                # This connection asks no more: its next request may need what this answer lacks.
                outcome.count(answer[9:12].decode() or "closed")
                outcome.sample = outcome.sample or answer.partition(b"\r\n\r\n")[2].decode(errors="replace")
                poll.unregister(number)
                under_way -= 1
                continue
            latencies.append(last - line.started)
            total += len(answer)
            if last >= deadline:
                poll.unregister(number)
                under_way -= 1
                continue
            line.send(line.asking.send(answer[answer.index(b"\r\n\r\n") + 4 :]))
    outcome.requests, outcome.seconds = len(latencies), last - started
    outcome.own_cpu_seconds = time.process_time() - own_cpu
    if latencies:
        ordered = sorted(latencies)
        outcome.p50_ms = ordered[len(ordered) // 2] * 1000
        outcome.p99_ms = ordered[int(len(ordered) * 0.99)] * 1000
        outcome.answer_bytes = total / len(ordered)
        body = lines[0].buffer.partition(b"\r\n\r\n")[2]
        outcome.sample = outcome.sample or body.decode(errors="replace")
    for line in lines:
        line.socket.close()
    return outcome


def _always(path: str) -> Asking:
    request = request_bytes("GET", path)
    while True:
        yield request


if __name__ == "__main__":
    json.dump(asdict(run(Job(**json.load(sys.stdin)))), sys.stdout)
