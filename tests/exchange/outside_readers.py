"""Readers of Health Cards and Health Links that are not ours, each in a process of its own, and an HTTPS server from
which they fetch keys and files. Where one is not installed the test is skipped, and says so."""

import json
import os
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from ipaddress import IPv4Address
from pathlib import Path
from shutil import which
from tempfile import mkdtemp
from threading import Thread
from typing import Any, NamedTuple

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
# A folder with health-cards-dev-tools-b9b961d.tar.gz, which is on no registry.
VALIDATORS = Path(os.environ.get("FICHA_VALIDATORS") or HERE.parents[2] / "shared/validators")
ARCHIVE = "health-cards-dev-tools-b9b961d.tar.gz"
SECONDS = 300
# Where health-cards-dev-tools is wrong by the specification. Its cut-down schema lacks these kinds of R4: of such an
# entry it says that and looks no further. It lacks `extension` too, which R4 lets every element have.
KINDS_IT_LACKS = ("MedicationStatement", "Procedure", "Device", "DeviceUseStatement", "Flag")
WORDS_ELSEWHERE = {
    "extension": [{"url": "http://hl7.org/fhir/StructureDefinition/data-absent-reason", "valueCode": "as-text"}]
}
# And it is older than these properties of a file in a manifest (STU 1): of a bundle, and of a card.
WRONG_OF_MANIFESTS = [
    "warn: Unexpected properties on manifest file : status,lastUpdated,fhirVersion",
    "warn: Unexpected properties on manifest file : status,lastUpdated",
]


class AnsweredRequest(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


# What a method and a path with its query are answered with, given the headers and the body of the request.
AnswerRequest = Callable[[str, str, dict[str, str], bytes], AnsweredRequest]


class HttpsServer(NamedTuple):
    url: str
    # The only certificate that the readers must trust.
    certificate: Path


@contextmanager
def https_server(answer: AnswerRequest, folder: Path) -> Iterator[HttpsServer]:
    """`answer` is called in threads of the server."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.do_POST()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            told = answer(self.command, self.path, dict(self.headers), body)
            self.send_response(told.status)
            for name, value in told.headers.items():
                if name.lower() not in ("content-length", "connection", "transfer-encoding"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(told.body)))
            self.end_headers()
            self.wfile.write(told.body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    certificate = _own_certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(certificate)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield HttpsServer(f"https://127.0.0.1:{server.server_port}", certificate)
    finally:
        server.shutdown()
        server.server_close()


def healthcards_claims(numeric: str, server: HttpsServer) -> dict[str, Any]:
    """What `healthcards` (PyPI) reads of the text of a QR; it fetches the keys and verifies."""
    if find_spec("healthcards") is None:
        pytest.skip("healthcards is not installed")
    program = (
        "import json, sys; from healthcards.parser import JWS, decode_qr_to_jws;"
        "card = JWS(decode_qr_to_jws(sys.stdin.read())); assert card.verified; print(json.dumps(card.payload))"
    )
    env = os.environ | {"SSL_CERT_FILE": str(server.certificate)}
    found: dict[str, Any] = json.loads(_said([sys.executable, "-c", program], env, numeric))
    return found


def run_kill_the_clipboard(program: str, server: HttpsServer, **given: Any) -> Any:
    """Runs a program of JavaScript in which `kit` is kill-the-clipboard 1.1.0 and `given` what is given, and returns
    what its `answer` is at its end."""
    if which("node") is None or not (MODULES / "kill-the-clipboard").exists():
        pytest.skip("kill-the-clipboard is not installed: make fhir")
    folder = Path(mkdtemp(prefix="kit-"))
    (folder / "node_modules").symlink_to(MODULES.resolve())
    file = folder / "program.mjs"
    file.write_text(
        "import * as kit from 'kill-the-clipboard';\n"
        f"const given = {json.dumps(given)};\nlet answer = null;\n{program}\n"
        "process.stdout.write('\\n' + JSON.stringify(answer));\n"
    )
    env = os.environ | {"NODE_EXTRA_CA_CERTS": str(server.certificate)}
    return json.loads(_said(["node", str(file)], env).rpartition("\n")[2])


def kill_the_clipboard_bundle(numeric: str, server: HttpsServer) -> dict[str, Any]:
    """What it reads of the text of a QR with the keys and lists of its issuer. The name of its error, if it refuses."""
    found: dict[str, Any] = run_kill_the_clipboard(
        """
        const directory = await kit.Directory.fromURLs([given.issuer]);
        const reader = new kit.SHCReader({issuerDirectory: directory, enableQROptimization: false});
        try {
            const card = await reader.fromQRNumeric(given.numeric);
            answer = await card.asBundle({optimizeForQR: false});
        } catch (error) { answer = {refused: error.constructor.name, why: error.message}; }
        """,
        server,
        issuer=server.url,
        numeric=numeric,
    )
    return found


def kill_the_clipboard_opens(link: str, server: HttpsServer, passcode: str = "", longest: int | None = None) -> Any:
    """What its SHLViewer finds behind a link, with the cards in it. The name of its error, if it refuses."""
    return run_kill_the_clipboard(
        """
        const asked = {recipient: 'Dra. Rosa Silva', passcode: given.passcode || undefined};
        if (given.longest !== null) asked.embeddedLengthMax = given.longest;
        asked.shcReaderConfig = {issuerDirectory: await kit.Directory.fromURLs([given.issuer]), verifyExpiration: true};
        try {
            const viewer = new kit.SHLViewer({shlinkURI: given.link});
            const found = await viewer.resolveSHL(asked);
            answer = {
                label: viewer.shl.label,
                resources: found.fhirResources,
                cards: await Promise.all(found.smartHealthCards.map(one => one.asBundle({optimizeForQR: false}))),
                located: (found.manifest?.files ?? []).filter(one => one.location).length,
            };
        } catch (error) { answer = {refused: error.constructor.name, why: error.message}; }
        """,
        server,
        issuer=server.url,
        link=link,
        passcode=passcode,
        longest=longest,
    )


def dev_tools_complaints(kind: str, content: str | bytes, server: HttpsServer, *options: str) -> list[str]:
    """What health-cards-dev-tools has to say against it, warnings too; nothing, if all is well. `kind` is one of its
    types: qr (a PNG), qrnumeric, healthcard, jws, jwkset, shlink."""
    folder = _dev_tools()
    suffix = {"qr": ".png", "healthcard": ".smart-health-card"}.get(kind, ".txt")
    given = Path(mkdtemp(prefix="given-")) / f"given{suffix}"
    given.write_bytes(content if isinstance(content, bytes) else content.encode())
    log = given.with_suffix(".log")
    env = os.environ | {"NODE_EXTRA_CA_CERTS": str(server.certificate), "NO_COLOR": "1"}
    command = ["node", str(folder), "--path", str(given), "--type", kind, "--loglevel", "warning", "--logout", str(log)]
    _said([*command, *options], env, cwd=folder, any_end=True)
    [run] = json.loads(log.read_text())
    # By kind it tells a list of findings, each with its level, or a list of parts with their findings by level.
    levels = {2: "warn", 3: "error", 4: "fatal"}
    complaints = [f"{levels[one['level']]}: {one['message']}" for one in run["log"] if one.get("level") in levels]
    complaints += [
        f"{level}: {one['message']}" for part in run["log"] for level in levels.values() for one in part.get(level, ())
    ]
    return complaints


def wrong_complaints(card: Mapping[str, Any]) -> list[str]:
    """All that it says against the bundle of a card that is right: each complaint whole, by what stands there."""
    found = []
    for place, entry in enumerate(card["entry"]):
        kind = entry["resource"]["resourceType"]
        if kind in KINDS_IT_LACKS:
            found.append(f"error: Schema: /entry/{place}/{kind} unknown Entry type")
        elif entry["resource"].get("code") == WORDS_ELSEWHERE:
            found.append(f"error: Schema: /entry/{place}/{kind}/code additional property 'extension' not allowed")
    return found


def _said(
    command: list[str], env: dict[str, str], given: str = "", cwd: Path | None = None, *, any_end: bool = False
) -> str:
    done = subprocess.run(
        command, env=env, input=given, capture_output=True, text=True, timeout=SECONDS, cwd=cwd, check=False
    )
    assert any_end or done.returncode == 0, done.stderr
    return done.stdout


@cache
def _dev_tools() -> Path:
    """Unpacked and built once a run, outside the tree."""
    if which("npm") is None or not (VALIDATORS / ARCHIVE).exists():
        pytest.skip("health-cards-dev-tools is not here: FICHA_VALIDATORS names its folder")
    built = os.environ.get("FICHA_DEV_TOOLS_BUILT")
    if built:
        return Path(built)
    folder = Path(mkdtemp(prefix="dev-tools-"))
    # Not by Python: how it unpacks safely is newer than the oldest that we support.
    _said(["tar", "xzf", str(VALIDATORS / ARCHIVE), "-C", str(folder)], dict(os.environ))
    [tool] = folder.iterdir()
    install = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
    # The picture library that it names compiles itself; the newer one comes compiled.
    for command in (install, [*install, "sharp@0.33"], ["npx", "tsc"]):
        try:
            _said(command, dict(os.environ), cwd=tool)
        except (AssertionError, subprocess.TimeoutExpired):
            pytest.skip("health-cards-dev-tools could not be built: its packages are not to be had")
    return tool


def _own_certificate(folder: Path) -> Path:
    """A key and a certificate for this machine, in one file."""
    key, name = generate_private_key(SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, SHA256())
    )
    file = folder / "certificate.pem"
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.write_bytes(private + made.public_bytes(Encoding.PEM))
    return file
