"""The jobs of notices: they deliver them by the channels that the owner prefers."""

from dataclasses import dataclass
from datetime import datetime

from ficha.accounts.accounts import Account, Idioma
from ficha.accounts.mail_texts import greeted
from ficha.channels.errors import Refused
from ficha.channels.job_services import JobServices
from ficha.channels.mail import Mail
from ficha.channels.messages import Template
from ficha.core.crypto import Tampered, unseal
from ficha.core.phones import zone_of_number
from ficha.core.plain_names import plain_name, without_links
from ficha.core.text_types import one_line
from ficha.core.transaction import Transaction
from ficha.fmd.break_glass import DURATION, broken_between, identity_of
from ficha.fmd.dates_and_amounts import local_time_text
from ficha.fmd.model_parts import Canal
from ficha.fmd.records import Record
from ficha.fmd.stored_documents import Documents, documents_of, unfiltered_first_name, zone_of
from ficha.jobs.kinds import GiveUp, Job, Kind
from ficha.jobs.queue import put
from ficha.messaging.failures import TEMPLATE_LANGUAGES
from ficha.messaging.messages import ContactStopped, queue_row
from ficha.messaging.opened_messages import OpenedMessage, why_context
from ficha.messaging.tables import MessageRow, MessageState
from ficha.notices.mail_texts import ENDS, READER, TEXTS
from ficha.notices.notices import ABOUT, DELIVER, ReaderKind, ReadNotice, network_text
from ficha.notices.opened_notes import OpenedNote
from ficha.products.codes import TagEnd
from ficha.products.statements import live_codes

UNKNOWN = "—"


@dataclass(frozen=True)
class NamedReader:
    at: datetime
    who: str
    why: str


def readers_of(tx: Transaction, notice: ReadNotice, key: bytes) -> list[NamedReader]:
    """All who broke the glass from the notice's first on, until it was told; or the one of staff. `key` is the
    record's, so that no notice tells of somebody at another record."""
    kind, _, number = notice.reader.partition(":")
    if not number.isdigit():
        return []
    if kind == ReaderKind.GLASS:
        broken = broken_between(tx, notice.record_id, int(number), notice.told_at or notice.at)
        found = [(glass.ends_at - DURATION, identity_of(glass, key)) for glass in broken]
        return [NamedReader(at, said.who or UNKNOWN, said.why or UNKNOWN) for at, said in found]
    opened: OpenedMessage | OpenedNote | None = None
    if kind == ReaderKind.STAFF:
        opened = tx.orm.get(OpenedMessage, int(number))
    elif kind == ReaderKind.NOTE:
        opened = tx.orm.get(OpenedNote, int(number))
    if opened is None or opened.record_id != notice.record_id:
        return []
    account = tx.orm.get(Account, opened.account_id)
    try:
        why = without_links(unseal(key, opened.why, why_context(opened.record_id)).decode())
    except Tampered:
        why = UNKNOWN
    return [NamedReader(opened.at, plain_name(account.nombre if account else "") or UNKNOWN, why)]


MAIL = "aviso.correo"
TEMPLATE = "aviso_lectura"
SENDING, SENT = "sending", "sent"


@dataclass(frozen=True)
class NoticeJobs(JobServices):
    def kinds(self) -> list[Kind]:
        return [
            Kind(DELIVER, self.deliver, attempts=20),
            Kind(MAIL, self.send_mail, attempts=20),
        ]

    def deliver(self, job: Job) -> None:
        """Chooses the channels and queues the message, the mail or both, in one transaction."""
        now = self.clock.now()
        with self.database.writing() as tx:
            notice = tx.orm.get(ReadNotice, job.payload["notice_id"], with_for_update=True)
            if notice is None or notice.told_at is not None:
                return
            notice.told_at = now
            found = self._owner(tx, notice)
            if found is None:
                return
            account, documents, _ = found
            channels = _channels_for(documents, account, notice)
            if Canal.WHATSAPP in channels and not self._queue_message(tx, notice, account, documents, now):
                channels = [Canal.CORREO]
            if Canal.CORREO in channels:
                queue_mail(tx, notice.id)

    def send_mail(self, job: Job) -> None:
        """Sends the mail of a notice. As with alerts, its state is stored before and after, under one Message-ID."""
        notice_id = int(job.payload["notice_id"])
        with self.database.writing() as tx:
            notice = tx.orm.get(ReadNotice, notice_id, with_for_update=True)
            if notice is None or notice.mail == SENT:
                return
            found = self._owner(tx, notice)
            if found is None:
                return
            notice.mail = SENDING
            mail = self._mail(tx, notice, *found)
        try:
            self.mailer.send(mail)
        except Refused as refusal:
            raise GiveUp(str(refusal)) from refusal
        with self.database.writing() as tx:
            tx.orm.get_one(ReadNotice, notice_id, with_for_update=True).mail = SENT

    def _owner(self, tx: Transaction, notice: ReadNotice) -> tuple[Account, Documents, bytes] | None:
        record = tx.orm.get(Record, notice.record_id)
        if record is None or record.erased_at is not None or record.account_id is None:
            return None
        key = record.open_key(self.keyring)
        documents = documents_of(tx, record.id, key, ["personal", "preferencia", "emergencia"])
        return tx.orm.get_one(Account, record.account_id), documents, key

    def _queue_message(
        self, tx: Transaction, notice: ReadNotice, account: Account, documents: Documents, now: datetime
    ) -> bool:
        """False if the owner asked for no more messages."""
        language = account.idioma
        values = [
            unfiltered_first_name(documents) or greeted(account.nombre, language),
            local_time_text(notice.at, self._zone(account, documents), language),
            network_text(notice.origin, language),
        ]
        try:
            queue_row(
                tx,
                self.keyring,
                self.settings.whatsapp_phone_number_id,
                account.telefono_e164 or "",
                Template(TEMPLATE, TEMPLATE_LANGUAGES[language], body=[one_line(value) for value in values]),
                now,
                once=f"{ABOUT}{notice.id}",
                about=f"{ABOUT}{notice.id}",
                record_id=notice.record_id,
            )
        except ContactStopped:
            return False
        return True

    def _zone(self, account: Account, documents: Documents) -> str:
        """That of who reads: by her number, else the one that the record names, else the service's."""
        return zone_of_number(account.telefono_e164 or "") or zone_of(documents) or self.settings.time_zone

    def _mail(self, tx: Transaction, notice: ReadNotice, account: Account, documents: Documents, key: bytes) -> Mail:
        name = greeted(account.nombre, account.idioma)
        zone, language = self._zone(account, documents), account.idioma
        written = TEXTS[ReaderKind(notice.how)][Idioma(language)].filled(
            nombre=name,
            persona=unfiltered_first_name(documents) or name,
            hora=local_time_text(notice.at, zone, language),
            origen=network_text(notice.origin, language),
            quienes="\n".join(
                READER.in_language(language).format(local_time_text(reader.at, zone, language), reader.who, reader.why)
                for reader in readers_of(tx, notice, key)
            ),
            etiqueta=ENDS[TagEnd(notice.reader)].in_language(language) if notice.how == ReaderKind.ENDED else "",
            contacto=_contact_name(documents, notice),
            enlace=self.settings.public_url,
            perdida=f"{self.settings.public_url}/perdida",
            accesos=f"{self.settings.public_url}{_log_page(tx, notice.record_id)}",
        )
        return Mail(account.correo, written.subject, written.text, key=f"aviso-{notice.id}")


def _log_page(tx: Transaction, record_id: int) -> str:
    """Who looked at the record; the page of all records where it has no code any more."""
    codes = live_codes(tx, [record_id])
    return f"/app/{codes[0].code}/accesos" if codes else "/app"


def _contact_name(documents: Documents, notice: ReadNotice) -> str:
    """As the owner wrote it; of the contact whom the notice is about."""
    listed = documents.get("emergencia", {}).get("contactos")
    contacts = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    found = next((each for each in contacts if each.get("id") == notice.reader), {})
    return plain_name(str(found.get("nombre") or "")) or UNKNOWN


def on_change(tx: Transaction, message: MessageRow, _now: datetime) -> None:
    """Queues a mail when the message of a notice failed."""
    if message.about.startswith(ABOUT) and message.state == MessageState.FAILED and message.replaced_by is None:
        queue_mail(tx, int(message.about.removeprefix(ABOUT)))


def queue_mail(tx: Transaction, notice_id: int) -> None:
    put(tx, MAIL, {"notice_id": notice_id}, key=f"{MAIL}:{notice_id}")


def _channels_for(documents: Documents, account: Account, notice: ReadNotice) -> list[str]:
    """None if the owner wants no notices, except for broken glass and staff: those always come by mail too, which says
    who it was and why. Mail if no other channel is chosen or works, for an ended tag, and for a contact who has another
    number, whoever wants no notices of readings. WhatsApp goes to a number that was proven there."""
    if notice.how == ReaderKind.MOVED:
        return [Canal.CORREO]
    preferences = documents.get("preferencia", {})
    is_named = notice.how in (ReaderKind.GLASS, ReaderKind.STAFF, ReaderKind.NOTE)
    if not is_named and preferences.get("aviso_por_lectura") is False:
        return []
    if notice.how == ReaderKind.ENDED:  # The message's words are of a record that was opened.
        return [Canal.CORREO]
    chosen = preferences.get("canales")
    channels = [each for each in (Canal.WHATSAPP, Canal.CORREO) if isinstance(chosen, list) and each in chosen]
    if Canal.WHATSAPP in channels and (account.telefono_e164 is None or account.telefono_verificado_por != "whatsapp"):
        channels.remove(Canal.WHATSAPP)
    if Canal.CORREO not in channels and (is_named or not channels):
        channels.append(Canal.CORREO)
    return [str(each) for each in channels]
