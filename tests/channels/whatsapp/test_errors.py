"""Error answers of the platform, and what is known about a request that got no answer."""

import gzip
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from threading import Event, Thread
from typing import Any

import pytest

from ficha.channels.errors import NotSent, OutcomeUnknown, Refused, RetryLater
from ficha.channels.messages import Outgoing, Text
from ficha.channels.whatsapp.client import WhatsApp
from ficha.channels.whatsapp.error_codes import (
    CODES,
    RETRY_RULES,
    Remedy,
    WhatsAppError,
    WhatsAppRefused,
    WhatsAppRetryLater,
    known_error,
)
from tests.channels.whatsapp.scripted_platform import Reply, ScriptedPlatform, client
from tests.ports import ReservedPort

HELLO = Outgoing("+584125551111", Text("Hola"), "msg-17")

# The contract's table, written down a second time: code, HTTP status, what may be done.
TABLE = """
0 401 t; 1 400 few; 2 503 b; 3 500 p; 4 400 b; 4 429 b; 10 403 p; 17 429 b; 33 400 f; 80007 400 b; 80008 400 b;
100 400 f; 104 401 t; 190 401 t; 190 400 t; 200 403 p; 230 403 p; 299 403 p; 368 403 w; 613 400 b; 803 404 f;
2500 400 t; 130429 400 b; 130429 429 b; 130472 400 w; 130497 403 p; 131000 500 few; 131005 403 p; 131008 400 f;
131009 400 f; 131016 500 b; 131021 400 f; 131026 400 f; 131030 400 f; 131031 403 p; 131037 400 p; 131042 400 p;
131045 500 p; 131047 400 template; 131048 400 w; 131049 400 w; 131050 400 never; 131051 400 f; 131052 400 ask;
131053 400 f; 131056 400 pair; 131057 500 b; 131062 400 f; 131063 400 f; 131064 400 p; 132000 400 f; 132001 404 f;
132005 400 f; 132007 400 f; 132008 400 f; 132012 400 f; 132015 400 w; 132016 400 never; 132068 400 f; 132069 400 b;
133000 500 f; 133004 503 b; 133005 400 f; 133006 400 f; 133008 400 w; 133009 400 w; 133010 400 p; 133015 400 w;
133016 400 w; 134011 400 p; 135000 400 f; 136024 400 w; 137000 400 human
"""
ROWS = [(int(code), int(status), Remedy(remedy)) for code, status, remedy in (row.split() for row in TABLE.split(";"))]


@pytest.fixture
def whatsapp(platform: ScriptedPlatform) -> Iterator[WhatsApp]:
    with client(platform.url, whatsapp_seconds=0.5) as each:
        yield each


def graph_error(code: Any, **more: Any) -> dict[str, Any]:
    return {"error": {"message": f"(#{code}) No", "type": "OAuthException", "code": code, "fbtrace_id": "A", **more}}


def refused(whatsapp: WhatsApp) -> WhatsAppError:
    with pytest.raises(WhatsAppError) as refusal:
        whatsapp.send(HELLO)
    return refusal.value


def test_every_code_of_the_table_is_known(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    assert {code for code, _, _ in ROWS if not 200 <= code <= 299} == set(CODES)
    for code, status, remedy in ROWS:
        platform.answers(Reply(status, graph_error(code)))
        error = refused(whatsapp)
        assert (error.code, error.status, error.remedy) == (code, status, remedy)
        assert error.meaning.endswith(".")
        # The outcome is known, and the base classes say whether to try again.
        assert not isinstance(error, NotSent | OutcomeUnknown)
        assert isinstance(error, RetryLater) == (remedy in RETRY_RULES) != isinstance(error, Refused)


def test_a_later_status_is_understood_by_the_same_table() -> None:
    assert known_error(131047) == CODES[131047] and CODES[131047].remedy is Remedy.SEND_TEMPLATE
    assert known_error(210) is not None and known_error(300) is None


@pytest.mark.parametrize(
    ("status", "error", "remedy"),
    [
        (400, {"code": 999999}, Remedy.FIX_REQUEST),
        (404, {"code": 999999}, Remedy.FIX_REQUEST),
        (429, {"code": 999999}, Remedy.BACK_OFF),
        (500, {"code": 999999}, Remedy.BACK_OFF),
        (401, {"code": 999999}, Remedy.FIX_CREDENTIALS),
        (403, {"code": 999999}, Remedy.FIX_ACCOUNT),
        (400, {"code": 999999, "is_transient": True}, Remedy.BACK_OFF),
        (400, {"code": 100, "is_transient": True}, Remedy.FIX_REQUEST),
        (200, {"code": 131009}, Remedy.FIX_REQUEST),
    ],
)
def test_an_unknown_code_is_classified_by_its_http_status(
    whatsapp: WhatsApp, platform: ScriptedPlatform, status: int, error: dict[str, Any], remedy: Remedy
) -> None:
    platform.answers(Reply(status, {"error": error}))
    assert refused(whatsapp).remedy is remedy


def test_what_the_platform_quotes_is_not_in_the_errors_text(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    details = {"messaging_product": "whatsapp", "details": "Button title of Ana exceeds 20 characters"}
    platform.answers(Reply(400, graph_error(131009, error_data=details, error_subcode=2494010)))
    error = refused(whatsapp)
    assert str(error) == "whatsapp: HTTP 400, code 131009" and "Ana" not in repr(error)


@pytest.mark.parametrize("data", [None, [], 3, {"details": {}}, {"details": None}])
def test_a_malformed_error_is_still_an_error(whatsapp: WhatsApp, platform: ScriptedPlatform, data: Any) -> None:
    platform.answers(Reply(400, {"error": {"code": 131009, "error_data": data, "message": 7, "error_subcode": "x"}}))
    error = refused(whatsapp)
    assert error.code == 131009


USAGE = '{"1":[{"type":"whatsapp","estimated_time_to_regain_access":19},{"estimated_time_to_regain_access":2}]}'


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({}, None),
        ({"Retry-After": "30"}, 30),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-5"}, None),
        ({"Retry-After": "999999999"}, 86400),
        ({"Retry-After": "Wed, 01 Jan 2025 00:01:00 GMT", "Date": "Wed, 01 Jan 2025 00:00:00 GMT"}, 60),
        ({"Retry-After": "Wed, 01 Jan 2025 00:00:00 GMT", "Date": "Wed, 01 Jan 2025 00:01:00 GMT"}, 0),
        ({"X-Business-Use-Case-Usage": USAGE}, 19 * 60),
        ({"X-Business-Use-Case-Usage": USAGE, "Retry-After": "30"}, 19 * 60),
        ({"X-Business-Use-Case-Usage": "{"}, None),
        ({"X-Business-Use-Case-Usage": "[1]"}, None),
        ({"X-Business-Use-Case-Usage": '{"1": 5, "2": [6], "3": [{"estimated_time_to_regain_access": "9"}]}'}, None),
        ({"X-Business-Use-Case-Usage": '{"1":[{"estimated_time_to_regain_access":0}]}'}, None),
    ],
)
def test_how_long_to_wait(
    whatsapp: WhatsApp, platform: ScriptedPlatform, headers: dict[str, str], wait: float | None
) -> None:
    platform.date = headers.get("Date")
    shown = {name: value for name, value in headers.items() if name != "Date"}
    platform.answers(Reply(400, graph_error(4), headers=shown))
    error = refused(whatsapp)
    assert isinstance(error, WhatsAppRetryLater) and error.retry_after == wait


@pytest.mark.parametrize(
    ("reply", "remedy"),
    [
        (Reply(404, b"<html>Not found</html>"), Remedy.FIX_REQUEST),
        (Reply(403, b""), Remedy.FIX_ACCOUNT),
        (Reply(401, b"who?"), Remedy.FIX_CREDENTIALS),
        (Reply(413, {"message": "too large"}), Remedy.FIX_REQUEST),
        (Reply(429, b"slow down", headers={"Retry-After": "7"}), Remedy.BACK_OFF),
        (Reply(408, b""), Remedy.BACK_OFF),
        (Reply(400, {"error": "a text"}), Remedy.FIX_REQUEST),
        (Reply(400, {"error": {"code": "190"}}), Remedy.FIX_REQUEST),
        (Reply(302, b"", headers={"Location": "https://elsewhere.example/"}), Remedy.FIX_ACCOUNT),
    ],
)
def test_a_proxy_that_refuses_is_certain_too(
    whatsapp: WhatsApp, platform: ScriptedPlatform, reply: Reply, remedy: Remedy
) -> None:
    platform.answers(reply)
    error = refused(whatsapp)
    assert (error.remedy, error.code, error.status) == (remedy, None, reply.status)
    assert isinstance(error, WhatsAppRefused if remedy not in RETRY_RULES else WhatsAppRetryLater)
    assert len(platform.requests) == 1


@pytest.mark.parametrize(
    "reply",
    [
        Reply(502, b"<html><h1>Bad gateway</h1></html>", headers={"Content-Type": "text/html"}),
        Reply(503, b""),
        Reply(504, {"message": "upstream"}),
        Reply(500, {"error": {"message": "a proxy's own"}}),
        Reply(200, b""),
        Reply(200, b"<html>Log in to the hotel's network</html>"),
        Reply(200, b"[]"),
        Reply(200, b"{}"),
        Reply(200, b'{"messages": []}'),
        Reply(200, b'{"messages": [{"id": 5}]}'),
        Reply(200, b'{"messages": [{"id": "wamid'),
        Reply(200, b'{"messages": [{"id": "wamid.X"}]}', missing_bytes=10),
        Reply(200, b"[" * 100_000),
        Reply(200, b"\xff\xfe\x00"),
        Reply(200, b'{"n": ' + b"9" * 5000 + b"}"),
        Reply(200, b"not compressed", headers={"Content-Encoding": "gzip"}),
        Reply(200, gzip.compress(b" " * 9_000_000), headers={"Content-Encoding": "gzip"}),
        Reply(closes=True),
        Reply(never_answers=True),
        Reply(200, b" " * 1000, seconds_per_byte=0.05),
    ],
)
def test_what_nobody_can_know_raises_outcome_unknown(
    whatsapp: WhatsApp, platform: ScriptedPlatform, reply: Reply
) -> None:
    platform.answers(reply)
    with pytest.raises(OutcomeUnknown):
        whatsapp.send(HELLO)
    # The slow answer was not read to its end.
    assert platform.slow_bytes < 1000
    # Once, and never again by itself.
    assert len(platform.requests) == 1


def test_an_unknown_outcome_may_come_with_a_wait(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    platform.answers(Reply(503, b"", headers={"Retry-After": "9"}))
    with pytest.raises(OutcomeUnknown) as unknown:
        whatsapp.send(HELLO)
    assert unknown.value.retry_after == 9


def test_after_a_broken_connection_the_next_call_succeeds(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    good = platform.replies[0]
    platform.answers(Reply(closes=True), Reply(200, b"{", missing_bytes=5), good)
    for _ in range(2):
        with pytest.raises(OutcomeUnknown):
            whatsapp.send(HELLO)
    assert whatsapp.send(HELLO).wa_id == "584125551111"


@pytest.mark.parametrize("url", ["http://127.0.0.1:{port}", "http://nobody.invalid", "https://127.0.0.1:{open}"])
def test_what_certainly_did_not_arrive_raises_not_sent(platform: ScriptedPlatform, url: str) -> None:
    """No server at the port, no host of that name, or a server without TLS."""
    with (
        ReservedPort() as port,
        client(url.format(port=port, open=platform.server_address[1])) as whatsapp,
        pytest.raises(NotSent),
    ):
        whatsapp.send(HELLO)
    assert platform.requests == []


def test_a_connection_that_takes_no_bytes_raises_not_sent() -> None:
    """A server that accepts and never reads: most of the file is still here."""
    over = Event()
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        listener.bind(("127.0.0.1", 0))
        listener.listen()

        def accept() -> None:
            connection, _ = listener.accept()
            over.wait(20)
            connection.close()

        thread = Thread(target=accept)
        thread.start()
        size = 40_000_000
        try:
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            with client(url, whatsapp_seconds=0.3) as whatsapp, pytest.raises(NotSent):
                whatsapp.media.upload(BytesIO(bytes(size)), "a.pdf", "application/pdf", size)
        finally:
            over.set()
            thread.join()


@pytest.mark.parametrize("token", ["two\nlines", "with\0nul"])
def test_a_token_that_cannot_be_a_header_is_refused(platform: ScriptedPlatform, token: str) -> None:
    with client(platform.url, whatsapp_token=token) as whatsapp, pytest.raises(Refused):
        whatsapp.send(HELLO)
    assert platform.requests == []


@pytest.mark.slow
def test_the_environment_cannot_send_the_token_through_a_proxy(platform: ScriptedPlatform) -> None:
    script = (
        "from tests.channels.whatsapp.scripted_platform import client\n"
        "from tests.channels.whatsapp.test_errors import HELLO\n"
        f"with client('{platform.url}') as whatsapp:\n"
        "    whatsapp.send(HELLO)\n"
    )
    with ReservedPort() as port:
        proxies = dict.fromkeys(("HTTP_PROXY", "http_proxy", "ALL_PROXY"), f"http://127.0.0.1:{port}")
        subprocess.run([sys.executable, "-c", script], check=True, timeout=60, env=os.environ | proxies)
    assert len(platform.requests) == 1
