"""A push service and the browsers behind it: a real HTTP server, which checks who sends and decrypts what comes.

It is written from RFC 8188, 8291 and 8292 and shares no code with the service.
"""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_bytes, token_urlsafe
from threading import Thread
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def unpacked(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def packed(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


@dataclass
class SubscribedPhone:
    """A browser that subscribed."""

    address: str
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    auth: bytes = field(default_factory=lambda: token_bytes(16))
    shown: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    # What the push service answers for it.
    status: int = 201

    @property
    def point(self) -> bytes:
        return self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    def subscription(self) -> dict[str, Any]:
        """As `PushSubscription.toJSON()` says it."""
        keys = {"p256dh": packed(self.point), "auth": packed(self.auth)}
        return {"endpoint": self.address, "expirationTime": None, "keys": keys}

    def decrypted(self, body: bytes) -> bytes:
        salt, size, id_length = body[:16], int.from_bytes(body[16:20]), body[20]
        theirs, sealed = body[21 : 21 + id_length], body[21 + id_length :]
        assert len(sealed) <= size
        sender = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), theirs)
        shared = self.key.exchange(ec.ECDH(), sender)
        secret = HKDF(SHA256(), 32, self.auth, b"WebPush: info\0" + self.point + theirs).derive(shared)
        key = HKDF(SHA256(), 16, salt, b"Content-Encoding: aes128gcm\0").derive(secret)
        nonce = HKDF(SHA256(), 12, salt, b"Content-Encoding: nonce\0").derive(secret)
        plain = AESGCM(key).decrypt(nonce, sealed, None).rstrip(b"\0")
        assert plain[-1:] == b"\2"
        return plain[:-1]


class PushService:
    def __init__(self, server: ThreadingHTTPServer) -> None:
        self.host = f"127.0.0.1:{server.server_address[1]}"
        self.phones: dict[str, SubscribedPhone] = {}
        self.faults: list[str] = []

    def phone(self) -> SubscribedPhone:
        path = f"/send/{token_urlsafe(24)}"
        self.phones[path] = SubscribedPhone(f"http://{self.host}{path}")
        return self.phones[path]

    def take(self, path: str, headers: dict[str, str], body: bytes) -> int:
        phone = self.phones.get(path)
        if phone is None:
            return 404
        if phone.status != 201:
            return phone.status
        try:
            self._check(headers)
            phone.shown.append(json.loads(phone.decrypted(body)))
            phone.headers.append(headers)
            phone.bodies.append(body)
        except Exception as error:
            self.faults.append(repr(error))
            return 400
        return 201

    def _check(self, headers: dict[str, str]) -> None:
        """Who sends, by the signature of its token; and what a real one insists upon."""
        scheme, _, rest = headers["authorization"].partition(" ")
        given = dict(part.strip().split("=", 1) for part in rest.split(","))
        signed, _, mark = given["t"].rpartition(".")
        sender = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), unpacked(given["k"]))
        numbers = unpacked(mark)
        signature = encode_dss_signature(int.from_bytes(numbers[:32]), int.from_bytes(numbers[32:]))
        sender.verify(signature, signed.encode(), ec.ECDSA(SHA256()))
        claims = json.loads(unpacked(signed.split(".")[1]))
        assert scheme == "vapid" and claims["aud"] == f"http://{self.host}" and claims["sub"]
        assert headers["content-encoding"] == "aes128gcm" and int(headers["ttl"]) >= 0
        assert headers["content-type"] == "application/octet-stream"


@contextmanager
def push_service() -> Iterator[PushService]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            status = service.take(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.send_header("Location", f"http://{service.host}/message/1")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service = PushService(server)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield service
        assert service.faults == []
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
