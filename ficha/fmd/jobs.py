"""The jobs of records: the mail of an invitation. Its link is made when it is sent: the queue never holds it. One to a
number is a message (`messaging/record_invitations.py`)."""

from dataclasses import dataclass

from ficha.accounts.accounts import account_with
from ficha.channels.errors import Refused
from ficha.channels.mail import Mail, Mailer
from ficha.core.clock import Clock
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.settings import Settings
from ficha.fmd.invitation_words import words_of
from ficha.fmd.invitations import HANDOVER, INVITE, InvitationUnknown, invitation_by_id, new_token
from ficha.fmd.mail_texts import HANDING_OVER, INVITATION
from ficha.jobs.kinds import GiveUp, Job, Kind


@dataclass(frozen=True)
class FmdJobs:
    database: Database
    keyring: Keyring
    mailer: Mailer
    clock: Clock
    settings: Settings

    def kinds(self) -> list[Kind]:
        return [Kind(INVITE, self.send_invitation, attempts=6)]

    def send_invitation(self, job: Job) -> None:
        """Nothing is sent if it was withdrawn meanwhile."""
        with self.database.writing() as session:
            try:
                found = invitation_by_id(session, self.keyring, int(job.payload["grant_id"]), self.clock.now())
            except InvitationUnknown:
                return
            words = words_of(session, found, account_with(session, found.address))
            token = new_token(found.grant)
        texts = HANDING_OVER if found.grant.kind == HANDOVER else INVITATION
        written = texts[words.idioma].filled(
            quien=words.quien,
            persona=words.persona,
            hasta=words.hasta,
            enlace=f"{self.settings.public_url}/invitacion/{token}",
        )
        try:
            self.mailer.send(Mail(found.address, written.subject, written.text, key=f"job-{job.id}"))
        except Refused as refusal:
            raise GiveUp(str(refusal)) from refusal
