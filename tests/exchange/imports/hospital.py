"""Another hospital: a real small HTTP server that makes SMART Health Links by the specification, and by nothing that is
ours. A test says what it answers, rightly or wrongly."""

import json
import os
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

IPS, CARD, JOSE, JSON = "application/fhir+json", "application/smart-health-card", "application/jose", "application/json"
SECRET = "I91rhba3VsuGXGchcnr6VHlQFKxfE28kuZ0ssbEuxno"


class Asked(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Told(NamedTuple):
    body: bytes
    status: int = 200
    headers: Mapping[str, str] = {}
    kind: str = JSON


def base64url(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def encrypted(key: bytes, content: bytes, cty: str | None = IPS, *, packs: bool = True, **header: Any) -> str:
    """Compact JWE by the primitives alone. `header` is written over what it should say; `packs`:
    whether the content is compressed as it says."""
    told = {"alg": "dir", "enc": "A256GCM", "zip": "DEF", "cty": cty} | header
    protected = base64url(json.dumps({name: value for name, value in told.items() if value is not None}).encode())
    if packs and told["zip"] == "DEF":
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        content = packer.compress(content) + packer.flush()
    nonce = os.urandom(12)
    sealed = AESGCM(key).encrypt(nonce, content, protected.encode())
    return ".".join([protected, "", base64url(nonce), base64url(sealed[:-16]), base64url(sealed[-16:])])


class Hospital:
    def __init__(self) -> None:
        self.key = os.urandom(32)
        self.asked: list[Asked] = []
        # By path, and what is said in general.
        self.answers: dict[str, Callable[[Asked], Told]] = {}
        self.respond: Callable[[Asked], Told] = self._answered
        hospital = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                asked = Asked(self.command, self.path, dict(self.headers), body)
                hospital.asked.append(asked)
                told = hospital.respond(asked)
                with suppress(OSError):  # Whoever asked may have gone.
                    self.send_response(told.status)
                    self.send_header("Content-Type", told.kind)
                    for name, value in told.headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(told.body)))
                    self.end_headers()
                    self.wfile.write(told.body)

            def do_GET(self) -> None:
                self.do_POST()

            def log_message(self, *_: object) -> None:
                """Silence."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def _answered(self, asked: Asked) -> Told:
        answer = self.answers.get(asked.path.partition("?")[0])
        return Told(b"", 404) if answer is None else answer(asked)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def link(self, **changes: Any) -> str:
        """As text. A property that is None is not in it."""
        told = {"url": f"{self.url}/m/{SECRET}", "key": base64url(self.key), "label": "Resumen", "v": 1} | changes
        minified = json.dumps({name: one for name, one in told.items() if one is not None}, separators=(",", ":"))
        return "shlink:/" + base64url(minified.encode())

    def says(self, body: Any, status: int = 200, path: str = f"/m/{SECRET}", kind: str = JSON, **headers: str) -> None:
        """From now on, at this path."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.answers[path] = lambda _asked: Told(content, status, headers, kind)

    def file(self, content: Any, cty: str | None = IPS, **header: Any) -> str:
        return encrypted(
            self.key, content if isinstance(content, bytes) else json.dumps(content).encode(), cty, **header
        )

    def lists(self, *files: dict[str, Any], passcode: str = "", tries: int = 10) -> None:
        """A manifest of these files, which asks for a passcode if there is one and counts the wrong ones."""
        left = [tries]

        def manifest(asked: Asked) -> Told:
            told = json.loads(asked.body)
            assert asked.method == "POST" and asked.headers["Content-Type"] == JSON and told["recipient"]
            if passcode and told.get("passcode") != passcode:
                left[0] -= 1
                return Told(json.dumps({"remainingAttempts": left[0]}).encode(), 401)
            return Told(json.dumps({"files": list(files)}).encode())

        self.answers[f"/m/{SECRET}"] = manifest

    def embeds(self, *contents: Any, **more: Any) -> None:
        """A manifest of summaries."""
        self.lists(*({"contentType": IPS, "embedded": self.file(one)} for one in contents), **more)
