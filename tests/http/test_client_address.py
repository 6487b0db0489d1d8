"""The address a request came from."""

import pytest
from starlette.requests import HTTPConnection

from ficha.http.client_address import TrustedProxies, address_of, is_loopback, parse_networks


def connection(peer: str, forwarded: str | None = None) -> HTTPConnection:
    lines = [] if forwarded is None else forwarded.split("\n")
    headers = [(b"x-forwarded-for", line.encode()) for line in lines]
    return HTTPConnection({"type": "http", "client": (peer, 1234), "headers": headers})


@pytest.mark.parametrize(
    ("peer", "forwarded", "trusted", "expected"),
    [
        ("203.0.113.9", "198.51.100.1", "", "203.0.113.9"),
        ("203.0.113.9", "198.51.100.1", "10.0.0.0/8", "203.0.113.9"),
        ("10.0.0.1", "198.51.100.1", "10.0.0.0/8", "198.51.100.1"),
        ("10.0.0.1", "1.2.3.4, 198.51.100.1, 10.0.0.7", "10.0.0.0/8", "198.51.100.1"),
        ("10.0.0.1", "1.2.3.4\n198.51.100.1", "10.0.0.0/8", "198.51.100.1"),
        ("10.0.0.1", "1.2.3.4, 198.51.100.1\n10.0.0.7", "10.0.0.0/8", "198.51.100.1"),
        ("10.0.0.1", "basura", "10.0.0.0/8", "10.0.0.1"),
        ("10.0.0.1", None, "10.0.0.0/8", "10.0.0.1"),
        ("10.0.0.1", "10.0.0.2", "10.0.0.0/8", "10.0.0.2"),
        ("::1", "2001:db8::7", "::1", "2001:db8::7"),
        ("::ffff:10.0.0.1", "198.51.100.1, ::ffff:10.0.0.7", "10.0.0.0/8", "198.51.100.1"),
    ],
)
def test_a_forwarded_address_is_believed_only_from_our_proxies(
    peer: str, forwarded: str | None, trusted: str, expected: str
) -> None:
    proxies = TrustedProxies(parse_networks(trusted.split(",") if trusted else []))
    assert address_of(connection(peer, forwarded), proxies) == expected


def test_loopback_is_known_in_both_families() -> None:
    assert is_loopback("127.0.0.1") and is_loopback("::1")
    assert not is_loopback("10.0.0.1") and not is_loopback("testclient")
