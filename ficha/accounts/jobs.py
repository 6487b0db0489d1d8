"""The jobs of accounts: mails with codes, links and news. Codes and links are made when the mail is sent, so that
none of them is ever stored in the queue."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass

from ficha.accounts.accounts import Account, Idioma
from ficha.accounts.mail_texts import (
    CLAIM,
    CLAVE_CHANGED,
    CODE,
    CORREO_CHANGED,
    LOST,
    RECOVERY,
    TEST,
    MailText,
    greeted,
)
from ficha.accounts.one_time_codes import Purpose, new_code, new_link
from ficha.channels.errors import Refused
from ficha.channels.mail import Mail, Mailer
from ficha.core.clock import Clock
from ficha.core.db import Database
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.jobs.kinds import GiveUp, Job, Kind
from ficha.jobs.queue import put

SEND_CODE = "correo.codigo"
SEND_PHONE_CODE = "correo.codigo_telefono"
SEND_RECOVERY = "correo.recuperacion"
SEND_CLAVE_CHANGED = "correo.clave_cambiada"
SEND_CORREO_CHANGED = "correo.cambiado"
SEND_CLAIM = "correo.etiqueta"
SEND_LOST = "correo.perdida"
SEND_TEST = "correo.prueba"


FORMER_CORREO = "former_correo"


def put_correo_changed(tx: Transaction, secrets: Secrets, account_id: int, former: str) -> None:
    """Tells the mailbox that the account had. It is written nowhere else by then, so it goes along, sealed."""
    sealed = secrets.seal(FORMER_CORREO, former.encode(), _bound_to(account_id))
    put(tx, SEND_CORREO_CHANGED, {"account_id": account_id, "sealed": base64.b64encode(sealed).decode()})


def _bound_to(account_id: int) -> str:
    return f"account:{account_id}:{FORMER_CORREO}"


@dataclass(frozen=True)
class AccountJobs:
    database: Database
    secrets: Secrets
    mailer: Mailer
    clock: Clock
    settings: Settings

    def kinds(self) -> list[Kind]:
        return [
            Kind(SEND_CODE, lambda job: self._send_code(job, Purpose.CORREO), attempts=6),
            # The phone could not be reached: the same proof by mail.
            Kind(SEND_PHONE_CODE, lambda job: self._send_code(job, Purpose.TELEFONO), attempts=6),
            Kind(SEND_RECOVERY, self._send_recovery, attempts=6),
            Kind(SEND_CLAVE_CHANGED, self._send_clave_changed),
            Kind(SEND_CORREO_CHANGED, self._send_correo_changed),
            Kind(SEND_CLAIM, self._send_claim, attempts=6),
            Kind(SEND_LOST, self._send_lost, attempts=6),
            Kind(SEND_TEST, self._send_test, attempts=3),
        ]

    def _send_code(self, job: Job, purpose: Purpose) -> None:
        minutes = self.settings.code_minutes
        with self.database.writing() as tx:
            account = tx.orm.get(Account, job.payload["account_id"])
            if account is None:
                return
            codigo = new_code(
                tx,
                self.secrets,
                account.id,
                purpose,
                account.correo,
                self.clock.now(),
                minutes=minutes,
                tries=self.settings.code_tries,
            )
        self._send(job, account, CODE, codigo=codigo, minutos=str(minutes))

    def _send_link(
        self, job: Job, purpose: Purpose, path: str, texts: Mapping[Idioma, MailText], minutes: int, **values: str
    ) -> None:
        """Also put when there is no such account, so that the request takes the same time."""
        with self.database.writing() as tx:
            account = tx.orm.get(Account, job.payload["account_id"] or 0)
            if account is None:
                return
            token = new_link(tx, self.secrets, account, purpose, self.clock.now(), minutes=minutes)
        self._send(job, account, texts, enlace=f"{self.settings.public_url}/{path}/{token}", **values)

    def _send_recovery(self, job: Job) -> None:
        minutes = self.settings.recovery_minutes
        self._send_link(job, Purpose.CLAVE, "clave", RECOVERY, minutes, minutos=str(minutes))

    def _send_claim(self, job: Job) -> None:
        """Asks the mailbox whether the account claimed a sticker by its code."""
        hours = self.settings.claim_hours
        self._send_link(job, Purpose.ETIQUETA, "etiqueta", CLAIM, hours * 60, horas=str(hours))

    def _send_lost(self, job: Job) -> None:
        """The link that marks stickers lost."""
        minutes = self.settings.recovery_minutes
        self._send_link(job, Purpose.PERDIDA, "perdida", LOST, minutes, minutos=str(minutes))

    def _send_clave_changed(self, job: Job) -> None:
        self._send_plain(job, CLAVE_CHANGED, enlace=f"{self.settings.public_url}/clave")

    def _send_correo_changed(self, job: Job) -> None:
        sealed, bound_to = base64.b64decode(job.payload["sealed"]), _bound_to(job.payload["account_id"])
        former = self.secrets.unseal(FORMER_CORREO, sealed, bound_to).decode()
        self._send_plain(job, CORREO_CHANGED, to=former, enlace=self.settings.public_url)

    def _send_test(self, job: Job) -> None:
        self._send_plain(job, TEST)

    def _send_plain(self, job: Job, texts: Mapping[Idioma, MailText], *, to: str | None = None, **values: str) -> None:
        with self.database.reading() as tx:
            account = tx.orm.get(Account, job.payload["account_id"])
        if account is not None:
            self._send(job, account, texts, to=to, **values)

    def _send(
        self, job: Job, account: Account, texts: Mapping[Idioma, MailText], *, to: str | None = None, **values: str
    ) -> None:
        mail = texts[Idioma(account.idioma)].filled(nombre=greeted(account.nombre, account.idioma), **values)
        try:
            self.mailer.send(Mail(to or account.correo, mail.subject, mail.text, key=f"job-{job.id}"))
        except Refused as refusal:
            raise GiveUp(str(refusal)) from refusal
