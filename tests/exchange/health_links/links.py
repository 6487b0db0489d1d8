"""SMART Health Links as a program of somebody else opens them: by the specification, and by nothing that is ours."""

import json
import zlib
from base64 import urlsafe_b64decode
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from httpx2 import Response
from starlette.testclient import TestClient

from tests.api.fmd.test_fmd import fmd
from tests.world import Person, World

WHO = "Dra. Rosa Silva"
JOSE = "application/jose"


def unpadded(text: str) -> bytes:
    assert "=" not in text
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass(frozen=True)
class Link:
    """What is in a link, and what its maker got with it."""

    payload: dict[str, Any]
    id: int
    told: dict[str, Any]

    @classmethod
    def of(cls, text: str, id_: int = 0, told: Any = None) -> "Link":
        scheme, _, encoded = text.partition("shlink:/")
        assert scheme == "" or scheme.endswith("#")
        return cls(json.loads(unpadded(encoded)), id_, told)

    @property
    def path(self) -> str:
        return urlsplit(str(self.payload["url"])).path

    def opened(self, jwe: str) -> tuple[dict[str, Any], bytes]:
        """Header and content of an encrypted file, by the primitives alone."""
        header, no_key, nonce, content, tag = jwe.split(".")
        assert no_key == ""
        told = json.loads(unpadded(header))
        assert (told["alg"], told["enc"]) == ("dir", "A256GCM") and len(unpadded(nonce)) == 12
        cipher = AESGCM(unpadded(self.payload["key"]))
        plain = cipher.decrypt(unpadded(nonce), unpadded(content) + unpadded(tag), header.encode())
        return told, zlib.decompress(plain, -15) if told.get("zip") == "DEF" else plain

    def bundle(self, jwe: str) -> dict[str, Any]:
        header, content = self.opened(jwe)
        assert header["cty"] == "application/fhir+json"
        found: dict[str, Any] = json.loads(content)
        return found


def order(world: World, **changes: Any) -> dict[str, Any]:
    ends = (world.clock.now() + timedelta(hours=1)).isoformat()
    return {"label": "Para la cardióloga", "ends_at": ends} | changes


def share(world: World, owner: Person, **changes: Any) -> Link:
    made = owner.post(fmd(owner, "/links"), order(world, **changes))
    assert made.status_code == 201, made.text
    data = made.json()["data"]
    return Link.of(data["attributes"]["link"], data["id"], data["attributes"])


def ask(client: TestClient, link: Link, **changes: Any) -> Response:
    """As a stranger's program does: no session, no header but those of the specification."""
    return client.post(link.path, json={"recipient": WHO} | changes)


def listed(owner: Person, link: Link) -> dict[str, Any]:
    [found] = [one for one in owner.get(fmd(owner, "/links")).json()["data"] if one["id"] == link.id]
    told: dict[str, Any] = found["attributes"]
    return told
