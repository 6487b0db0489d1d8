"""Receivers of webhooks: real HTTP servers on loopback that are down, slow, lying or gone when a test says so."""

import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any, NamedTuple

from ficha.webhooks.webhooks import signature
from ficha.worker import webhook_sender
from tests.world import Person, World

EMERGENCIES = ["emergency.changed", "emergency.opened"]


class ReceivedCall(NamedTuple):
    headers: dict[str, str]
    body: bytes

    @property
    def told(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found

    def is_signed_with(self, secret: str) -> bool:
        """One of its signatures is of this secret."""
        seconds, *given = self.headers["Ficha-Signature"].split(",")
        expected = signature([secret.encode()], int(seconds.removeprefix("t=")), self.body)
        return expected.partition(",")[2] in given


class Receiver:
    """`statuses` answers the first calls, then it is 200. `held` keeps answers back until it is set; `is_endless` never
    stops to talk."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self.calls: list[ReceivedCall] = []
        self.statuses: list[int] = []
        self.headers: dict[str, str] = {}
        self.is_endless = False
        self.held = Event()
        self.held.set()
        shared = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                shared.calls.append(ReceivedCall(dict(self.headers), body))
                status = shared.statuses.pop(0) if shared.statuses else 200
                shared.held.wait(60)
                try:
                    self.send_response(status)
                    for name, value in shared.headers.items():
                        self.send_header(name, value)
                    self.end_headers()
                    while shared.is_endless:
                        self.wfile.write(b"x" * 65536)
                except OSError:
                    pass  # Whoever called has gone.

            def do_GET(self) -> None:
                self.do_POST()

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if context is not None:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = f"http{'s' if context else ''}://127.0.0.1:{self.server.server_port}/ficha"
        Thread(target=self.server.serve_forever, daemon=True).start()

    def told(self) -> list[dict[str, Any]]:
        return [call.told for call in self.calls]

    def close(self) -> None:
        self.is_endless = False
        self.held.set()
        self.server.shutdown()
        self.server.server_close()


@contextmanager
def receiving(context: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    receiver = Receiver(context)
    try:
        yield receiver
    finally:
        receiver.close()


def register(person: Person, url: str, kinds: list[str] | None = None) -> tuple[str, str]:
    """The path of the new webhook, and its secret."""
    answer = person.post("/v2/webhooks", {"url": url, "kinds": kinds or EMERGENCIES})
    assert answer.status_code == 201, answer.text
    data = answer.json()["data"]
    return f"/v2/webhooks/{data['id']}", data["attributes"]["secret"]


def deliver(world: World, after: timedelta = timedelta()) -> None:
    world.clock.move(seconds=after.total_seconds())
    webhook_sender(world.parts).run_turn()


def certificate_for_loopback(folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's, and that of a caller who trusts it."""
    from datetime import UTC, datetime
    from ipaddress import ip_address

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name, now = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "receiver")]), datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = folder / "receiver.pem"
    plain, no_password = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, plain, no_password)
        + made.public_bytes(serialization.Encoding.PEM)
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(file)
    return server, ssl.create_default_context(cadata=made.public_bytes(serialization.Encoding.PEM).decode())
