"""A device that keeps a passkey, in software: signs what a page of ours asks for."""

import base64
import hashlib
import json
import re
from dataclasses import dataclass, field
from html import unescape
from secrets import token_bytes
from typing import Any

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

ORIGIN = "http://testserver"
OPTIONS = re.compile(r'data-passkey="([^"]+)"')
PRESENT, VERIFIED, HAS_KEY = 0x01, 0x04, 0x40


def options_in(html: str) -> dict[str, Any]:
    found = OPTIONS.search(html)
    assert found is not None, "the page asks for no passkey"
    options: dict[str, Any] = json.loads(unescape(found.group(1)))
    return options


def base64url(plain: bytes) -> str:
    return base64.urlsafe_b64encode(plain).decode().rstrip("=")


@dataclass
class SoftwareKey:
    """`count` goes up by one with each answer; a key whose count stays at 0 counts nothing, as most do today."""

    counts: bool = True
    count: int = 0
    id: bytes = field(default_factory=lambda: token_bytes(32))
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def created(self, options: dict[str, Any], origin: str = ORIGIN) -> str:
        numbers = self.key.public_key().public_numbers()
        cose = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)}
        kept = bytes(16) + len(self.id).to_bytes(2) + self.id + cbor2.dumps(cose)
        data = self._data(options["rp"]["id"], PRESENT | VERIFIED | HAS_KEY) + kept
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        client = self._client("webauthn.create", options, origin)
        return self._answer(clientDataJSON=client, attestationObject=attestation)

    def answered(self, options: dict[str, Any], origin: str = ORIGIN, *, verified: bool = True) -> str:
        self.count += self.counts
        data = self._data(options["rpId"], PRESENT | (VERIFIED if verified else 0))
        client = self._client("webauthn.get", options, origin)
        signature = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        return self._answer(clientDataJSON=client, authenticatorData=data, signature=signature)

    def _data(self, host: str, flags: int) -> bytes:
        return hashlib.sha256(host.encode()).digest() + bytes([flags]) + self.count.to_bytes(4)

    def _client(self, kind: str, options: dict[str, Any], origin: str) -> bytes:
        return json.dumps({"type": kind, "challenge": options["challenge"], "origin": origin}).encode()

    def _answer(self, **response: bytes) -> str:
        name = base64url(self.id)
        said = {one: base64url(value) for one, value in response.items()}
        return json.dumps({"id": name, "rawId": name, "type": "public-key", "response": said})
