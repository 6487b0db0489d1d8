"""The authorities that are trusted when we call somebody on the internet."""

import ssl
from functools import cache


@cache
def certificates() -> ssl.SSLContext:
    """Those that httpx trusts, read once for all calls of a process: it takes twenty milliseconds."""
    import httpx  # noqa: PLC0415  A tenth of a second of the start, and eight megabytes.

    return httpx.create_ssl_context(trust_env=False)
