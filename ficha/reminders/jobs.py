"""The jobs of reminders: who is due is asked, the mail is sent, and what was answered by a button is stored."""

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select

from ficha.accounts.accounts import Account, Idioma
from ficha.accounts.mail_texts import MailText, greeted
from ficha.channels.errors import Refused
from ficha.channels.job_services import JobServices
from ficha.channels.mail import Mail
from ficha.channels.messages import Button, Template, Text
from ficha.core.crypto import Tampered
from ficha.core.log import log
from ficha.core.secrets import KeyDestroyed
from ficha.core.text_types import one_line
from ficha.core.transaction import Transaction
from ficha.fmd.catalog import CATALOG
from ficha.fmd.grants import may_manage
from ficha.fmd.model_parts import Canal
from ficha.fmd.records import Record
from ficha.fmd.stored_documents import documents_of, unfiltered_first_name
from ficha.fmd.translations import Translated
from ficha.jobs.kinds import GiveUp, Job, Kind
from ficha.jobs.queue import put
from ficha.messaging.failures import TEMPLATE_LANGUAGES
from ficha.messaging.messages import ContactStopped, ReceivedMessage, queue_row
from ficha.messaging.tables import MessageRow, MessageState
from ficha.products.statements import live_codes
from ficha.reminders.reminders import (
    ABOUT,
    Every,
    Reminder,
    ReminderAnswer,
    ReminderChoice,
    ReminderUnknown,
    answer_reminder,
    link_token,
    oldest_fact,
)

REMINDER = {
    Idioma.ES: MailText(
        "¿Sigue igual la ficha de {persona}?",
        "Hola, {nombre}.\n\nLo más antiguo de la ficha de {persona} está en la sección «{seccion}». ¿Sigue igual?\n\n"
        "Responda sí o no aquí, sin entrar en su cuenta. El enlace sirve una vez, durante 30 días:\n\n{enlace}\n\n"
        "En la misma página puede dejar de recibir estos correos.\n",
    ),
    Idioma.EN: MailText(
        "Is the record of {persona} still right?",
        "Hello, {nombre}.\n\nWhat is oldest in the record of {persona} is in the section “{seccion}”. Is it still "
        "right?\n\nAnswer yes or no here, without logging in. The link works once, for 30 days:\n\n{enlace}\n\n"
        "On the same page you can stop these mails.\n",
    ),
    Idioma.PT: MailText(
        "A ficha de {persona} continua certa?",
        "Olá, {nombre}.\n\nO mais antigo da ficha de {persona} está na seção “{seccion}”. Continua certo?\n\n"
        "Responda sim ou não aqui, sem entrar na sua conta. O link vale uma vez, por 30 dias:\n\n{enlace}\n\n"
        "Na mesma página pode deixar de receber estes e-mails.\n",
    ),
}

THANKS = Translated(
    "Gracias: queda confirmado con la fecha de hoy.",
    "Thank you: it is confirmed as of today.",
    "Obrigado: fica confirmado com a data de hoje.",
)
CORRECT = Translated("Corríjalo aquí: {}", "Correct it here: {}", "Corrija aqui: {}")


ASK, MAIL, ANSWER = "recordatorio.repaso", "recordatorio.correo", "recordatorio.respuesta"
TEMPLATE = "recordatorio_vigencia"
PAYLOAD = re.compile(r"^recordatorio:(si|no):([0-9]{1,18})$")
SENDING, SENT = "sending", "sent"


@dataclass(frozen=True)
class ReminderJobs(JobServices):
    def kinds(self) -> list[Kind]:
        return [
            Kind(ASK, self.ask_all, attempts=3, every=timedelta(hours=1)),
            Kind(MAIL, self.send_mail, attempts=20),
            Kind(ANSWER, self.store_answer, attempts=20),
        ]

    def ask_all(self, _job: Job) -> None:
        """Each record in a transaction of its own: whatever dies, nobody is asked twice for one period."""
        now = self.clock.now()
        with self.database.reading() as tx:
            due = tx.orm.scalars(select(ReminderChoice.record_id).where(ReminderChoice.next_at <= now)).all()
        for record_id in due:
            try:
                with self.database.writing() as tx:
                    self._ask(tx, record_id, now)
            except (KeyDestroyed, Tampered):  # Of this record nothing can be asked; the others are not to wait for it.
                log().exception("reminder.record_not_opened", record_id=record_id)

    def _ask(self, tx: Transaction, record_id: int, now: datetime) -> None:
        choice = tx.orm.get(ReminderChoice, record_id, with_for_update=True)
        if choice is None or choice.next_at > now:
            return
        period, step = choice.next_at.date().isoformat(), Every(choice.every).step
        while choice.next_at <= now:
            choice.next_at += step
        record = tx.orm.get(Record, record_id)
        if record is None or record.erased_at is not None or not may_manage(tx, record, choice.account_id, now):
            tx.orm.delete(choice)  # It is no longer hers.
            return
        documents = documents_of(tx, record.id, record.open_key(self.keyring), CATALOG.names)
        oldest = oldest_fact(documents, now.date())
        is_refused = documents.get("preferencia", {}).get("recordatorios") is False
        if oldest is None or is_refused or not live_codes(tx, [record_id]):
            return
        if oldest.freshness.days is not None and oldest.freshness.days < step.days:
            return  # All of it was confirmed since she would have been asked last.
        asked = Reminder(
            record_id=record_id, account_id=choice.account_id, period=period, model=oldest.model, asked_at=now
        )
        tx.orm.add(asked)
        tx.orm.flush()
        account = tx.orm.get_one(Account, choice.account_id)
        name = unfiltered_first_name(documents)
        if choice.channel != Canal.WHATSAPP or not self._queue_message(tx, asked, account, name, now):
            queue_mail(tx, asked.id)

    def _queue_message(self, tx: Transaction, asked: Reminder, account: Account, name: str, now: datetime) -> bool:
        """False where her number was not proven over WhatsApp, or she stopped our messages: then she gets a mail."""
        if account.telefono_e164 is None or account.telefono_verificado_por != "whatsapp":
            return False
        values = [name or greeted(account.nombre, account.idioma), _section(asked.model, account.idioma)]
        buttons = [
            Button(0, f"{ABOUT}{ReminderAnswer.YES}:{asked.id}"),
            Button(1, f"{ABOUT}{ReminderAnswer.NO}:{asked.id}"),
        ]
        language = TEMPLATE_LANGUAGES[account.idioma]
        content = Template(TEMPLATE, language, body=[one_line(value) for value in values], buttons=buttons)
        about = f"{ABOUT}{asked.id}"
        try:
            self._queue(tx, account, content, now, once=about, about=about, record_id=asked.record_id)
        except ContactStopped:
            return False
        return True

    def _queue(
        self, tx: Transaction, account: Account, content: Template | Text, now: datetime, **options: object
    ) -> None:
        number = self.settings.whatsapp_phone_number_id
        queue_row(tx, self.keyring, number, account.telefono_e164 or "", content, now, **options)  # type: ignore[arg-type]

    def send_mail(self, job: Job) -> None:
        """Its state is stored before and after, under one Message-ID. An answered question is not asked."""
        reminder_id = int(job.payload["reminder_id"])
        with self.database.writing() as tx:
            asked = tx.orm.get(Reminder, reminder_id, with_for_update=True)
            if asked is None or asked.mail == SENT or asked.answered_at is not None:
                return
            record = tx.orm.get_one(Record, asked.record_id)
            if record.erased_at is not None:
                return
            asked.mail = SENDING
            mail = self._mail(tx, asked, record)
        try:
            self.mailer.send(mail)
        except Refused as refusal:
            raise GiveUp(str(refusal)) from refusal
        with self.database.writing() as tx:
            tx.orm.get_one(Reminder, reminder_id, with_for_update=True).mail = SENT

    def _mail(self, tx: Transaction, asked: Reminder, record: Record) -> Mail:
        account = tx.orm.get_one(Account, asked.account_id)
        documents = documents_of(tx, record.id, record.open_key(self.keyring), ["personal"])
        name = greeted(account.nombre, account.idioma)
        written = REMINDER[Idioma(account.idioma)].filled(
            nombre=name,
            persona=unfiltered_first_name(documents) or name,
            seccion=_section(asked.model, account.idioma),
            enlace=f"{self.settings.public_url}/recordatorio/{link_token(self.secrets, asked.id)}",
        )
        return Mail(account.correo, written.subject, written.text, key=f"recordatorio-{asked.id}")

    def store_answer(self, job: Job) -> None:
        """What was answered by a button. A second press changes nothing."""
        given, now = job.payload, self.clock.now()
        answer, reminder_id = ReminderAnswer(given["answer"]), int(given["reminder_id"])
        with suppress(ReminderUnknown), self.database.writing() as tx:
            answered = answer_reminder(tx, self.keyring, reminder_id, answer, now)
            account = tx.orm.get_one(Account, answered.reminder.account_id)
            words = THANKS.in_language(account.idioma)
            if not answered.is_done:
                words = CORRECT.in_language(account.idioma).format(f"{self.settings.public_url}{answered.path}")
            about = f"{ABOUT}{reminder_id}"
            with suppress(ContactStopped):
                self._queue(
                    tx,
                    account,
                    Text(words),
                    now,
                    once=f"{about}:{answer}",
                    about=about,
                    record_id=answered.reminder.record_id,
                )


def on_change(tx: Transaction, message: MessageRow, _now: datetime) -> None:
    """Queues a mail when the message that asks failed."""
    number = message.about.removeprefix(ABOUT)
    has_failed = message.state == MessageState.FAILED and message.replaced_by is None
    if has_failed and message.about.startswith(ABOUT) and number.isdecimal():
        queue_mail(tx, int(number))


def on_reply(tx: Transaction, reply: ReceivedMessage) -> bool:
    """True if it is a button of a question that was sent to this very person; the answer is queued then."""
    pressed = PAYLOAD.match(reply.payload or "")
    asked = reply.answers
    if pressed is None or asked is None or asked.about != f"{ABOUT}{pressed.group(2)}":
        return False
    if asked.thread_id != reply.message.thread_id:  # Who knows the id of a message could press for somebody else.
        return False
    reply.message.about, reply.message.record_id = asked.about, asked.record_id
    payload = {"reminder_id": int(pressed.group(2)), "answer": pressed.group(1)}
    put(tx, ANSWER, payload, key=f"{ANSWER}:{reply.message.id}")
    return True


def queue_mail(tx: Transaction, reminder_id: int) -> None:
    put(tx, MAIL, {"reminder_id": reminder_id}, key=f"{MAIL}:{reminder_id}")


def _section(wire: str, language: str) -> str:
    model = CATALOG.find(wire)
    return model.about.title.in_language(language) if model else wire
