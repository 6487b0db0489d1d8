"""HTTP by httpx, on the event loop that asks: a call that waits holds a socket and nothing else."""

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Callable, Mapping

import httpx

from ficha.channels.chatwoot.address import AnswerTooLong, PlatformAnswer, Target
from ficha.channels.http_clients import translated_errors

CONNECT_SECONDS = 5.0
# The list of all conversations of a contact may be long; what is longer than this is not the platform's.
ANSWER_BYTES = 8_000_000
IDLE_CONNECTIONS = 20


class ChatwootTransport:
    """The connections of one event loop, and how many calls may use them at a time. It follows no redirect and no
    proxy of the environment."""

    def __init__(self, calls: int, uploads: int, certificates: ssl.SSLContext) -> None:
        logging.getLogger("httpx").setLevel(logging.WARNING)  # It logs addresses, and these contain names of contacts.
        self.calls, self.uploads = asyncio.Semaphore(calls), asyncio.Semaphore(uploads)
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=IDLE_CONNECTIONS, keepalive_expiry=20)
        timeout = httpx.Timeout(None, connect=CONNECT_SECONDS)  # The whole call is timed by who asks.
        self._client = httpx.AsyncClient(
            limits=limits, timeout=timeout, verify=certificates, follow_redirects=False, trust_env=False
        )

    async def send(
        self, method: str, target: Target, headers: Mapping[str, str], body: bytes | AsyncIterator[bytes] | None
    ) -> PlatformAnswer:
        """Raises NotSent, OutcomeUnknown or Refused."""
        content = bytearray()
        answer = await self.receive(method, target, headers, body, content.extend, ANSWER_BYTES)
        return answer._replace(body=bytes(content))

    async def receive(
        self,
        method: str,
        target: Target,
        headers: Mapping[str, str],
        body: bytes | AsyncIterator[bytes] | None,
        take: Callable[[bytes], object],
        most: int,
    ) -> PlatformAnswer:
        """As `send`, but `take` gets the content piece by piece. Raises AnswerTooLong for more than `most` bytes."""
        # As they are sent, so that our answer has the same bytes.
        sent = {"Accept-Encoding": "identity", **target.headers, **headers}
        extensions = {} if target.tls_name is None else {"sni_hostname": target.tls_name}
        with translated_errors("chatwoot"):
            request = self._client.build_request(method, target.url, headers=sent, content=body, extensions=extensions)
            response = await self._client.send(request, stream=True)
            try:
                size = 0
                async for chunk in response.aiter_bytes():
                    size += len(chunk)
                    if size > most:
                        raise AnswerTooLong("chatwoot: the answer has no end")
                    take(chunk)
            finally:
                await response.aclose()
        return PlatformAnswer(
            response.status_code,
            response.headers.get("content-type", ""),
            b"",
            response.headers.get("retry-after"),
            response.headers.get("location"),
        )

    async def close(self) -> None:
        await self._client.aclose()


def certificates(*, is_needed: bool) -> ssl.SSLContext:
    """Those that the platform's is checked with. Reading them takes longer than a call, and http:// needs none."""
    return httpx.create_ssl_context() if is_needed else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
