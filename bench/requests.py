"""What a connection of the load generator asks: requests as bytes, made before the round where that is possible."""

import json
from collections.abc import Generator
from typing import Any, Protocol

# What one connection knows: a token, a correo, a clave.
Seed = dict[str, str]

# Yields the bytes of a request, is sent the body of its answer, and so on for as long as the round lasts.
RequestStream = Generator[bytes, bytes, None]


class People(Protocol):
    """Who asks: a seed for each of so many connections. `bench/dataset.py` makes them here, `bench/worktree.py` asks
    the code of another commit for them."""

    def tokens(self, count: int) -> list[Seed]: ...
    def claves(self, count: int) -> list[Seed]: ...
    def record_owners(self, count: int) -> list[Seed]: ...
    def empty_record_owners(self, count: int) -> list[Seed]: ...
    def stickers(self, count: int) -> list[Seed]: ...
    def health_links(self, count: int) -> list[Seed]: ...
    def execute(self, sql: str) -> None: ...


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
