"""People with a sticker on a running server, and the phones of their contacts on the sandbox's page."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

from ficha.demo.records import GRANDFATHER
from tests.processes import Server, ficha
from tests.world import registration

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

_numbers = count(1000)
# The contact whom a demo person's alert reaches first: sent to, received by or read by her.
TOLD = re.compile(r"a la hija por WhatsApp|La hija (recibió|leyó) el aviso")


@dataclass(frozen=True)
class StickerOwner:
    """Somebody whom one test created, with a printed sticker. `scanned` is the path in its QR: all capitals."""

    server: Server
    token: str
    code: str
    tag: str
    contact_phone: str

    @property
    def scanned(self) -> str:
        return f"/E/{self.code}/{self.tag}"

    @property
    def path(self) -> str:
        return f"/e/{self.code}/{self.tag}"

    def readings(self) -> int:
        """How many times the access log shows that the record was opened with the sticker."""
        entries = self.server.get(f"/v2/fmd/{self.code}/access-log", self.token).json()["data"]
        return sum(entry["attributes"]["action"] == "record.read" for entry in entries)

    def emergencies(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.server.get("/v2/emergencies", self.token).json()["data"]
        return found

    def lose(self) -> None:
        assert self.server.post(f"/v2/products/{self.code}/lost", token=self.token).status_code == 200


@dataclass
class DemoPeople:
    """The demo people, whom no test changes, and new owners of stickers for each test."""

    server: Server
    _printed: list[tuple[str, str]] = field(default_factory=list)

    @cached_property
    def people(self) -> dict[str, dict[str, Any]]:
        made = json.loads(ficha("demo", "--json", env=self.server.env).stdout)
        return {person["correo"].partition("@")[0]: person for person in made}

    def path_of(self, name: str) -> str:
        person = self.people[name]
        return f"/e/{person['codes'][0]}/{person['tag']}"

    def new_owner(self, record: Mapping[str, Any] = GRANDFATHER) -> StickerOwner:
        code, tag = self.printed_sticker()
        number = f"412{next(_numbers):07}"
        answer = self.server.post("/v2/auth/register", registration(product_code=code, product_tag=tag))
        assert answer.status_code == 201, answer.text
        token = answer.json()["data"]["attributes"]["token"]
        contact = {"nombre": "Carmen Molina", "relacion": "hija", "cod_telefono": "+58", "telefono": number}
        channels = {"prioridad": 1, "canales": ["whatsapp"], "idioma": "es"}
        models = {**record, "emergencia": {**record["emergencia"], "contactos": [contact | channels]}}
        headers = {"Authorization": f"Bearer {token}"}
        answer = self.server.client.patch(f"/v2/fmd/{code}", json=models, headers=headers)
        assert answer.status_code == 200, answer.text
        return StickerOwner(self.server, token, code, tag, f"+58{number}")

    def printed_sticker(self) -> tuple[str, str]:
        """Printed a sheet at a time, as stickers are."""
        if not self._printed:
            lines = ficha("codes", "create", "--count", "24", env=self.server.env).stdout.split("\n")
            self._printed = [(link.split("/")[-2], link.split("/")[-1]) for link in lines if link]
        return self._printed.pop()


def sandbox_phone(page: "Page", name: str) -> "Locator":
    """A contact's phone on the sandbox's page."""
    return page.locator("details.phone", has=page.get_by_role("heading", name=name))
