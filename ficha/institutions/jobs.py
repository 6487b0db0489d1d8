"""The jobs of institutions: invitations, by mail where there is a correo, else by WhatsApp; and who left."""

from dataclasses import dataclass

from ficha.accounts.accounts import Account, Idioma
from ficha.channels.errors import Refused
from ficha.channels.mail import Mail, Mailer
from ficha.channels.messages import LinkButton, Template
from ficha.core.clock import Clock
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.plain_names import plain_name, without_links
from ficha.core.secrets import KeyDestroyed
from ficha.core.settings import Settings
from ficha.fmd.mail_texts import SOMEBODY
from ficha.fmd.records import Record
from ficha.fmd.stored_documents import documents_of, unfiltered_first_name
from ficha.institutions.institution import Institution
from ficha.institutions.invitations import INVITATION, SEND, SEND_DUE, new_token, put_due, put_invitations
from ficha.institutions.leaving import TELL, TOLD
from ficha.institutions.members import Member, MemberState
from ficha.institutions.person_to_enrol import InvitedContact, open_contact
from ficha.jobs.kinds import GiveUp, Job, Kind
from ficha.messaging.failures import TEMPLATE_LANGUAGES
from ficha.messaging.messages import ContactStopped, queue_row

TEMPLATE = "invitacion_institucion"


@dataclass(frozen=True)
class InstitutionJobs:
    database: Database
    keyring: Keyring
    mailer: Mailer
    clock: Clock
    settings: Settings

    def kinds(self) -> list[Kind]:
        return [Kind(SEND_DUE, self.put_due), Kind(SEND, self.send, attempts=6), Kind(TELL, self.tell_left)]

    def tell_left(self, job: Job) -> None:
        """Nobody is told whose record was erased meanwhile."""
        with self.database.reading() as tx:
            record = tx.orm.get_one(Record, job.payload["record_id"])
            if record.key_id is None or record.account_id is None:
                return
            institution = tx.orm.get_one(Institution, job.payload["institution_id"])
            account = tx.orm.get_one(Account, record.account_id)
            idioma = Idioma(account.idioma)
            person = unfiltered_first_name(documents_of(tx, record.id, record.open_key(self.keyring), ["personal"]))
        written = TOLD[idioma].filled(
            institucion=without_links(institution.name), persona=person or SOMEBODY.in_language(idioma)
        )
        try:
            self.mailer.send(Mail(account.correo, written.subject, written.text, key=f"job-{job.id}"))
        except Refused as refusal:
            raise GiveUp(str(refusal)) from refusal

    def put_due(self, job: Job) -> None:
        institution_id = int(job.payload["institution_id"])
        with self.database.writing() as tx:
            if put_due(tx, institution_id):
                put_invitations(tx, institution_id)

    def send(self, job: Job) -> None:
        """Nothing is sent if the record was accepted or erased meanwhile, or the institution ended its invitation."""
        now = self.clock.now()
        with self.database.writing() as tx:
            member = tx.orm.get(Member, job.payload["member_id"], with_for_update=True)
            if member is None or member.state != MemberState.UNCLAIMED or member.sealed is None:
                return
            if member.invite_ended_at is not None:
                return
            institution = tx.orm.get_one(Institution, member.institution_id)
            try:
                key = tx.orm.get_one(Record, member.record_id).open_key(self.keyring)
            except KeyDestroyed:
                return
            contact = open_contact(member.sealed, member.record_id, key)
            if not institution.is_active or not (contact.correo or contact.telefono):
                return
            token = new_token(member, now)
            called = without_links(institution.name)
            if not contact.correo:
                assert contact.telefono is not None
                language = TEMPLATE_LANGUAGES[contact.idioma]
                values = [called, _person(contact)]
                template = Template(TEMPLATE, language, body=values, buttons=[LinkButton(0, token)])
                try:
                    queue_row(
                        tx,
                        self.keyring,
                        self.settings.whatsapp_phone_number_id,
                        contact.telefono,
                        template,
                        now,
                        about=f"invitacion:{member.id}",
                        record_id=member.record_id,
                        is_secret=True,
                    )
                except ContactStopped as stopped:
                    raise GiveUp(stopped.code) from stopped
                return
        written = INVITATION[Idioma(contact.idioma)].filled(
            institucion=called, persona=_person(contact), enlace=f"{self.settings.public_url}/institucion/{token}"
        )
        try:
            self.mailer.send(Mail(contact.correo, written.subject, written.text, key=f"job-{job.id}"))
        except Refused as refusal:
            raise GiveUp(str(refusal)) from refusal


def _person(contact: InvitedContact) -> str:
    return plain_name(contact.nombre) or SOMEBODY.in_language(Idioma(contact.idioma))
