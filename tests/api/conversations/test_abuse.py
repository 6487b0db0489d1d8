"""Paths, headers and bodies that try to reach another host or path through us. A real server gets them as bytes, since
a client would correct them first."""

import json
import shutil
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from ficha.sandbox.chatwoot.journal import ChatwootRequest
from ficha.sandbox.server import Sandbox
from tests.local_http import PATIENCE
from tests.processes import Server

TOKEN = "api_access_token: sandbox-chatwoot-token"
JSON = "Content-Type: application/json"
LABELS = "/v1/accounts/1/labels"
CONTACT = "/v1/inboxes/sandbox-inbox/contacts"
# What may reach the platform, when something of a request may: the operations' own paths.
OWN_PATHS = ("/api/v1/accounts/1/labels", "/api/v1/accounts/1/contacts")


@dataclass
class Abused:
    """The server, the platform behind it, and somebody else whom nobody may reach through us."""

    server: Server
    sandbox: Sandbox
    other_host: str
    reached: list[str]

    def send(self, line: str, *headers: str, body: bytes = b"") -> tuple[int, bytes]:
        """Status and body; 0 if the server closed the connection without an answer."""
        head = [f"{line} HTTP/1.1", "Connection: close", *headers]
        if not any(header.lower().startswith("host:") for header in headers):
            head.append(f"Host: 127.0.0.1:{self.server.port}")
        if body and not any(header.lower().startswith(("content-length", "transfer-enc")) for header in headers):
            head.append(f"Content-Length: {len(body)}")
        raw = "\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + body
        answer = b""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE) as line_:
            try:
                line_.sendall(raw)
                while chunk := line_.recv(65536):
                    answer += chunk
            except ConnectionError:
                pass
        status, _, rest = answer.partition(b"\r\n")
        return int(status.split()[1]) if answer else 0, rest.partition(b"\r\n\r\n")[2]

    def requests(self) -> list[ChatwootRequest]:
        entries = self.sandbox.call(lambda platforms: list(platforms.chatwoot.journal.entries))
        return [each for each in entries if isinstance(each, ChatwootRequest)]


@pytest.fixture(scope="module")
def abused(sqlite_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Abused]:
    folder = tmp_path_factory.mktemp("abuse")
    shutil.copy(sqlite_file, folder / "ficha.db")
    reached: list[str] = []

    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            reached.append(self.path)
            self.send_response(200)
            self.end_headers()

        do_POST = do_PATCH = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Silence."""

    other = ThreadingHTTPServer(("127.0.0.1", 0), Other)
    Thread(target=other.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    with (
        Sandbox() as sandbox,
        Server(
            f"sqlite:///{folder / 'ficha.db'}",
            folder / "data",
            FICHA_LOG_LEVEL="error",
            FICHA_WHATSAPP_BASE_URL=sandbox.url,
            FICHA_CHATWOOT_BASE_URL=sandbox.url,
            FICHA_CHATWOOT_BRIDGE="false",  # It asks the platform by itself.
        ) as server,
    ):
        yield Abused(server, sandbox, f"127.0.0.1:{other.server_address[1]}", reached)
    other.shutdown()
    other.server_close()


# What is refused before anything reaches the platform: the statuses that may be answered, and the request.
REFUSED: dict[str, tuple[set[int], list[str]]] = {
    "an encoded slash": ({404}, ["GET /v1/accounts/1%2F2/labels", TOKEN]),
    "a slash encoded twice": ({422}, ["GET /v1/accounts/1%252F2/labels", TOKEN]),
    "dots": ({404}, ["GET /v1/accounts/../../api/v1/profile", TOKEN]),
    "encoded dots": ({404, 422}, ["GET /v1/accounts/%2e%2e/labels", TOKEN]),
    "dots for a contact": ({404, 422}, [f"GET {CONTACT}/%2e%2e/conversations"]),
    "dots encoded twice": ({422}, [f"GET {CONTACT}/%252e%252e%252f/conversations"]),
    "a backslash": ({422}, [f"GET {CONTACT}/..%5c..%5cprofile/conversations"]),
    "a second slash": ({404}, ["GET /v1/accounts//labels", TOKEN]),
    "an address in the path": ({404}, ["GET /v1/accounts/http://{other}/labels", TOKEN]),
    "an encoded address": ({404, 422}, [f"GET {CONTACT}/http:%2f%2f{{other}}%2f/conversations"]),
    "a user before a host": ({422}, [f"GET {CONTACT}/x%40{{other}}%23/conversations"]),
    "a line break in the path": ({422}, [f"GET {CONTACT}/a%0d%0aHost:%20{{other}}/conversations"]),
    "a zero byte": ({400, 422}, [f"GET {CONTACT}/a%00b/conversations"]),
    "a question mark": ({422}, ["GET /v1/accounts/1%3Fx=/labels", TOKEN]),
    "a hash": ({422}, ["GET /v1/accounts/1%23/labels", TOKEN]),
    "a semicolon": ({422}, [f"GET {CONTACT}/a;b/conversations"]),
    "digits of another script": ({422}, ["GET /v1/accounts/%EF%BC%91/labels", TOKEN]),
    "a number without end": ({422}, [f"GET /v1/accounts/{'9' * 300}/labels", TOKEN]),
    "another operation of the platform": ({404}, ["GET /v1/accounts/1/webhooks", TOKEN]),
    "another method": ({404, 405}, ["DELETE /v1/accounts/1/contacts", TOKEN]),
    "a parameter of our own": ({422}, [f"GET {LABELS}?host={{other}}", TOKEN]),
    "a doubled token": ({400}, [f"GET {LABELS}", TOKEN, "api_access_token: otro"]),
    "a token in both spellings": ({400}, [f"GET {LABELS}", TOKEN, "Api-Access-Token: otro"]),
    "a doubled host": ({400}, [f"GET {LABELS}", TOKEN, "Host: a", "Host: {other}"]),
    "a token of ours": ({401}, [f"GET {LABELS}", "api_access_token: 7|abcdef"]),
    "a token that is no word": ({401}, [f"GET {LABELS}", "api_access_token: a b\tc"]),
    "a line break in a header": ({0, 400}, [f"GET {LABELS}", "api_access_token: a\rHost: {other}"]),
    "a folded header": ({0, 400}, [f"GET {LABELS}", "api_access_token: a\r\n Host: {other}"]),
    "a huge header": ({0, 400, 431}, [f"GET {LABELS}", f"api_access_token: {'a' * 1_000_000}"]),
    "a long token": ({401}, [f"GET {LABELS}", f"api_access_token: {'a' * 4000}"]),
}
BODIES = {
    "a body that is no JSON": ({400}, JSON, b"{"),
    "a body that is a list": ({422}, JSON, b"[]"),
    "a name twice": ({400}, JSON, b'{"name":"a","name":"b"}'),
    "a deep body": ({400}, JSON, b'{"a":' * 70 + b"1" + b"}" * 70),
    "a body of another type": ({415}, "Content-Type: application/x-www-form-urlencoded", b"name=a"),
    "a body without a type": ({415}, "X-Nothing: 1", b'{"name":"a"}'),
    "a huge body": ({0, 413}, JSON, b'{"a":"' + b"x" * 1_100_000 + b'"}'),
    "two lengths": ({0, 400}, "Content-Length: 5\r\nContent-Length: 9", b'{"name":"a"}'),
    "a length and chunks": (
        {0, 400},
        f"{JSON}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked",
        b'5\r\n{"a":\r\n0\r\n\r\n',
    ),
}
FORMS = {
    "a form without a boundary": "multipart/form-data",
    "a boundary with a line break": 'multipart/form-data; boundary="a%0d%0aX-Evil: 1"',
    "a second parameter": "multipart/form-data; boundary=a; charset=utf-7",
    "another multipart": "multipart/mixed; boundary=a",
}


@pytest.mark.parametrize("kind", REFUSED)
def test_requests_that_do_not_get_through(abused: Abused, kind: str) -> None:
    statuses, lines = REFUSED[kind]
    before = len(abused.requests())
    status, body = abused.send(*(text.replace("{other}", abused.other_host) for text in lines))
    check_refused(abused, before, statuses, status, body)


@pytest.mark.parametrize("kind", BODIES)
def test_bodies_that_do_not_get_through(abused: Abused, kind: str) -> None:
    statuses, header, content = BODIES[kind]
    before = len(abused.requests())
    status, body = abused.send("POST /v1/accounts/1/contacts", TOKEN, header, body=content)
    check_refused(abused, before, statuses, status, body)


@pytest.mark.parametrize("kind", FORMS)
def test_forms_that_do_not_get_through(abused: Abused, kind: str) -> None:
    before = len(abused.requests())
    header = f"Content-Type: {FORMS[kind]}"
    status, body = abused.send("POST /v1/accounts/1/conversations/1/attachments", TOKEN, header, body=b"--a--")
    check_refused(abused, before, {415}, status, body)


def check_refused(abused: Abused, before: int, statuses: set[int], status: int, body: bytes) -> None:
    assert status in statuses
    assert len(abused.requests()) == before and abused.reached == []
    if body.startswith(b"{"):
        [problem, *_] = json.loads(body)["errors"]
        assert problem["status"] == status and problem["detail"].endswith(".")
        assert abused.other_host.encode() not in body
    else:
        assert status in (0, 400, 431)  # Refused by the server itself, before it was a request.


def test_what_is_harmless_gets_through_without_the_rest(abused: Abused) -> None:
    """An absolute address names us, whatever its host; headers about hosts and methods stay here."""
    before = len(abused.requests())
    hostile = (
        "X-Forwarded-Host: {other}",
        "Forwarded: host={other}",
        "X-HTTP-Method-Override: DELETE",
        "X-Original-URL: /api/v1/profile",
        "Cookie: a=b",
        "Authorization: Bearer 7|abc",
    )
    headers = [header.replace("{other}", abused.other_host) for header in hostile]
    assert abused.send(f"GET {LABELS}", TOKEN, *headers)[0] == 200
    assert abused.send(f"GET http://{abused.other_host}{LABELS}", TOKEN)[0] in (200, 400, 404)
    assert abused.send("POST /v1/accounts/1/contacts", TOKEN, JSON, body=b'{"name":"a","host":"evil"}')[0] == 200
    for each in abused.requests()[before:]:
        assert each.target in OWN_PATHS and each.method in ("GET", "POST")
        known = {"host", "accept", "accept-encoding", "user-agent", "api-access-token", "connection"}
        assert set(each.headers) <= known | {"content-type", "content-length"}
        assert each.headers["host"] == abused.sandbox.url.removeprefix("http://")
    assert abused.reached == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("place", ["http://{other}/x", "//{other}/x", "/api/v1/profile"])
def test_redirects_are_not_followed(abused: Abused, status: int, place: str) -> None:
    rule = {"action": "http", "status": status, "location": place.replace("{other}", abused.other_host), "body": ""}
    abused.sandbox.call(lambda platforms: platforms.chatwoot.faults.set([rule]))
    before = len(abused.requests())
    got, body = abused.send(f"GET {LABELS}", TOKEN)
    abused.sandbox.call(lambda platforms: platforms.chatwoot.faults.set([]))
    assert got == 502 and json.loads(body)["errors"][0]["code"] == "plataforma_redirige"
    assert [each.target for each in abused.requests()[before:]] == [OWN_PATHS[0]] and abused.reached == []
