"""The jobs of records: the mail of an invitation, those about a hand-over, that of access withdrawn, and the
yearly one about access that lasts until it is ended. The link of an invitation is made when it is sent: the queue never
holds it. One to a number is a message (`messaging/codes_and_invitations.py`)."""

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import update

from ficha.accounts.accounts import Account, Idioma, account_with
from ficha.accounts.mail_texts import MailText
from ficha.channels.errors import Refused
from ficha.channels.mail import Mail, Mailer
from ficha.core.clock import Clock
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.settings import Settings
from ficha.fmd.grants import HANDOVER, Grant, GrantState, live_grant_of, live_grants, to_be_reminded
from ficha.fmd.hand_over import HAND_OVER_MAIL, HandOverMail
from ficha.fmd.invitations import INVITE, TELL_WITHDRAWN, InvitationUnknown, invitation_by_id, new_token, note_delivery
from ficha.fmd.mail_texts import (
    CONFIRM_HAND_OVER,
    HANDED_OVER,
    HANDING_OVER,
    INVITATION,
    NOT_HANDED_OVER,
    STILL_OPEN,
    WITHDRAWN,
    name_for_recipient,
    name_of_person,
    words_of,
)
from ficha.fmd.records import Record
from ficha.jobs.kinds import GiveUp, Job, Kind
from ficha.jobs.queue import put
from ficha.products.statements import live_codes

REMIND_ALL, REMIND = "ficha.accesos.repaso", "ficha.accesos.correo"
HAND_OVER_TEXTS = {
    HandOverMail.WAITING: CONFIRM_HAND_OVER,
    HandOverMail.DONE: HANDED_OVER,
    HandOverMail.REFUSED: NOT_HANDED_OVER,
}


@dataclass(frozen=True)
class FmdJobs:
    database: Database
    keyring: Keyring
    mailer: Mailer
    clock: Clock
    settings: Settings

    def kinds(self) -> list[Kind]:
        return [
            Kind(INVITE, self.send_invitation, attempts=6),
            Kind(HAND_OVER_MAIL, self.send_hand_over_mail, attempts=6),
            Kind(TELL_WITHDRAWN, self.send_withdrawn, attempts=6),
            Kind(REMIND_ALL, self.remind_all, attempts=3, every=timedelta(days=1)),
            Kind(REMIND, self.send_reminder, attempts=6),
        ]

    def send_invitation(self, job: Job) -> None:
        """Nothing is sent if it was withdrawn meanwhile."""
        with self.database.writing() as tx:
            try:
                found = invitation_by_id(tx, self.keyring, int(job.payload["grant_id"]), self.clock.now())
            except InvitationUnknown:
                return
            words = words_of(tx, found, account_with(tx, found.address))
            token = new_token(found.grant)
        texts = HANDING_OVER if found.grant.kind == HANDOVER else INVITATION
        written = texts[words.idioma].filled(
            quien=words.quien,
            persona=words.persona,
            hasta=words.hasta,
            enlace=f"{self.settings.public_url}/invitacion/{token}",
        )
        try:
            self._send(job, found.address, written)
        except GiveUp:
            with self.database.writing() as tx:
                note_delivery(tx, found.grant.id, self.clock.now())
            raise

    def remind_all(self, _job: Job) -> None:
        """Puts one mail for each record whose owner gave access that lasts until it is ended, a year after she was told
        last: she may have forgotten it."""
        now = self.clock.now()
        with self.database.writing() as tx:
            for record_id, grants in to_be_reminded(tx, now).items():
                tx.orm.execute(update(Grant).where(Grant.id.in_(grants)).values(reminded_at=now))
                put(tx, REMIND, {"record_id": record_id, "grants": grants}, key=f"{REMIND}:{record_id}")

    def send_reminder(self, job: Job) -> None:
        """Nothing is sent of what ended meanwhile."""
        with self.database.reading() as tx:
            record = tx.orm.get(Record, int(job.payload["record_id"]))
            owner = None if record is None else tx.orm.get(Account, record.account_id or 0)
            if record is None or record.erased_at is not None or owner is None:
                return
            given = live_grants(tx, record.id, self.clock.now())
            names = [who.nombre for grant, who in given if who and grant.id in job.payload["grants"]]
            if not names:
                return
            language, codes = Idioma(owner.idioma), live_codes(tx, [record.id])
            page = f"/app/{codes[0].code}/personas" if codes else "/app"
            written = STILL_OPEN[language].filled(
                quien=", ".join(name_for_recipient(name, language) for name in names),
                persona=name_of_person(tx, record.id, record.open_key(self.keyring), language),
                enlace=f"{self.settings.public_url}{page}",
            )
            address = owner.correo
        self._send(job, address, written)

    def send_hand_over_mail(self, job: Job) -> None:
        """Nothing is sent if the record was erased, or if the hand-over is no longer what the mail says."""
        what = HandOverMail(job.payload["what"])
        with self.database.reading() as tx:
            grant = tx.orm.get(Grant, int(job.payload["grant_id"]))
            record = None if grant is None else tx.orm.get(Record, grant.record_id)
            heir = None if grant is None else tx.orm.get(Account, grant.taken_by or 0)
            if grant is None or record is None or record.erased_at is not None or heir is None:
                return
            reader = heir
            if what is HandOverMail.WAITING:
                owner = tx.orm.get(Account, record.account_id or 0)
                if owner is None or grant.ends_at <= self.clock.now() or grant.state is not GrantState.WAITING:
                    return
                reader = owner
            language, codes = Idioma(reader.idioma), live_codes(tx, [record.id])
            page = f"/app/{codes[0].code}/personas" if codes else "/app"
            written = HAND_OVER_TEXTS[what][language].filled(
                quien=name_for_recipient(heir.nombre, language),
                persona=name_of_person(tx, record.id, record.open_key(self.keyring), language),
                enlace=f"{self.settings.public_url}{page}",
            )
            address = reader.correo
        self._send(job, address, written)

    def send_withdrawn(self, job: Job) -> None:
        """Nothing is sent if the record was erased, or if she was let in again meanwhile."""
        with self.database.reading() as tx:
            grant = tx.orm.get(Grant, int(job.payload["grant_id"]))
            record = None if grant is None else tx.orm.get(Record, grant.record_id)
            account = None if grant is None else tx.orm.get(Account, grant.account_id or 0)
            if record is None or record.erased_at is not None or account is None:
                return
            if live_grant_of(tx, record.id, account.id, self.clock.now()) is not None:
                return
            language = Idioma(account.idioma)
            person = name_of_person(tx, record.id, record.open_key(self.keyring), language)
            address, written = account.correo, WITHDRAWN[language].filled(persona=person)
        self._send(job, address, written)

    def _send(self, job: Job, address: str, written: MailText) -> None:
        try:
            self.mailer.send(Mail(address, written.subject, written.text, key=f"job-{job.id}"))
        except Refused as refusal:
            raise GiveUp(str(refusal)) from refusal
