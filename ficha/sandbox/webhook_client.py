"""Calls to webhooks on this machine."""

import asyncio
import ssl
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ficha.sandbox.loopback import require_loopback

if TYPE_CHECKING:
    import httpx


class WebhookClient:
    """Belongs to one event loop."""

    def __init__(self) -> None:
        self._client: httpx.AsyncClient | None = None

    async def call(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"", *, seconds: float
    ) -> tuple[int, bytes]:
        """Status and body. Raises ConnectionError or TimeoutError when there is no whole answer within `seconds`."""
        # As much time (0.2 s) and half as much memory (15 MB) as the rest of the sandbox, and most sandboxes of tests
        # call no webhook.
        import httpx  # noqa: PLC0415

        require_loopback(url)
        if self._client is None:
            # Only http:// is called, so no certificates are loaded: that takes longer than a call.
            no_certificates = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            self._client = httpx.AsyncClient(timeout=None, trust_env=False, verify=no_certificates)  # noqa: S113  See below.
        # Made here and not by the client, which would add headers that the platform does not send. A connection kept
        # open could lead to a receiver that has been restarted since.
        request = httpx.Request(method, url, headers={**headers, "Connection": "close"}, content=body)
        try:
            # For the whole call: the timeouts of httpx are for each of its steps.
            async with asyncio.timeout(seconds):
                response = await self._client.send(request)
        except httpx.HTTPError as fault:
            raise ConnectionError(str(fault) or type(fault).__name__) from fault
        return response.status_code, response.content

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None
