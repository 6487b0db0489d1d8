"""Attackers, in a process and from an address of their own: a connection that is closed is opened again."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ADDRESS = "127.0.0.2"
PAUSE_SECONDS = 0.5
# As many names as are checked at all, in a body of a megabyte.
REFUSED = json.dumps({f"campo{number:05d}": "x" * 10 for number in range(32_000)}).encode()
LOGIN = json.dumps({"correo": "nadie@ejemplo.com", "clave": "caballo-bateria-grapa"}).encode()

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(frozen=True)
class Attack:
    """How many of each kind at once."""

    idle: int = 0
    slow: int = 0
    refusals: int = 0
    logins: int = 0
    exports: int = 0
    # The path of the export, and whose token asks for it.
    export_path: str = ""
    token: str = ""

    @property
    def count(self) -> int:
        return self.idle + self.slow + self.refusals + self.logins + self.exports


def run_attack(attack: Attack, port: int, begun: Path) -> None:
    """Goes on until the process is ended. Writes the file `begun` once every connection has been opened."""
    asyncio.run(_run(attack, port, begun))


async def _run(attack: Attack, port: int, begun: Path) -> None:
    opened: set[asyncio.Task[None] | None] = set()

    @asynccontextmanager
    async def connection() -> AsyncIterator[Streams]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(ADDRESS, 0))
        opened.add(asyncio.current_task())
        if len(opened) == attack.count and not begun.exists():
            begun.touch()
        try:
            yield reader, writer
        finally:
            writer.transport.abort()

    async def again_and_again(once: Callable[[asyncio.StreamReader, asyncio.StreamWriter], object]) -> None:
        while True:
            with suppress(OSError):
                async with connection() as streams:
                    await once(*streams)  # type: ignore[misc]
            await asyncio.sleep(PAUSE_SECONDS)

    async def export(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = f"GET {attack.export_path} HTTP/1.1\r\nHost: testserver\r\nAuthorization: Bearer {attack.token}\r\n"
        writer.write(f"{head}Connection: close\r\n\r\n".encode())
        await reader.read()

    kinds = (
        (idle, attack.idle),
        (slow, attack.slow),
        (refused, attack.refusals),
        (login, attack.logins),
        (export, attack.exports),
    )
    async with asyncio.TaskGroup() as group:
        for once, count in kinds:
            for _ in range(count):
                group.create_task(again_and_again(once))


async def idle(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    await reader.read()


async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A byte a second, until it is answered."""
    writer.write(_head(1_000))
    answer = asyncio.create_task(reader.read())
    while not answer.done():
        writer.write(b" ")
        await asyncio.wait([answer], timeout=1)
    with suppress(OSError):
        await answer


async def refused(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(_head(len(REFUSED)) + REFUSED)
    await reader.read()


async def login(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(_head(len(LOGIN)) + LOGIN)
    await reader.read()


def _head(length: int) -> bytes:
    lines = (
        "POST /v2/auth/login HTTP/1.1",
        "Host: testserver",
        "Content-Type: application/json",
        f"Content-Length: {length}",
        "Connection: close",
    )
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
