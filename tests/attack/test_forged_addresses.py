"""Somebody writes addresses into the headers that proxies write: nobody else is blamed, and no limit is escaped."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select
from starlette.requests import HTTPConnection
from starlette.testclient import TestClient

from ficha.audit.chain import AuditEntry
from ficha.http.client_address import TrustedProxies, address_of, forwarded_from_the_right, parse_networks
from tests.web.sticker.sticker import sticker_of
from tests.world import CLAVE, World, build_world, new_correo, settings_for

PROXY, ATTACKER = "10.0.0.1", "203.0.113.9"
PROXIES = parse_networks(["10.0.0.0/8", "2001:db8:ffff::/48"])


def address(peer: str, *lines: str, header: str = "forwarded") -> str:
    headers = [(header.encode(), line.encode()) for line in lines]
    scope = {"type": "http", "client": (peer, 1234), "headers": headers}
    return address_of(HTTPConnection(scope), TrustedProxies(PROXIES, "forwarded"))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["for=198.51.100.1"], "198.51.100.1"),
        (["For=198.51.100.1;proto=https;by=10.0.0.1"], "198.51.100.1"),
        (["proto=https;for=198.51.100.1"], "198.51.100.1"),
        (['for="198.51.100.1:4711"'], "198.51.100.1"),
        (['for="[2001:db8::17]"'], "2001:db8::17"),
        (['for="[2001:db8::17]:4711"'], "2001:db8::17"),
        (["for=1.2.3.4, for=198.51.100.1, for=10.0.0.7"], "198.51.100.1"),
        (["for=1.2.3.4", "for=198.51.100.1"], "198.51.100.1"),
        (['for=198.51.100.1, for="[2001:db8:ffff::5]:80", for=10.0.0.7'], "198.51.100.1"),
        # What is written behind quotes or before the last comma is anybody's.
        (['for="1.2.3.4, for=5.6.7.8", for=198.51.100.1'], "198.51.100.1"),
        (['for=1.2.3.4;ext="a\\",b", for=198.51.100.1'], "198.51.100.1"),
        # The nearest proxy does not say: it stays the proxy's own, and nobody's further left is believed.
        (["for=1.2.3.4, for=unknown"], PROXY),
        (["for=1.2.3.4, for=_hidden"], PROXY),
        (["for=1.2.3.4, proto=https"], PROXY),
        (["for=1.2.3.4, for=_hidden, for=10.0.0.7"], "10.0.0.7"),
        (['for="1.2.3.4, for=198.51.100.1'], "198.51.100.1"),
        (["for=1.2.3.4,"], PROXY),
        (['for=1.2.3.4, for="unclosed'], PROXY),
        (["for=1.2.3.4, for = 198.51.100.1"], PROXY),
        (["for=999.1.1.1"], PROXY),
        ([""], PROXY),
        ([], PROXY),
    ],
)
def test_forwarded_is_read_from_the_right_and_only_from_our_proxies(lines: list[str], expected: str) -> None:
    assert address(PROXY, *lines) == expected
    assert address(ATTACKER, *lines) == ATTACKER


def test_the_header_that_our_proxies_do_not_write_is_not_read() -> None:
    assert address(PROXY, "1.2.3.4", header="x-forwarded-for") == PROXY
    scope = {"type": "http", "client": (PROXY, 1), "headers": [(b"forwarded", b"for=1.2.3.4")]}
    assert address_of(HTTPConnection(scope), TrustedProxies(PROXIES)) == PROXY


@given(st.text(st.characters(max_codepoint=255), max_size=60))
def test_whatever_a_caller_wrote_the_proxy_s_own_element_decides(written: str) -> None:
    """The proxy appends its own, as a line or to the line: nothing before it changes what that says."""
    assert address(PROXY, written, "for=198.51.100.1") == "198.51.100.1"
    assert address(PROXY, f'{written}, for="[2001:db8::17]:4711"') == "2001:db8::17"
    assert list(forwarded_from_the_right(written))


@pytest.fixture(params=["x-forwarded-for", "forwarded"])
def behind_proxy(request: pytest.FixtureRequest, database_url: str, tmp_path: Path) -> Iterator[World]:
    settings = settings_for(
        database_url,
        tmp_path / "data",
        rate_limits="on",
        trusted_proxies=("10.0.0.0/8",),
        forwarded_header=request.param,
    )
    world = build_world(settings)
    yield world
    world.close()


def through_proxy(world: World, claimed: str, really: str = ATTACKER) -> dict[str, Any]:
    """What arrives here of a request in which the caller claims an address: the proxy adds the real one, and passes
    the header that it does not write on as it came."""
    own = world.parts.settings.forwarded_header
    lists = {
        "x-forwarded-for": [claimed, really] if own == "x-forwarded-for" else [claimed],
        "forwarded": [f"for={claimed}", f"for={really}"] if own == "forwarded" else [f"for={claimed}"],
    }
    return {"headers": [(name, ", ".join(hops)) for name, hops in lists.items()]}


def test_no_limit_is_escaped_by_claiming_addresses(behind_proxy: World) -> None:
    client = TestClient(behind_proxy.app, client=(PROXY, 1))
    told = []
    for number in range(6):
        body = {"correo": new_correo(), "clave": CLAVE}
        told.append(client.post("/v2/auth/login", json=body, **through_proxy(behind_proxy, f"192.0.2.{number}")))
    assert [answer.status_code for answer in told] == [401] * 5 + [429]


def test_the_log_names_who_looked_and_nobody_else(behind_proxy: World) -> None:
    sticker = sticker_of(behind_proxy)
    for service in (behind_proxy.app, behind_proxy.app):
        client = TestClient(service, client=(PROXY, 1))
        assert client.get(sticker.path, **through_proxy(behind_proxy, "192.0.2.1")).status_code == 200
    behind_proxy.drain_reads()
    with behind_proxy.parts.database.reading() as tx:
        origins = tx.orm.scalars(select(AuditEntry.origin).where(AuditEntry.actor == "tag")).all()
    assert list(origins) == [ATTACKER] * 2
