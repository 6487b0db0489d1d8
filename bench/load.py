"""The load generator: one process, keep-alive connections, one request under way on each.

    python -m bench.load < plan.json > result.json

It uses no framework: sockets, epoll and bytes made beforehand. It connects to 127.0.0.1 only.
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
from bench.requests import RequestStream, Seed, request_bytes

LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
ANSWER_SECONDS = 40.0


@dataclass
class LoadPlan:
    """An empty `entry` asks for `path` again and again."""

    entry: str
    port: int
    seconds: float
    seeds: list[Seed]
    path: str = ""


@dataclass
class LoadResult:
    requests: int = 0
    seconds: float = 0.0
    p50_ms: float = 0.0
    p99_ms: float = 0.0
    answer_bytes: float = 0.0
    # CPU of the load generator itself.
    own_cpu_seconds: float = 0.0
    sample: str = ""
    errors: dict[str, int] = field(default_factory=dict)

    def count(self, error: str, times: int = 1) -> None:
        self.errors[error] = self.errors.get(error, 0) + times


class Connection:
    """A connection, the requests it sends, and what has arrived of the current answer."""

    __slots__ = ("buffer", "needed", "port", "requests", "socket", "started", "until")

    def __init__(self, port: int, requests: RequestStream, until: bytes = b"") -> None:
        self.port = port
        self.until = until
        self.open()
        self.requests = requests
        self.buffer = b""
        self.needed = 0
        self.started = 0.0

    def open(self) -> None:
        self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=5)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, request: bytes) -> None:
        self.buffer, self.needed = b"", 0
        self.started = time.perf_counter()
        self.socket.sendall(request)

    def receive(self) -> bytes | None:
        """The whole answer; None while it is incomplete; empty when the server closed the connection."""
        try:
            piece = self.socket.recv(65536)
        except ConnectionResetError:
            piece = b""
        if not piece:
            return b""
        self.buffer += piece
        if self.until and self.buffer[9:12] == b"200":
            return self.buffer if self.until in self.buffer else None
        if not self.needed:
            end = self.buffer.find(b"\r\n\r\n")
            if end < 0:
                return None
            found = LENGTH.search(self.buffer, 0, end)
            self.needed = end + 4 + (int(found[1]) if found else 0)
        return self.buffer if len(self.buffer) >= self.needed else None


def generate_load(plan: LoadPlan) -> LoadResult:
    entry = ENTRIES[plan.entry] if plan.entry else None
    status = b"200" if entry is None else str(entry.status).encode()
    until = entry.stream_until if entry else b""
    connections = [
        Connection(plan.port, entry.ask(seed) if entry else _repeat(plan.path), until) for seed in plan.seeds
    ]
    by_number = {connection.socket.fileno(): connection for connection in connections}
    poll = select.epoll()
    for number in by_number:
        poll.register(number, select.EPOLLIN)
    result, latencies, total = LoadResult(), array("d"), 0
    own_cpu = time.process_time()
    started = last = time.perf_counter()
    deadline = started + plan.seconds
    for connection in connections:
        connection.send(next(connection.requests))
    under_way = len(connections)
    while under_way:
        ready = poll.poll(1.0)
        if not ready and time.perf_counter() > deadline + ANSWER_SECONDS:
            result.count("no answer", under_way)
            break
        for number, _event in ready:
            connection = by_number[number]
            answer = connection.receive()
            if answer is None:
                continue
            last = time.perf_counter()
            if answer[9:12] != status:
                # This connection stops: its next request may need what this answer lacks.
                result.count(answer[9:12].decode() or "closed")
                result.sample = result.sample or answer.partition(b"\r\n\r\n")[2].decode(errors="replace")
                poll.unregister(number)
                under_way -= 1
                continue
            latencies.append(last - connection.started)
            total += len(answer)
            if last >= deadline:
                poll.unregister(number)
                under_way -= 1
                continue
            if until:  # A stream ends when its reader leaves.
                poll.unregister(number)
                del by_number[number]
                connection.socket.close()
                connection.open()
                by_number[connection.socket.fileno()] = connection
                poll.register(connection.socket.fileno(), select.EPOLLIN)
            connection.send(connection.requests.send(answer[answer.index(b"\r\n\r\n") + 4 :]))
    result.requests, result.seconds = len(latencies), last - started
    result.own_cpu_seconds = time.process_time() - own_cpu
    if latencies:
        ordered = sorted(latencies)
        result.p50_ms = ordered[len(ordered) // 2] * 1000
        result.p99_ms = ordered[int(len(ordered) * 0.99)] * 1000
        result.answer_bytes = total / len(ordered)
        body = connections[0].buffer.partition(b"\r\n\r\n")[2]
        result.sample = result.sample or body.decode(errors="replace")
    for connection in connections:
        connection.socket.close()
    return result


def _repeat(path: str) -> RequestStream:
    request = request_bytes("GET", path)
    while True:
        yield request


if __name__ == "__main__":
    json.dump(asdict(generate_load(LoadPlan(**json.load(sys.stdin)))), sys.stdout)
