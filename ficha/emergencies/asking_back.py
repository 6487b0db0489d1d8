"""Asks a contact once more, in the thread where she answered something unclear to an alert."""

from contextlib import suppress
from datetime import datetime

from sqlalchemy.orm import Session

from ficha.channels.messages import Text
from ficha.core.crypto import Keyring
from ficha.core.settings import Settings
from ficha.emergencies.alert_texts import alert_source
from ficha.emergencies.contacts import contacts_in, language_of
from ficha.emergencies.emergency import Emergency, EmergencyState
from ficha.emergencies.timeouts import Timeouts
from ficha.fmd.records import Record
from ficha.messaging.messages import ContactStopped, Message, queue_row
from ficha.messaging.threads import Thread

QUESTIONS = {
    "es": "No nos quedó claro si usted va. Responda VOY o NO PUEDO, por favor. Mientras tanto avisamos a otros.",
    "en": "It is not clear to us whether you are coming. Please answer COMING or CANNOT. We are alerting others too.",
    "pt": "Não ficou claro se você vai. Responda VOU ou NÃO POSSO, por favor. Enquanto isso avisamos outros.",
}


def ask_back(
    session: Session, keyring: Keyring, settings: Settings, emergency: Emergency, message_id: int, now: datetime
) -> None:
    """Once for each contact and emergency, and only while nobody is coming."""
    message = session.get(Message, message_id)
    if message is None or emergency.state != EmergencyState.OPEN:
        return
    thread = session.get_one(Thread, message.thread_id)
    source = alert_source(session, keyring, emergency, session.get_one(Record, emergency.record_id))
    written = {contact.phone: contact for contact in contacts_in(source.documents.get("emergencia"))}
    with suppress(ContactStopped):
        queue_row(
            session,
            keyring,
            thread.phone_number_id,
            thread.address,
            Text(QUESTIONS[language_of(written.get(thread.address), source.documents)]),
            now,
            once=f"{emergency.about}:dudosa:{thread.id}",
            about=message.about,
            record_id=emergency.record_id,
            reply_to=message.provider_id,
            expires_at=now + Timeouts.of(settings).send_alert,
            is_urgent=True,
            is_said_once=True,
        )
