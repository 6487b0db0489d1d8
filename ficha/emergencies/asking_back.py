"""What a contact is written back in the thread of her answer to an alert: she is asked once more where it was unclear,
and told that she gets no more alerts where she declined them."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from ficha.channels.messages import Text
from ficha.core.crypto import Keyring
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_progress import lines_from
from ficha.emergencies.alert_state import AlertState, alert_state
from ficha.emergencies.alert_texts import alert_source
from ficha.emergencies.contacts import contacts_in, language_of
from ficha.emergencies.emergency import Emergency, EmergencyState
from ficha.emergencies.statements import called_in, steps_of
from ficha.emergencies.timeouts import Timeouts
from ficha.fmd.records import Record
from ficha.fmd.translations import Translated
from ficha.messaging.messages import ContactStopped, queue_row
from ficha.messaging.tables import Message, Thread
from ficha.messaging.threads import address_of

QUESTION = Translated(
    "No nos quedó claro si usted va. Responda VOY o NO PUEDO, por favor.",
    "It is not clear to us whether you are coming. Please answer COMING or CANNOT.",
    "Não ficou claro se você vai. Responda VOU ou NÃO POSSO, por favor.",
)
# Said only while an alert to another contact is under way.
OTHERS = Translated(
    " Mientras tanto avisamos a otra persona.",
    " Meanwhile we are alerting somebody else.",
    " Enquanto isso avisamos outra pessoa.",
)
DECLINED = Translated(
    "Entendido: usted no quiere más avisos de esta persona. No le enviaremos más por WhatsApp.",
    "Understood: you want no more alerts about this person. We will send you no more by WhatsApp.",
    "Entendido: você não quer mais avisos desta pessoa. Não enviaremos mais pelo WhatsApp.",
)


def ask_back(
    tx: Transaction,
    keyring: Keyring,
    settings: Settings,
    emergency: Emergency,
    contact_id: str,
    message_id: int,
    now: datetime,
) -> None:
    """Once for each contact and emergency, and only while nobody is coming."""
    if emergency.state != EmergencyState.OPEN:
        return
    lines = lines_from(emergency, steps_of(tx, emergency.id), called_in(tx, emergency.id).values(), {}, now)
    others = alert_state([line for line in lines if line.contact_id != contact_id]).state
    words = [QUESTION, OTHERS] if others is AlertState.ALERTING else [QUESTION]
    _write_back(tx, keyring, settings, emergency, message_id, now, words, "dudosa")


def confirm_refusal(
    tx: Transaction, keyring: Keyring, settings: Settings, emergency: Emergency, message_id: int, now: datetime
) -> None:
    """Once for each contact and emergency, or drill."""
    _write_back(tx, keyring, settings, emergency, message_id, now, [DECLINED], "rechazo")


def _write_back(
    tx: Transaction,
    keyring: Keyring,
    settings: Settings,
    emergency: Emergency,
    message_id: int,
    now: datetime,
    words: Sequence[Translated],
    what: str,
) -> None:
    message = tx.orm.get(Message, message_id)
    if message is None:
        return
    thread = tx.orm.get_one(Thread, message.thread_id)
    source = alert_source(tx, keyring, emergency, tx.orm.get_one(Record, emergency.record_id))
    written = {contact.phone: contact for contact in contacts_in(source.documents.get("emergencia"))}
    language = language_of(written.get(address_of(thread)), source.documents)
    with suppress(ContactStopped):
        queue_row(
            tx,
            keyring,
            thread.phone_number_id,
            address_of(thread),
            Text("".join(phrase.in_language(language) for phrase in words)),
            now,
            once=f"{emergency.about}:{what}:{thread.id}",
            about=message.about,
            record_id=emergency.record_id,
            reply_to=message.provider_id,
            expires_at=now + Timeouts.of(settings).send_alert,
            is_urgent=True,
            is_said_once=True,
        )
