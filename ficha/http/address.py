"""Where a request came from. A forwarded address is believed only from a proxy that was named in the settings."""

from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from starlette.requests import HTTPConnection

Network = IPv4Network | IPv6Network


def parse_networks(words: Iterable[str]) -> tuple[Network, ...]:
    return tuple(ip_network(word, strict=False) for word in words)


def address_of(connection: HTTPConnection, trusted: tuple[Network, ...]) -> str:
    """Walks X-Forwarded-For from the right, past our own proxies, to the first address that is not one."""
    peer = connection.client.host if connection.client else ""
    if not trusted or not _within(peer, trusted):
        return peer
    hops = [hop.strip() for hop in connection.headers.get("x-forwarded-for", "").split(",")]
    for hop in reversed(hops):
        if not _is_address(hop):
            return peer
        if not _within(hop, trusted):
            return hop
        peer = hop
    return peer


def is_loopback(address: str) -> bool:
    return _is_address(address) and ip_address(address).is_loopback


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _within(address: str, trusted: tuple[Network, ...]) -> bool:
    return _is_address(address) and any(ip_address(address) in network for network in trusted)
