"""The hosts that may receive our token."""

import pytest

from ficha.channels.whatsapp.media import may_receive_token

GRAPH = "https://graph.facebook.com"
HERE = "http://127.0.0.1:8001"


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1&ext=2&hash=ARx", GRAPH),
        ("https://scontent.xx.fbcdn.net/v/a.jpg", GRAPH),
        ("https://graph.facebook.com/v23.0/1", GRAPH),
        ("https://LOOKASIDE.fbsbx.com:443/", GRAPH),
        ("https://gateway.example:8443/files/1", "https://gateway.example:8443"),
        ("http://127.0.0.1:8001/files/1", HERE),
        ("http://localhost:8001/files/1", HERE),
        ("http://[::1]:8001/files/1", "http://localhost:8001"),
        ("https://lookaside.fbsbx.com/", HERE),
    ],
)
def test_hosts_that_may_receive_the_token(url: str, base: str) -> None:
    assert may_receive_token(url, base)


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("http://lookaside.fbsbx.com/", GRAPH),
        ("http://graph.facebook.com/", GRAPH),
        ("https://evilfbsbx.com/", GRAPH),
        ("https://fbsbx.com.evil.example/", GRAPH),
        ("https://fbsbx.com/", GRAPH),
        ("https://lookaside.fbsbx.com:8443/", GRAPH),
        ("https://lookaside.fbsbx.com@evil.example/", GRAPH),
        ("https://user:pass@lookaside.fbsbx.com/", GRAPH),
        ("https://evil.example\\.fbsbx.com/", GRAPH),
        ("https://evil.example%2f.fbsbx.com/", GRAPH),
        ("https://evil.example#.fbsbx.com/", GRAPH),
        ("https://evil.example?.fbsbx.com/", GRAPH),
        ("https://evil.example;.fbsbx.com/", GRAPH),
        ("https://evil.example\n.fbsbx.com/", GRAPH),
        (" https://lookaside.fbsbx.com/", GRAPH),
        ("https://lookaside。fbsbx.com/", GRAPH),
        ("https://lookaside.fbsbx.com:x/", GRAPH),
        ("https://[::1/", GRAPH),
        ("//lookaside.fbsbx.com/", GRAPH),
        ("ftp://lookaside.fbsbx.com/", GRAPH),
        ("", GRAPH),
        ("http://127.0.0.1:8001/", GRAPH),
        ("http://127.0.0.1:8002/", HERE),
        ("http://127.0.0.1.evil.example:8001/", HERE),
        ("http://10.0.0.5:8001/", HERE),
        ("https://127.0.0.1:8001/", HERE),
        ("http://gateway.example/files/1", "http://gateway.example"),
    ],
)
def test_hosts_that_may_not(url: str, base: str) -> None:
    assert not may_receive_token(url, base)
