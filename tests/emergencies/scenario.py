"""What tests of emergencies share: owners with stickers and contacts, the alert button, and due jobs run in order."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from httpx2 import Response
from sqlalchemy import select

from ficha.accounts.accounts import Role
from ficha.audit.chain import AuditEntry
from ficha.core.db import Database
from ficha.emergencies.emergency import Emergency
from ficha.emergencies.steps import Step
from ficha.events.events import Event
from ficha.fmd.grants import Grant, GrantKind
from ficha.fmd.records import records_of
from ficha.jobs.queue import count_waiting
from ficha.products.codes import issue_code
from ficha.sandbox.whatsapp.journal import AcceptedMessage
from ficha.worker import kinds_of
from tests.run_due import run_due
from tests.world import Person, World

MARIA, PEDRO = "584125551111", "584145552222"
HERE = {"lat": 10.48801, "lng": -66.87919, "accuracy": 25}


def contact(**changes: Any) -> dict[str, Any]:
    return {
        "nombre": "María Rojas",
        "relacion": "madre",
        "cod_telefono": "+58",
        "telefono": "4125551111",
        "correo": "maria@ejemplo.com",
        "prioridad": 1,
    } | changes


def father(**changes: Any) -> dict[str, Any]:
    given = {
        "nombre": "Pedro Pérez",
        "relacion": "padre",
        "telefono": "4145552222",
        "correo": "pedro@ejemplo.com",
        "prioridad": 2,
    }
    return contact(**given | changes)


@dataclass
class AlertSticker:
    owner: Person
    code: str
    tag: str

    @property
    def record_id(self) -> int:
        return int(self.owner.data["attributes"]["fmd_code"])


@dataclass
class EmergencyScenario:
    """Makes stickers, presses the alert button, runs what is due and reads what came of it."""

    world: World

    @property
    def database(self) -> Database:
        return self.world.parts.database

    @property
    def now(self) -> datetime:
        return self.world.clock.now()

    def sticker(self, *contacts: dict[str, Any], **models: Any) -> AlertSticker:
        """Registers an owner with these contacts and other models, and issues a sticker for the record."""
        owner = self.world.somebody_with(Role.OWNER)
        with self.database.writing() as tx:
            (record,) = records_of(tx, owner.id)
            issued = issue_code(tx, self.now, record_id=record.id)
        owner.data["attributes"]["fmd_code"] = record.id
        found = AlertSticker(owner, issued.code, issued.tag)
        personal = {"nombres": "Ana Lucía", "apellidos": "Pérez Rojas"}
        written = {"personal": personal, "emergencia": {"contactos": list(contacts)}} | models
        for model, document in written.items():
            answer = owner.put(f"/v2/fmd/{found.code}/{model}", document)
            assert answer.status_code == 200, answer.text
        return found

    def press_alert(self, sticker: AlertSticker, position: dict[str, Any] | None = None, **more: Any) -> Response:
        """Raises the alert as a responder who scanned the sticker."""
        body = {"code": sticker.code, "tag": sticker.tag, "position": position} | more
        return self.world.client.post("/v2/emergencies", json=body)

    def emergency(self, emergency_id: int) -> Emergency:
        with self.database.reading() as tx:
            return tx.orm.get_one(Emergency, emergency_id)

    def emergencies(self) -> list[Emergency]:
        with self.database.reading() as tx:
            return list(tx.orm.scalars(select(Emergency).order_by(Emergency.id)))

    def steps(self, emergency_id: int | None = None) -> list[Step]:
        with self.database.reading() as tx:
            query = select(Step).order_by(Step.emergency_id, Step.place)
            found = query if emergency_id is None else query.where(Step.emergency_id == emergency_id)
            return list(tx.orm.scalars(found))

    def ladder(self, emergency_id: int | None = None) -> list[tuple[str, str]]:
        """The channel and state of each step, in order."""
        return [(step.channel, step.state) for step in self.steps(emergency_id)]

    def log_of(self, sticker: AlertSticker) -> list[AuditEntry]:
        with self.database.reading() as tx:
            return list(
                tx.orm.scalars(
                    select(AuditEntry).where(AuditEntry.record_id == sticker.record_id).order_by(AuditEntry.seq)
                )
            )

    def events(self, kind: str) -> list[Event]:
        with self.database.reading() as tx:
            return list(tx.orm.scalars(select(Event).where(Event.kind == kind).order_by(Event.id)))

    def alerts(self) -> list[AcceptedMessage]:
        """The messages that the WhatsApp sandbox accepted, in order."""
        return list(self.world.platform.whatsapp.journal.accepted)

    def platform_down(self) -> None:
        self.world.platform.call(lambda platforms: platforms.whatsapp.faults.set([{"action": "http", "status": 503}]))

    def platform_up(self) -> None:
        self.world.platform.call(lambda platforms: platforms.whatsapp.faults.set([]))

    def read_chat(self, wa_id: str) -> None:
        self.world.platform.call(
            lambda platforms: platforms.whatsapp.mark_chat_read(platforms.whatsapp.people.with_id(wa_id))
        )
        self.run_until_idle()

    def run_until_idle(self) -> None:
        """Runs every due job, waits for the platform's notifications, and runs the jobs that these queued."""
        self.run_due()
        self.world.platform.wait_until_idle()
        self.run_due()

    def pass_seconds(self, seconds: float) -> None:
        self.world.clock.move(seconds=seconds)
        self.run_until_idle()

    def run_due(self) -> None:
        run_due(self.database, kinds_of(self.world.parts))

    def waiting_jobs(self) -> dict[str, int]:
        """How many jobs of each kind wait."""
        with self.database.reading() as tx:
            return count_waiting(tx)


def granted(scenario: EmergencyScenario, sticker: AlertSticker, kind: GrantKind, *, edits: bool = False) -> Person:
    person = scenario.world.somebody_with(Role.OWNER)
    with scenario.database.writing() as tx:
        tx.orm.add(
            Grant(
                record_id=sticker.record_id,
                account_id=person.id,
                kind=kind,
                edits=edits,
                granted_at=scenario.now,
                ends_at=scenario.now + timedelta(days=1),
            )
        )
    return person
