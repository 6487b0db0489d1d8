"""The address a request came from. X-Forwarded-For counts only from proxies that the settings name."""

from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from starlette.requests import HTTPConnection

Network = IPv4Network | IPv6Network


def parse_networks(texts: Iterable[str]) -> tuple[Network, ...]:
    return tuple(ip_network(text, strict=False) for text in texts)


def address_of(connection: HTTPConnection, trusted: tuple[Network, ...]) -> str:
    """The last address in X-Forwarded-For that is not a trusted proxy; the peer's own if the peer is not trusted."""
    peer = connection.client.host if connection.client else ""
    if not trusted or not _within(peer, trusted):
        return peer
    # Several lines are one list. The last was written by the proxy nearest to us, the first by anybody.
    hops = [hop.strip() for hop in ",".join(connection.headers.getlist("x-forwarded-for")).split(",")]
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
