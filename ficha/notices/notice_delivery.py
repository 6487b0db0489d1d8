"""The jobs that tell owners who opened their record, by the ways they prefer."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from ficha.accounts.accounts import Account, Idioma
from ficha.channels.errors import Refused
from ficha.channels.mail import Mail, Mailer
from ficha.channels.messages import Template
from ficha.core.clock import Clock
from ficha.core.crypto import Keyring, Tampered, unseal
from ficha.core.db import Database
from ficha.core.settings import Settings
from ficha.fmd.break_glass import BreakGlass
from ficha.fmd.choices import Canal
from ficha.fmd.local_time import local_time_text
from ficha.fmd.readable_documents import Documents, documents_of, unfiltered_first_name, zone_of
from ficha.fmd.records import Record
from ficha.jobs.kinds import GiveUp, Job
from ficha.jobs.queue import put
from ficha.messaging.failures import TEMPLATE_LANGUAGES
from ficha.messaging.message_states import MessageState
from ficha.messaging.messages import ContactStopped, Message, queue_message
from ficha.notices.mail_texts import GLASS, READ
from ficha.notices.notices import ReaderKind, ReadNotice, network_said

MAIL = "aviso.correo"
TEMPLATE = "aviso_lectura"
ABOUT = "aviso:"
SENDING, SENT = "sending", "sent"


@dataclass(frozen=True)
class NoticeDelivery:
    database: Database
    keyring: Keyring
    mailer: Mailer
    clock: Clock
    settings: Settings

    def tell(self, job: Job) -> None:
        """Decides by which ways, and puts them aside, in one transaction."""
        now = self.clock.now()
        with self.database.writing() as session:
            notice = session.get(ReadNotice, job.payload["notice_id"], with_for_update=True)
            if notice is None or notice.told_at is not None:
                return
            notice.told_at = now
            found = self._owner(session, notice)
            if found is None:
                return
            account, documents, _ = found
            ways = _ways(documents, account, notice)
            if Canal.WHATSAPP in ways and not self._ask(session, notice, account, documents, now):
                ways = [Canal.CORREO]
            if Canal.CORREO in ways:
                put_mail(session, notice.id)

    def send_mail(self, job: Job) -> None:
        """As with alerts: written down before and after, and one Message-ID however often it goes."""
        notice_id = int(job.payload["notice_id"])
        with self.database.writing() as session:
            notice = session.get(ReadNotice, notice_id, with_for_update=True)
            if notice is None or notice.mail == SENT:
                return
            found = self._owner(session, notice)
            if found is None:
                return
            notice.mail = SENDING
            mail = self._mail(session, notice, *found)
        try:
            self.mailer.send(mail)
        except Refused as refusal:
            raise GiveUp(str(refusal)) from refusal
        with self.database.writing() as session:
            session.get_one(ReadNotice, notice_id, with_for_update=True).mail = SENT

    def _owner(self, session: Session, notice: ReadNotice) -> tuple[Account, Documents, bytes] | None:
        record = session.get(Record, notice.record_id)
        if record is None or record.erased_at is not None or record.account_id is None:
            return None
        key = record.open_key(self.keyring)
        documents = documents_of(session, record.id, key, ["personal", "preferencia"])
        return session.get_one(Account, record.account_id), documents, key

    def _ask(self, session: Session, notice: ReadNotice, account: Account, documents: Documents, now: datetime) -> bool:
        language = account.idioma
        values = [
            unfiltered_first_name(documents) or account.nombre,
            local_time_text(notice.at, zone_of(documents), language),
            network_said(notice.origin, language),
        ]
        try:
            queue_message(
                session,
                self.keyring,
                self.settings.whatsapp_phone_number_id,
                account.telefono_e164 or "",
                Template(TEMPLATE, TEMPLATE_LANGUAGES[language], body=values),
                now,
                once=f"{ABOUT}{notice.id}",
                about=f"{ABOUT}{notice.id}",
            )
        except ContactStopped:
            return False
        return True

    def _mail(self, session: Session, notice: ReadNotice, account: Account, documents: Documents, key: bytes) -> Mail:
        letters = GLASS if notice.how == ReaderKind.GLASS else READ
        letter = letters[Idioma(account.idioma)].filled(
            nombre=account.nombre,
            persona=unfiltered_first_name(documents) or account.nombre,
            hora=local_time_text(notice.at, zone_of(documents), account.idioma),
            origen=network_said(notice.origin, account.idioma),
            quien=_who(session, notice, key),
            enlace=self.settings.public_url,
        )
        return Mail(account.correo, letter.subject, letter.text, key=f"aviso-{notice.id}")


def on_change(session: Session, message: Message, _now: datetime) -> None:
    """What could not be told by message goes by mail."""
    if message.about.startswith(ABOUT) and message.state == MessageState.FAILED and message.replaced_by is None:
        put_mail(session, int(message.about.removeprefix(ABOUT)))


def put_mail(session: Session, notice_id: int) -> None:
    put(session, MAIL, {"notice_id": notice_id}, key=f"{MAIL}:{notice_id}")


def _ways(documents: Documents, account: Account, notice: ReadNotice) -> list[str]:
    """Nothing for who asked for nothing, except broken glass. Mail where no other way is chosen or can be gone."""
    wishes = documents.get("preferencia", {})
    if notice.how != ReaderKind.GLASS and wishes.get("aviso_por_lectura") is False:
        return []
    chosen = wishes.get("canales")
    ways = [way for way in (Canal.WHATSAPP, Canal.CORREO) if isinstance(chosen, list) and way in chosen]
    if Canal.WHATSAPP in ways and account.telefono_e164 is None:
        ways.remove(Canal.WHATSAPP)
    return [str(way) for way in ways] or [str(Canal.CORREO)]


def _who(session: Session, notice: ReadNotice, key: bytes) -> str:
    """The name that the responder gave. The reason may be medical, and stays in the record."""
    kind, _, number = notice.reader.partition(":")
    glass = session.get(BreakGlass, int(number)) if kind == ReaderKind.GLASS and number.isdigit() else None
    if glass is None:
        return "—"
    try:
        return unseal(key, glass.who, f"glass:{glass.record_id}:who").decode()
    except Tampered:
        return "—"
