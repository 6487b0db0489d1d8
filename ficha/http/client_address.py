"""The address a request came from. What a header says counts only from proxies that the settings name."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from starlette.requests import HTTPConnection

from ficha.core.settings import Settings

Network = IPv4Network | IPv6Network

X_FORWARDED_FOR = "x-forwarded-for"
# The pairs of one element of a Forwarded header, as RFC 7239 writes them: `for=192.0.2.60;proto=https`.
PAIR = r"([!#$%&'*+.^_`|~0-9A-Za-z-]+)=(\"(?:[^\"\\]|\\.)*\"|[^\s\",;]+)"
ELEMENT = re.compile(rf"\s*{PAIR}(?:;{PAIR})*;?\s*")
PAIRS = re.compile(PAIR)
# `192.0.2.60:4711`, `[2001:db8::17]`, `[2001:db8::17]:4711`: the port says nothing.
NODE = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([0-9.]+))(?::[0-9A-Za-z._-]+)?")


@dataclass(frozen=True)
class TrustedProxies:
    """The networks of our proxies, and the one header that they write. The other is not read: a proxy passes on what
    anybody has written there."""

    networks: tuple[Network, ...] = ()
    header: str = X_FORWARDED_FOR

    @classmethod
    def of(cls, settings: Settings) -> "TrustedProxies":
        return cls(parse_networks(settings.trusted_proxies), settings.forwarded_header)

    def __bool__(self) -> bool:
        return bool(self.networks)

    def __contains__(self, address: object) -> bool:
        if not isinstance(address, str) or not _is_address(address):
            return False
        found = ip_address(address)
        if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
            found = found.ipv4_mapped
        return any(found in network for network in self.networks)


def parse_networks(texts: Iterable[str]) -> tuple[Network, ...]:
    return tuple(ip_network(text, strict=False) for text in texts)


def address_of(connection: HTTPConnection, trusted: TrustedProxies) -> str:
    """The last address in the proxies' header that is not a trusted proxy; the peer's own if the peer is not
    trusted."""
    peer = connection.client.host if connection.client else ""
    if not trusted or peer not in trusted:
        return peer
    # Several lines are one list. The last was written by the proxy nearest to us, the first by anybody.
    line = ",".join(connection.headers.getlist(trusted.header))
    for hop in _hops_from_the_right(line, trusted.header):
        if not _is_address(hop):
            return peer
        if hop not in trusted:
            return hop
        peer = hop
    return peer


def _hops_from_the_right(line: str, header: str) -> Iterator[str]:
    if header == X_FORWARDED_FOR:
        return (hop.strip() for hop in reversed(line.split(",")))
    return forwarded_from_the_right(line)


def forwarded_from_the_right(line: str) -> Iterator[str]:
    """The `for` of each element of a Forwarded header, the last one first; empty where it names no address (`unknown`,
    a word that hides it) or cannot be read. What stands further left changes nothing: a caller may have written it."""
    rest = None
    for piece in reversed(line.split(",")):
        rest = piece if rest is None else f"{piece},{rest}"  # A comma may be part of a quoted value.
        if ELEMENT.fullmatch(rest):
            names = {name.lower(): value for name, value in PAIRS.findall(rest)}
            yield _node(names.get("for", ""))
            rest = None
    if rest is not None:
        yield ""


def is_loopback(address: str) -> bool:
    return _is_address(address) and ip_address(address).is_loopback


def _node(value: str) -> str:
    """The address of `"[2001:db8::17]:4711"` or `192.0.2.60`; empty for any other name."""
    plain = re.sub(r"\\(.)", r"\1", value[1:-1]) if value.startswith('"') else value
    node = NODE.fullmatch(plain)
    return "" if node is None else node.group(1) or node.group(2)


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
