"""An entry: one operation to measure, the requests that ask for it, and how the floor answers the same."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from bench.requests import People, RequestStream, Seed
from bench.store import Store

Scope = dict[str, Any]


class FloorAnswer(NamedTuple):
    """An answer's `data`, and the headers that only this operation sends."""

    data: bytes | dict[str, Any]
    headers: tuple[tuple[bytes, bytes], ...] = ()

    @classmethod
    def with_etag(cls, data: bytes, etag: str) -> Self:
        return cls(data, ((b"etag", f'"{etag}"'.encode()),))


@dataclass(frozen=True)
class Entry:
    name: str
    title: str
    method: str
    path: str
    status: int
    # A fresh seed for each of so many connections, made before every round.
    seeds: Callable[[People, int], list[Seed]]
    ask: Callable[[Seed], RequestStream]
    # Returns the answer's `data`, or the bytes of it; the floor puts the envelope around it.
    floor: Callable[[Store, Scope, bytes], Awaitable[dict[str, Any] | bytes | FloorAnswer]]
    # CPU milliseconds of a part that is slow on purpose, measured alone in the same run.
    measure_separately: Callable[[], float] | None = None
    separate_title: str = ""
    # Whether bench/ordinary.py answers it too.
    has_ordinary: bool = False
    # What the floor adds to `meta` of an answer that is a list.
    page: bytes = b""
    # Whether it answers with a page or a stream: then only its status is compared.
    is_page: bool = False
    # For an answer that does not end by itself: what has come when it is enough. Each then has its own connection.
    stream_until: bytes = b""
    # Whether the report says how much memory there was before, too.
    shows_memory: bool = False
    # How deep the answers are compared: below that, they differ from person to person.
    compared_depth: int = 99
    # Called after a round, so that work left over does not slow the next contender.
    clean_up: Callable[[People], None] | None = None
    # Of people with no data, where the service is also measured against itself without any.
    empty_seeds: Callable[[People, int], list[Seed]] | None = None
