"""What the examples of the API's reference ask for, in the demo from the beginning: none of them waits for another.
Numbers are those of an empty database."""

import base64
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import update

from ficha.accounts.accounts import Account, account_with
from ficha.accounts.one_time_codes import Purpose, new_code, new_link
from ficha.accounts.tokens import Caller, issue_token
from ficha.administration.admin_changes import OPERATOR
from ficha.administration.navigation_buttons import NavigationButtonFields, put_navigation_button
from ficha.administration.projects import ProjectFields, put_project
from ficha.administration.services import ServiceFields, put_service
from ficha.api.examples import (
    DEMO_CLAIMED,
    DEMO_CORREO,
    DEMO_DIGITS,
    DEMO_DIRECT,
    DEMO_ENROLLED,
    DEMO_ERASED,
    DEMO_GIVEN,
    DEMO_INSTITUTION,
    DEMO_INVITED,
    DEMO_INVITED_NUMBER,
    DEMO_LOST,
    DEMO_MEMBER,
    DEMO_NEW_CLAVE,
    DEMO_NURSE,
    DEMO_READY,
    DEMO_SERIAL,
    DEMO_SHARED,
    DEMO_STAFF,
    DEMO_TAKEN,
)
from ficha.audit.log import Actor
from ficha.cards.carnets import issue_carnet
from ficha.channels.messages import Text
from ficha.core.transaction import Transaction
from ficha.emergencies.emergency import Emergency, EmergencyState, PermissionSource
from ficha.enrolment.registration import NewRecord, open_further_record
from ficha.exchange.health_links.links import NewHealthLink, create_health_link
from ficha.exchange.health_links.opening import find_health_link, open_health_link
from ficha.fmd.access import OpenFmd, open_fmd, open_own_fmd
from ficha.fmd.grants import HANDOVER, Grant, GrantKind
from ficha.fmd.invitations import new_token, seal_address
from ficha.institutions import invitations as enrolment_links
from ficha.institutions.consents import accept_enrolment
from ficha.institutions.enrol import enrol_person
from ficha.institutions.institution import institution_with
from ficha.institutions.members import Member
from ficha.institutions.person_to_enrol import EnrolContext, PersonToEnrol
from ficha.messaging.files import Use, begin_upload
from ficha.messaging.message_content import sealed_content
from ficha.messaging.tables import Message, MessageState, message_context
from ficha.messaging.threads import thread_row_at
from ficha.parts import Parts
from ficha.photos import photos
from ficha.products.batches import make_batch, mark_fetched, parts_of
from ficha.products.codes import claim_code, issue_code
from ficha.products.product import Product, tag_hash

LASTS = timedelta(days=3650)
MINUTES = int(LASTS.total_seconds() // 60)
# A grey figure.
PICTURE = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqm"
    "x5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wAARCACAAGAD"
    "ASIAAhEBAxEB/8QAGQABAAMBAQAAAAAAAAAAAAAAAAMEBQEC/8QALRAAAwABAwIFAgUFAAAAAAAAAAECAwQRITFRBRIiQWETgTJCcaGxQ2KCkfD/"
    "xAAWAQEBAQAAAAAAAAAAAAAAAAAAAQL/xAAWEQEBAQAAAAAAAAAAAAAAAAAAARH/2gAMAwEAAhEDEQA/AN0AFQAAAAAAAAAAAAAAAAAAAEOp1E4J"
    "72+iM3JlyZPx238ewRsAxoyXje8U5/RmhpNUsq8l8Wv3GGrIACgAAAAAcpqZdPhJbs6Q6xtaW9nt0/kDLu3kt3XVvc4AaZAm0009mgANjDf1MU33"
    "XP6nsq+HNvA930p7Foy0AAAAABFqYeTT3K67bkoAxAT6rTvDe6Xob4fb4ICsgBJgw1nvyzwvd9ii/oYcadN/me5YOSlMqVwktkdMtAAAAAAAAOXM"
    "3Lmlun1RSyeHv+nf2ovNpJtvZIirVYJezyL7cgVY8Prf12kv7eS5ixzihRC2X8nidVgp7LIvutiWaVLeWmu6COgAKAAAAABBqNVGFNLm+3YavULD"
    "G0v1vp8fJlttttvdsqJMubJmfrrjt7EYBUD1jy3ie8U0eQBpabWTl2m9pvfjsyyYho6LUfUn6d1610390RVoAEUOU1Munwkt2dKniN+XEoX5n+yA"
    "pZslZcjuvfouyPABpkAAAAADsVUUql7NdGcAGxiyLLjm17o9lHw2+bx/5L/v9F4y0GXrr82pa42lbcGoY2Vqst0uU6bRYleQAVAAAAAAAAEmnvyZ"
    "4rjrs9zXMQ2paqVS5TW6JVj/2Q=="
)


def add_examples(tx: Transaction, parts: Parts) -> None:
    """Once in the life of a database: a code is never issued again."""
    if tx.orm.get(Product, DEMO_READY) is None:
        Examples(tx, parts).add()


class Examples:
    """Adds them in one transaction. `nurse` has what is asked for by somebody who has something."""

    def __init__(self, tx: Transaction, parts: Parts) -> None:
        self.tx, self.parts, self.now = tx, parts, parts.clock.now()
        self.nurse, self.luis = self._account(DEMO_NURSE), self._account("luis@demo.example")
        self.staff, self.caller = self._account(DEMO_STAFF), _caller(self.nurse)

    def add(self) -> None:
        issue_token(self.tx, self._account(DEMO_CORREO), self.now, MINUTES)  # Of an old phone, to be revoked.
        self._send_codes()
        ready = self._open_record(DEMO_READY, "Sofía")
        print_code(self.tx, self.parts, DEMO_LOST)
        claim_code(self.tx, DEMO_LOST, ready.id, self.now, tag=demo_tag(self.parts, DEMO_LOST))
        self._open_record(DEMO_ERASED, "Tomás")
        self._share(ready, self._open_record(DEMO_GIVEN, "Irene"), self._open_record(DEMO_TAKEN, "Ramón"))
        self._invite()
        self._enrol()
        self._keep_photo(self.nurse, photos.DEMO_NAME)
        self._keep_photo(self.staff, f"{photos.DEMO_NAME[:-1]}2")
        issue_carnet(self.tx, ready, self.now, days=365, initials="S.", new_serial=lambda: DEMO_SERIAL)
        self._make_links(ready)
        self._open_emergency(ready)
        self._exchange_messages()
        self._print_batch()
        self._administer()

    def _make_links(self, fmd: OpenFmd) -> None:
        """One that somebody has opened, a direct one, and one to be ended."""
        ends_at = self.now + timedelta(days=365)
        for label, direct, secret in (
            ("Para la cardióloga", False, DEMO_SHARED),
            ("Para el hospital", True, DEMO_DIRECT),
            ("Para el viaje", False, ""),
        ):
            asked = NewHealthLink(label, ends_at, direct=direct)
            create_health_link(self.tx, fmd, self.nurse.id, asked, self.now, secret=secret)
        found = find_health_link(self.tx, self.parts.keyring, DEMO_SHARED, self.now)
        assert found is not None
        open_health_link(self.tx, found, None, "Dra. Rosa Silva, Hospital Central", self.now)

    def _account(self, correo: str) -> Account:
        account = account_with(self.tx, correo)
        assert account is not None
        return account

    def _send_codes(self) -> None:
        """As they were sent by mail and by WhatsApp."""
        tx, secrets, nurse, now = self.tx, self.parts.secrets, self.nurse, self.now
        for purpose, target in ((Purpose.CORREO, nurse.correo), (Purpose.TELEFONO, nurse.telefono_e164 or "")):
            new_code(tx, secrets, nurse.id, purpose, target, now, minutes=MINUTES, tries=5, code=DEMO_DIGITS)
        somebody = self._account("beatriz@demo.example")
        for purpose, token in ((Purpose.CLAVE, DEMO_NEW_CLAVE), (Purpose.ETIQUETA, DEMO_CLAIMED)):
            new_link(tx, secrets, somebody, purpose, now, minutes=MINUTES, token=token)

    def _open_record(self, code: str, nombres: str) -> OpenFmd:
        print_code(self.tx, self.parts, code)
        wanted = NewRecord("madre", product_code=code, product_tag=demo_tag(self.parts, code), nombres=nombres)
        most = self.parts.settings.account_records
        open_further_record(self.tx, self.parts.keyring, self.caller, wanted, self.now, most=most)
        self.tx.orm.flush()
        return open_fmd(self.tx, self.parts.keyring, self.caller, code, self.now)

    def _share(self, ready: OpenFmd, given: OpenFmd, taken: OpenFmd) -> None:
        """Number 1 has a delegate, 2 waits for its owner to confirm it, 3 for its new owner to keep it."""
        shared: tuple[tuple[OpenFmd, dict[str, Any]], ...] = (
            (ready, {"account_id": self.luis.id}),
            (given, {"kind": HANDOVER, "offered_by": self.nurse.id, "taken_by": self.luis.id, "taken_at": self.now}),
            (taken, {"account_id": self.luis.id, "ends_at": self.now, "held_until": self.now + LASTS}),
        )
        for record, changes in shared:
            self._add_grant(record, changes)

    def _invite(self) -> None:
        """The nurse was invited by somebody on the staff: by mail, and by her number."""
        record = open_own_fmd(self.tx, self.parts.keyring, _caller(self.staff))
        for address, token in ((DEMO_NURSE, DEMO_INVITED), (self.nurse.telefono_e164 or "", DEMO_INVITED_NUMBER)):
            sealed = seal_address(record.key, record.id, address)
            new_token(self._add_grant(record, {"offered_by": self.staff.id, "sealed_address": sealed}), token)

    def _add_grant(self, record: OpenFmd, changes: dict[str, Any]) -> Grant:
        usual = {"kind": GrantKind.DELEGATE, "edits": False, "granted_at": self.now, "ends_at": self.now + LASTS}
        grant = Grant(record_id=record.id, **usual | changes)
        self.tx.orm.add(grant)
        self.tx.orm.flush()
        return grant

    def _enrol(self) -> None:
        """The school has enrolled two: one who has not accepted yet, and one who lets it see her record."""
        institution = institution_with(self.tx, DEMO_INSTITUTION)
        context = EnrolContext(institution, self.parts.keyring, self.parts.secrets, self.now)
        waiting = self._enrolled(context, PersonToEnrol("2026-0117", nombre="Ana Pérez", correo=DEMO_CORREO))
        enrolment_links.new_token(waiting, self.now, DEMO_ENROLLED)
        member = self._enrolled(context, PersonToEnrol("2026-0042", nombre="Sofía Rangel"))
        code = Product.code == member.bp_code
        self.tx.orm.execute(update(Product).where(code).values(code=DEMO_MEMBER))
        member.bp_code = DEMO_MEMBER
        accept_enrolment(
            self.tx,
            self.parts.keyring,
            enrolment_links.new_token(member, self.now),
            self.caller,
            self.now,
            sees=True,
            edits=False,
            most=self.parts.settings.account_records,
            code=DEMO_READY,
        )

    def _enrolled(self, context: EnrolContext, person: PersonToEnrol) -> Member:
        member = self.tx.orm.get_one(Member, enrol_person(self.tx, context, person).member_id)
        member.invite_due = False  # Nobody reads the mail of these people.
        self.tx.orm.flush()
        return member

    def _keep_photo(self, account: Account, name: str) -> None:
        record = open_own_fmd(self.tx, self.parts.keyring, _caller(account))
        photo = photos.NewPhoto(PICTURE, PICTURE, 96, 128)
        self.parts.storage.put(name, photos.sealed_content(record.key, name, photo))
        photos.keep_photo(self.tx, record, name, photo, self.now)

    def _open_emergency(self, record: OpenFmd) -> None:
        """A drill: nobody is called."""
        emergency = Emergency(
            record_id=record.id,
            code=DEMO_READY,
            state=EmergencyState.OPEN,
            is_drill=True,
            entrance=PermissionSource.BEARER,
            scans=1,
            last_scan_at=self.now,
            opened_at=self.now,
            opened_by=str(Actor("account", self.nurse.id)),
        )
        self.tx.orm.add(emergency)

    def _exchange_messages(self) -> None:
        """A message of the staff that was read long ago, and a file of which no byte came yet."""
        keyring, key = self.parts.keyring, "demo-mensaje"
        number = self.parts.settings.whatsapp_phone_number_id
        thread = thread_row_at(self.tx, keyring, number, self.luis.telefono_e164 or "", self.now)
        said = sealed_content(thread.open_key(keyring), Text("Su carnet está listo."), message_context(key))
        steps: dict[str, datetime] = dict.fromkeys(("accepted_at", "sent_at", "delivered_at", "read_at"), self.now)
        message = Message(
            key=key,
            thread_id=thread.id,
            is_ours=True,
            type="text",
            provider_id="wamid.demo",
            sealed=said,
            asked_by=self.staff.id,
            state=MessageState.READ,
            at=self.now,
            **steps,
        )
        self.tx.orm.add(message)
        begin_upload(self.tx, keyring, "guia.pdf", 14, "application/pdf", Use.MEDIA, self.staff.id, self.now)

    def _print_batch(self) -> None:
        """Its sheet was fetched, and nobody has confirmed that it is good."""
        keyring, by = self.parts.keyring, str(OPERATOR)
        batch = make_batch(self.tx, keyring, 3, self.now, by=by, label="Demo", largest=3, tag_days=LASTS.days)
        for start in parts_of(self.tx, batch.id):
            mark_fetched(self.tx, batch.id, start, self.now)

    def _administer(self) -> None:
        tx, now = self.tx, self.now
        put_service(tx, "ambulancias", ServiceFields(name="Ambulancias San Luis"), OPERATOR, now)
        button = NavigationButtonFields(label="Pedir una ambulancia", url="https://ejemplo.com/ambulancia")
        put_navigation_button(tx, "pedir-ambulancia", button, OPERATOR, now)
        project = ProjectFields(name="Campaña escolar 2026", url="https://ejemplo.com/campana")
        put_project(tx, "campana-escolar", project, OPERATOR, now)


def _caller(account: Account) -> Caller:
    return Caller(account.id, 0, "", frozenset())


def print_code(tx: Transaction, parts: Parts, code: str) -> bool:
    """A sticker with this code, which nobody has claimed; False if the code was issued before."""
    if tx.orm.get(Product, code) is not None:
        return False
    issue_code(tx, parts.clock.now(), new_code=lambda: code)
    tx.orm.get_one(Product, code).tag_hash = tag_hash(demo_tag(parts, code))
    tx.orm.flush()
    return True


def demo_tag(parts: Parts, whose: str) -> str:
    """Derived from a secret of this installation, so that it can be shown again: only its hash is stored."""
    return base64.b32encode(parts.secrets.keyed_hash("demo-tags", whose)[:16]).decode().rstrip("=")
