"""Calls to a webhook: what is sent, and how each way of not answering is reported."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from ficha.sandbox.loopback import NotLoopback
from ficha.sandbox.webhook_client import WebhookClient

Answer = Callable[[asyncio.StreamWriter], Awaitable[None]]


def call(answer: Answer, *, seconds: float = 5) -> tuple[tuple[int, bytes], bytes]:
    """The result of a call to a server that answers like this, and the bytes the server was sent."""
    received, served, client = bytearray(), list[asyncio.Task[None]](), WebhookClient()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        served.append(task)
        try:
            received.extend(await reader.readuntil(b"hola"))
            await answer(writer)
        finally:
            writer.close()

    async def run() -> tuple[int, bytes]:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook?a=b"
            try:
                return await client.call("POST", url, {"User-Agent": "facebookexternalua"}, b"hola", seconds=seconds)
            finally:
                await client.close()
                for each in served:
                    each.cancel()
                await asyncio.gather(*served, return_exceptions=True)

    return asyncio.run(run()), bytes(received)


def writes(response: bytes) -> Answer:
    async def write(writer: asyncio.StreamWriter) -> None:
        writer.write(response)
        await writer.drain()

    return write


async def is_silent(_writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(60)


def test_only_the_headers_of_the_platform_are_sent() -> None:
    answered, received = call(writes(b"HTTP/1.1 202 Accepted\r\nContent-Length: 3\r\n\r\nbien"))
    assert answered == (202, b"bie")
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    assert (first, body) == ("POST /hook?a=b HTTP/1.1", b"hola")
    assert {line.partition(":")[0].lower() for line in lines} == {"host", "user-agent", "connection", "content-length"}


def test_a_redirect_is_an_answer_like_any_other() -> None:
    answered, _ = call(writes(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"))
    assert answered == (302, b"")


@pytest.mark.parametrize("response", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", b"not HTTP\r\n\r\n"])
def test_an_answer_that_is_cut_or_unreadable_is_none(response: bytes) -> None:
    with pytest.raises(ConnectionError):
        call(writes(response))


def test_silence_ends_after_the_given_time() -> None:
    with pytest.raises(TimeoutError):
        call(is_silent, seconds=0.1)


def test_other_machines_are_never_called() -> None:
    with pytest.raises(NotLoopback):
        asyncio.run(WebhookClient().call("GET", "http://ejemplo.com/", {}, seconds=1))
