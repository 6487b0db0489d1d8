"""Addresses of this machine: the sandbox listens on, answers and calls no others."""

from urllib.parse import urlsplit

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class NotLoopback(ValueError):
    """The address is not one of this machine."""


def is_loopback(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme == "http" and parts.hostname in LOOPBACK


def require_loopback(url: str) -> str:
    """Returns the address; raises NotLoopback if it is not an http:// address of this machine."""
    if not is_loopback(url):
        raise NotLoopback(f"{url} is not an http:// address of this machine.")
    return url
