"""The jobs of institutions: invitations, by mail where there is a correo, else by WhatsApp; and trying or importing a
roster that was uploaded. Killed half-way that runs again from the first row: what is done already is unchanged, so the
end is the same as in one go."""

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import update

from ficha.accounts.accounts import Idioma
from ficha.channels.errors import Refused
from ficha.channels.mail import Mail, Mailer
from ficha.channels.messages import LinkButton, Template
from ficha.core.clock import Clock
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.plain_names import plain_name, without_links
from ficha.core.secrets import KeyDestroyed, Secrets
from ficha.core.settings import Settings
from ficha.fmd.mail_texts import SOMEBODY
from ficha.fmd.records import Record
from ficha.institutions.institution import Institution, InstitutionFacts, institution_with
from ficha.institutions.invitations import INVITATION, SEND, SEND_DUE, new_token, put_due, put_invitations
from ficha.institutions.members import Member, MemberState
from ficha.institutions.person_to_enrol import InvitedContact, open_contact
from ficha.institutions.roster_files import RosterUnreadable
from ficha.institutions.roster_import import (
    RosterState,
    RosterUpload,
    count_rows,
    import_roster,
    keep_fault,
    keep_report,
)
from ficha.jobs.kinds import GiveUp, Job, Kind
from ficha.messaging.failures import TEMPLATE_LANGUAGES
from ficha.messaging.files import KeptFile, read_pieces
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
        return [Kind(SEND_DUE, self.put_due), Kind(SEND, self.send, attempts=6)]

    def put_due(self, job: Job) -> None:
        institution_id = int(job.payload["institution_id"])
        with self.database.writing() as tx:
            if put_due(tx, institution_id):
                put_invitations(tx, institution_id)

    def send(self, job: Job) -> None:
        """Nothing is sent if the record was accepted or erased meanwhile."""
        now = self.clock.now()
        with self.database.writing() as tx:
            member = tx.orm.get(Member, job.payload["member_id"], with_for_update=True)
            if member is None or member.state != MemberState.UNCLAIMED or member.sealed is None:
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


# How often whoever watches is told how far it is.
TOLD_EVERY = 1.0
# After some rows it rests for as long as they took, at most this: a scan or an alert goes before a roster.
LONGEST_REST = 0.25


@dataclass(frozen=True)
class RosterJobs:
    database: Database
    keyring: Keyring
    secrets: Secrets
    clock: Clock
    folder: Path

    def run(self, job: Job) -> None:
        upload_id = int(job.payload["upload_id"])
        with self.database.reading() as tx:
            upload = tx.orm.get(RosterUpload, upload_id)
            if upload is None or not upload.is_running or upload.file_id is None:
                return
            slug = tx.orm.get_one(Institution, upload.institution_id).slug
            institution, file = institution_with(tx, slug), tx.orm.get_one(KeptFile, upload.file_id)
        try:
            with self._readable(upload_id, file) as path:
                self._work(upload, institution, path)
        except RosterUnreadable as fault:
            with self.database.writing() as tx:
                keep_fault(tx, tx.orm.get_one(RosterUpload, upload_id), fault.detail, self.clock.now())

    def _work(self, upload: RosterUpload, institution: InstitutionFacts, path: Path) -> None:
        progress = _Progress(self.database, upload.id)
        progress.begin(count_rows(path))
        report = import_roster(
            self.database,
            institution,
            path,
            self.keyring,
            self.secrets,
            self.clock,
            dry_run=upload.state == RosterState.CHECKING,
            progress=progress.add,
        )
        with self.database.writing() as tx:
            stored = tx.orm.get_one(RosterUpload, upload.id, with_for_update=True)
            if stored.state == upload.state:
                keep_report(tx, stored, report, self.secrets, self.clock.now())

    @contextmanager
    def _readable(self, upload_id: int, file: KeptFile) -> Iterator[Path]:
        """The file in clear, in a folder that only we may open, for as long as it is read. What a killed process leaves
        there is removed by the one that takes over its job."""
        folder = self.folder / str(upload_id)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            path = folder / "nomina.xlsx"  # Its reader wants the name; ours looks at what is inside.
            with self.database.reading() as tx, path.open("wb") as stream:
                for piece in read_pieces(tx, self.keyring, file):
                    stream.write(piece)
            yield path
        finally:
            shutil.rmtree(folder)


@dataclass
class _Progress:
    database: Database
    upload_id: int
    done: int = 0
    told_at: float = 0.0
    last_at: float = field(default_factory=time.monotonic)

    def begin(self, rows: int) -> None:
        self._tell(rows=rows, done=0)
        self.last_at = time.monotonic()

    def add(self, count: int) -> None:
        self.done += count
        time.sleep(min(time.monotonic() - self.last_at, LONGEST_REST))
        if time.monotonic() - self.told_at > TOLD_EVERY:
            self._tell(done=self.done)
        self.last_at = time.monotonic()

    def _tell(self, **values: int) -> None:
        self.told_at = time.monotonic()
        with self.database.writing() as tx:
            tx.orm.execute(update(RosterUpload).where(RosterUpload.id == self.upload_id).values(**values))
