"""Somebody else's server of Health Links and Health Cards, written after the specifications and with nothing of ours:
TLS, CORS, manifests, files in and beside them, passcodes with a count, key sets and lists of what was revoked."""

import json
import ssl
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_bytes, token_urlsafe
from threading import Lock, Thread
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from joserfc import jwe, jws
from joserfc.jwk import ECKey, OctKey

from tests.processes import Server

NOW = 1_700_000_000
ANY_HEADER = jws.JWSRegistry(strict_check_header=False)
Document = dict[str, Any]


def base64url(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def compact(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def deflated(content: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(content) + packer.flush()


class SeenRequest(NamedTuple):
    method: str
    path: str
    headers: str
    body: str


class Issuer:
    """One who signs cards. `path` is where its keys are; a server may have several."""

    def __init__(self, origin: str, path: str) -> None:
        self.iss = f"{origin}/{path}"
        self.key = ECKey.generate_key("P-256")
        self.kid: str = self.key.thumbprint()
        self.revoked: list[str] = []
        self.published: Document = {"use": "sig", "alg": "ES256", "kid": self.kid, "crlVersion": 1}

    def card(self, bundle: Document, *, rid: str | None = None, alg: str = "ES256", **claims: Any) -> str:
        """The JWS of a card."""
        proof = {"fhirVersion": "4.0.1", "fhirBundle": bundle}
        credential = {"type": ["https://smarthealth.cards#health-card"], "credentialSubject": proof}
        credential |= {"rid": rid} if rid else {}
        said = {"iss": self.iss, "nbf": NOW, "vc": credential, **claims}
        header = {"alg": alg, "zip": "DEF", "kid": self.kid}
        if alg != "ES256":
            return f"{base64url(compact(header))}.{base64url(deflated(compact(said)))}.{base64url(b'0' * 64)}"
        return jws.serialize_compact(header, deflated(compact(said)), self.key, ["ES256"], ANY_HEADER)

    def key_set(self) -> Document:
        return {"keys": [{**self.key.as_dict(private=False), **self.published}]}

    def revocations(self) -> Document:
        return {"kid": self.kid, "method": "rid", "ctr": 1, "rids": self.revoked}


def numeric(card: str) -> str:
    """As the QR of a card says it."""
    return "shc:/" + "".join(f"{ord(letter) - 45:02d}" for letter in card)


@dataclass
class SharedLink:
    """A link as its server keeps it. `files` are of a manifest, each as it goes out."""

    id: str
    key: bytes
    files: list[Document] = field(default_factory=list)
    passcode: str | None = None
    tries: int = 3
    is_ended: bool = False
    status: str = "finalized"

    def encrypted(self, content: Any, kind: str = "application/fhir+json", **header: Any) -> str:
        plain = content if isinstance(content, bytes) else compact(content)
        protected = {"alg": "dir", "enc": "A256GCM", "cty": kind, **header}
        return jwe.encrypt_compact(protected, plain, OctKey.import_key(self.key))

    def embed(self, content: Any, kind: str = "application/fhir+json", **header: Any) -> "SharedLink":
        self.files.append({"contentType": kind, "embedded": self.encrypted(content, kind, **header)})
        return self


class HealthServer:
    """Whatever it is asked is in `seen`. A link's address never has its key."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self.seen: list[SeenRequest] = []
        self.links: dict[str, SharedLink] = {}
        self.located: dict[str, str] = {}
        self.is_silent = False
        # Whom it speaks for at /ours, as a proxy with TLS does.
        self.behind: Server | None = None
        self._lock = Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.origin = f"https://127.0.0.1:{self._server.server_port}"
        self.issuers = {name: Issuer(self.origin, name) for name in ("ministry", "stranger")}
        Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def link(self, **more: Any) -> SharedLink:
        link = SharedLink(token_urlsafe(32), token_bytes(32), **more)
        self.links[link.id] = link
        return link

    def locate(self, link: SharedLink, content: Any, kind: str = "application/fhir+json") -> SharedLink:
        name = token_urlsafe(16)
        self.located[name] = link.encrypted(content, kind)
        link.files.append({"contentType": kind, "location": f"{self.origin}/f/{name}"})
        return link

    def text_of(self, link: SharedLink, **claims: Any) -> str:
        said = {"url": f"{self.origin}/m/{link.id}", "key": base64url(link.key), "v": 1, **claims}
        if link.passcode is not None:
            said.setdefault("flag", "P")
        return f"shlink:/{base64url(compact(said))}"

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: str) -> tuple[int, str, Any]:
        """Status, content type and content."""
        kind, _, name = path.strip("/").partition("/")
        if kind == "ours" and self.behind is not None:
            answer = self.behind.get(f"/{name}")
            return answer.status_code, "application/json", answer.text
        if kind == "m" and name in self.links:
            return self._open(self.links[name], method, query, body)
        if kind == "f" and name in self.located:
            return 200, "application/jose", self.located[name]
        issuer = self.issuers.get(kind)
        if issuer and name == ".well-known/jwks.json":
            return 200, "application/json", issuer.key_set()
        if issuer and name == f".well-known/crl/{issuer.kid}.json":
            return 200, "application/json", issuer.revocations()
        return 404, "application/json", {}

    def _open(self, link: SharedLink, method: str, query: dict[str, list[str]], body: str) -> tuple[int, str, Any]:
        if link.is_ended:
            return 404, "application/json", {}
        if method == "GET":
            return (200, "application/jose", link.files[0]["embedded"]) if query.get("recipient") else (400, "", {})
        asked = json.loads(body)
        if not asked.get("recipient"):
            return 400, "application/json", {}
        with self._lock:
            if link.passcode is not None and (link.tries == 0 or asked.get("passcode") != link.passcode):
                link.tries = max(0, link.tries - 1)
                return 401, "application/json", {"remainingAttempts": link.tries}
        return 200, "application/json", {"files": link.files, "status": link.status}


def _handler_of(shared: HealthServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            shared.seen.append(SeenRequest(self.command, self.path, str(self.headers), body))
            if shared.is_silent:
                self.close_connection = True
                return
            if self.command == "OPTIONS":
                self._send(204, "", b"")
                return
            parts = urlsplit(self.path)
            status, kind, content = shared.answer(self.command, parts.path, parse_qs(parts.query), body)
            self._send(status, kind, content.encode() if isinstance(content, str) else compact(content))

        def do_GET(self) -> None:
            self.do_POST()

        def do_OPTIONS(self) -> None:
            self.do_POST()

        def _send(self, status: int, kind: str, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Access-Control-Allow-Methods", "GET, POST")
            self.send_header("Access-Control-Allow-Headers", "content-type")
            if kind:
                self.send_header("Content-Type", kind)
            if status != 204:
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler


@contextmanager
def health_server(context: ssl.SSLContext) -> Iterator[HealthServer]:
    server = HealthServer(context)
    try:
        yield server
    finally:
        server.close()
