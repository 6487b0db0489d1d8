"""Somebody with a record and a sticker that a stranger scans."""

from dataclasses import dataclass
from typing import Any

from httpx2 import Response
from sqlalchemy import select

from ficha.audit.chain import AuditEntry
from ficha.emergencies.emergency import Emergency
from ficha.fmd.records import records_of
from ficha.notices.notices import SCANNED_ENDED
from ficha.products.codes import issue_code
from tests.world import Person, World

CONTACT = {
    "nombre": "María Rojas",
    "relacion": "madre",
    "cod_telefono": "+58",
    "telefono": "4125551111",
    "correo": "maria@ejemplo.com",
    "prioridad": 1,
    "canales": ["whatsapp", "correo"],
    "idioma": "es",
}
RECORD: dict[str, Any] = {
    "personal": {"nombres": "Ana Lucía", "apellidos": "Pérez Rojas", "idiomas": ["es"]},
    "salud": {"condiciones": [{"condicion": {"texto": "Epilepsia", "sistema": "snomed", "codigo": "84757009"}}]},
    "emergencia": {"contactos": [CONTACT], "instrucciones": "Háblenle despacio."},
}


@dataclass
class ScannedSticker:
    world: World
    owner: Person
    code: str
    tag: str

    @property
    def path(self) -> str:
        return f"/e/{self.code}/{self.tag}"

    def scan(self, **more: Any) -> Response:
        """Through the lane, as a phone's camera opens it."""
        return self.world.reader.get(self.path, **more)

    def alert(self, **form: str) -> Response:
        return self.world.reader.post(f"{self.path}/avisar", data=form, follow_redirects=False)

    def lose(self) -> None:
        assert self.owner.post(f"/v2/products/{self.code}/lost").status_code == 200


def sticker_of(world: World, **models: Any) -> ScannedSticker:
    owner = world.register(nombre="Ana Pérez")
    code = owner.data["attributes"]["product_codes"][0]
    answer = world.client.patch(f"/v2/fmd/{code}", json=RECORD | models, headers=owner.headers)
    assert answer.status_code == 200, answer.text
    with world.parts.database.writing() as tx:
        [record] = records_of(tx, owner.id)
        issued = issue_code(tx, world.clock.now(), record_id=record.id)
    return ScannedSticker(world, owner, issued.code, issued.tag)


def actions(world: World) -> list[tuple[str, str]]:
    world.drain_reads()
    with world.parts.database.reading() as tx:
        entries = tx.orm.scalars(select(AuditEntry).order_by(AuditEntry.id)).all()
    return [(entry.actor.partition(":")[0], entry.action) for entry in entries]


def emergencies(world: World) -> list[Emergency]:
    with world.parts.database.reading() as tx:
        return list(tx.orm.scalars(select(Emergency)))


def page_of(world: World, code: str, tag: str, **more: Any) -> Response:
    return world.reader.get(f"/E/{code}/{tag}", **more)


def alert_by_api(world: World, code: str, tag: str) -> Response:
    return world.client.post("/v2/emergencies", json={"code": code, "tag": tag})


def ended_scans(world: World) -> list[AuditEntry]:
    """What the logs say of scans of tags that had ended."""
    with world.parts.database.reading() as tx:
        return list(tx.orm.scalars(select(AuditEntry).where(AuditEntry.action == SCANNED_ENDED)))


def mailed(world: World) -> list[str]:
    """The subjects of all mails, once nothing is left to be done."""
    world.run_jobs()
    return [mail.subject for mail in world.mails()]
