"""What all that call somebody by httpx share: whom they trust, and what httpx's errors mean for us. It is imported
where the first call is made, because httpx takes a tenth of a second of the start, and eight megabytes."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import httpx

from ficha.channels.errors import NotSent, OutcomeUnknown, Refused, TooSlow

# The platform never got the whole request.
NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError, httpx.WriteTimeout)
# The request cannot be written as HTTP, so repeating it cannot help.
INVALID_REQUEST = (httpx.LocalProtocolError, httpx.UnsupportedProtocol, httpx.InvalidURL)


@cache
def certificates() -> ssl.SSLContext:
    """The authorities that httpx trusts, read once for all calls of a process: it takes twenty milliseconds."""
    return httpx.create_ssl_context(trust_env=False)


@contextmanager
def translated_errors(platform: str) -> Iterator[None]:
    """Raises our errors instead of httpx's. httpcore ignores errors while writing and waits for an answer all the same,
    so a connection that broke while we wrote looks like one that broke while we read: the outcome is unknown."""
    try:
        yield
    except NOT_SENT as error:
        raise NotSent(f"{platform}: {type(error).__name__}") from error
    except INVALID_REQUEST as error:
        raise Refused(f"{platform}: {type(error).__name__}") from error
    except httpx.TimeoutException as error:
        raise TooSlow(f"{platform}: {type(error).__name__}") from error
    except httpx.RequestError as error:
        raise OutcomeUnknown(f"{platform}: {type(error).__name__}") from error
