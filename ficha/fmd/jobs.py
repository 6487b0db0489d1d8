"""The jobs of records: the mail of an invitation. Its link is made when it is sent: the queue never holds it."""

from dataclasses import dataclass

from ficha.accounts.accounts import Account, Idioma, account_with
from ficha.channels.errors import Refused
from ficha.channels.mail import Mail, Mailer
from ficha.core.clock import Clock
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.plain_names import plain_name
from ficha.core.settings import Settings
from ficha.fmd.grants import Grant
from ficha.fmd.invitations import INVITE, InvitationUnknown, invitation_by_id, new_token
from ficha.fmd.local_time import day_text
from ficha.fmd.mail_texts import INVITATION, SOMEBODY
from ficha.fmd.readable_documents import documents_of, unfiltered_first_name
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
            giver = session.get(Grant, found.grant.given_by) if found.grant.given_by else None
            inviter = session.get(Account, giver.account_id if giver else found.record.account_id)
            invited = account_with(session, found.correo)
            language = Idioma(invited.idioma if invited else inviter.idioma if inviter else Idioma.ES)
            documents = documents_of(session, found.record.id, found.key, ["personal"])
            somebody = SOMEBODY.in_language(language)
            token = new_token(found.grant)
        written = INVITATION[language].filled(
            quien=plain_name(inviter.nombre if inviter else "") or somebody,
            persona=unfiltered_first_name(documents) or somebody,
            hasta=day_text(found.grant.ends_at, "", language.value),
            enlace=f"{self.settings.public_url}/invitacion/{token}",
        )
        try:
            self.mailer.send(Mail(found.correo, written.subject, written.text, key=f"job-{job.id}"))
        except Refused as refusal:
            raise GiveUp(str(refusal)) from refusal
