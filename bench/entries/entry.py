"""What one entry says: who asks, with which bytes, and what the floor does to answer the same."""

import json
from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.store import Store

if TYPE_CHECKING:  # The floor reads this file too, and must not carry the service in its memory.
    from bench.world import World

# What one connection of the load generator knows: a token, a correo, a clave.
Seed = dict[str, str]

Scope = dict[str, Any]

# Yields the bytes of a request, is sent the body of its answer, and so on for as long as the round lasts.
Asking = Generator[bytes, bytes, None]


@dataclass(frozen=True)
class Entry:
    name: str
    title: str
    method: str
    path: str
    status: int
    # A fresh seed for each of so many connections, made before every round.
    seeds: Callable[["World", int], list[Seed]]
    ask: Callable[[Seed], Asking]
    # Returns the answer's `data`, or the bytes of it; the floor puts the envelope around it.
    floor: Callable[[Store, Scope, bytes], Awaitable[dict[str, Any] | bytes]]
    # CPU milliseconds of a part that is slow on purpose, measured alone in the same run.
    apart: Callable[[], float] | None = None
    apart_title: str = ""
    # Whether bench/ordinary.py answers it too.
    has_ordinary: bool = False
    # What the floor adds to `meta` of an answer that is a list.
    page: bytes = b""
    # Whether it answers with a page: then only its status is compared.
    is_page: bool = False
    # How deep the answers are compared: below that, people differ.
    alike_depth: int = 99
    # What must be done after a round so that the next contender does not pay for what is left over.
    settle: Callable[["World"], None] | None = None


def request_bytes(method: str, path: str, token: str | None = None, body: dict[str, Any] | None = None) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", "Accept: application/json"]
    if token is not None:
        lines.append(f"Authorization: Bearer {token}")
    content = b"" if body is None else json.dumps(body).encode()
    if method != "GET":
        lines.append(f"Content-Length: {len(content)}")
    if content:
        lines.append("Content-Type: application/json")
    return "\r\n".join([*lines, "", ""]).encode() + content
