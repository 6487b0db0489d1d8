"""The one address that calls go to, and the rest that a failing platform gets."""

import asyncio

import pytest

from ficha.channels.chatwoot.address import PlatformAddress, PrivateAddress, Target, path_of
from ficha.channels.chatwoot.client import CircuitBreaker, PlatformResting


def target_of(base_url: str, *found: str, private: bool = False) -> Target:
    """Where a call goes if the name has these addresses."""

    async def resolve(_host: str, _port: int) -> list[str]:
        return list(found)

    return asyncio.run(PlatformAddress(base_url, allows_private=private, resolve=resolve).target(["api"], "a=b"))


def test_every_segment_stays_one_segment() -> None:
    assert path_of(["api", "a/b", "..%2f", "ñ?#"]) == "/api/a%2Fb/..%252f/%C3%B1%3F%23"
    for bad in ("", ".", ".."):
        with pytest.raises(ValueError, match="no name"):
            path_of(["api", bad])


def test_a_name_that_leads_to_a_private_address_is_refused_unless_configured() -> None:
    """One private address among several is enough. `localhost` and numbers were written by hand."""
    name = "https://desk.example:3000"
    for private in ("127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "fd00::1", "100.64.0.1", "0.0.0.0"):
        with pytest.raises(PrivateAddress):
            target_of(name, "8.8.8.8", private)
    assert target_of(name, "10.1.2.3", private=True).url == "https://desk.example:3000/api?a=b"
    assert target_of("http://localhost:3000/desk/").url == "http://localhost:3000/desk/api?a=b"
    assert target_of("http://10.0.0.7:3000").url == "http://10.0.0.7:3000/api?a=b"


def test_the_connection_goes_to_the_address_that_was_looked_at() -> None:
    found = target_of("https://desk.example", "2001:4860:4860::8888")
    assert found.url == "https://[2001:4860:4860::8888]:443/api?a=b"
    assert found.headers == {"Host": "desk.example"} and found.tls_name == "desk.example"


@pytest.mark.parametrize("bad", ["ftp://x", "https://", "http://a@b", "https://x?y=1", "x"])
def test_what_is_no_address(bad: str) -> None:
    with pytest.raises(ValueError, match="FICHA_CHATWOOT_BASE_URL"):
        PlatformAddress(bad)


def test_the_breaker_lets_one_call_through_after_its_pause() -> None:
    now = 100.0
    breaker = CircuitBreaker(failures=2, pause_seconds=10, clock=lambda: now)
    breaker.failed()
    breaker.check()
    breaker.failed()
    assert breaker.is_open
    with pytest.raises(PlatformResting) as refusal:
        breaker.check()
    assert refusal.value.retry_after == 10
    now = 111.0
    breaker.check()
    with pytest.raises(PlatformResting):
        breaker.check()
    breaker.succeeded()
    breaker.check()
    assert not breaker.is_open
