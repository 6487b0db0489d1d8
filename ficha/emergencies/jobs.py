"""The jobs of emergencies: the name of each kind and the function that runs it."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from ficha.channels.job_services import JobServices
from ficha.channels.messages import Text
from ficha.core.crypto import Keyring
from ficha.core.phones import one_spelling
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.emergencies import message_hooks
from ficha.emergencies.alert_progress import AlertState, alert_state, lines_from
from ficha.emergencies.alert_texts import AlertSource, alert_source, where_of
from ficha.emergencies.answers import LinkUnknown, store_answer, store_call
from ficha.emergencies.channels.catalog import CHANNELS
from ficha.emergencies.channels.whatsapp import WhatsAppChannel
from ficha.emergencies.contact_news import ContactNews
from ficha.emergencies.contacts import contacts_in, language_of
from ficha.emergencies.drills import note_test_answer
from ficha.emergencies.emergency import URGENT_RETRY, Emergency, EmergencyState, Timeouts
from ficha.emergencies.escalation import Escalation
from ficha.emergencies.moved_contacts import MovedContacts, on_move
from ficha.emergencies.on_call import OnCall, log_refused_message
from ficha.emergencies.opening import ESCALATE
from ficha.emergencies.relay import take_replies
from ficha.emergencies.relay_lines import queue_relay
from ficha.emergencies.relay_sender import RelaySender
from ficha.emergencies.statements import called_in, note_answer, steps_of
from ficha.emergencies.steps import ContactAnswer, link_for
from ficha.fmd.access import FmdNotFound
from ficha.fmd.records import Record
from ficha.fmd.translations import Translated
from ficha.jobs.kinds import Job, Kind
from ficha.messaging.messages import ContactStopped, MessageHooks, queue_row
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
COMING = Translated(
    "Anotado: usted va. Lugar: {position}. Si algo cambia, dígalo aquí: {link}",
    "Noted: you are going. Place: {position}. If anything changes, say so here: {link}",
    "Anotado: você vai. Local: {position}. Se algo mudar, diga aqui: {link}",
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
    _write_back(tx, keyring, settings, emergency, message_id, now, _said(words), "dudosa")


def confirm_coming(
    tx: Transaction,
    services: JobServices,
    emergency: Emergency,
    contact_id: str,
    message_id: int,
    now: datetime,
) -> None:
    """Once for each contact and emergency, with the position as it is known now: she reads it on the way."""
    if not emergency.is_live:
        return
    link = link_for(services.secrets, emergency.id, contact_id, WhatsAppChannel.name)

    def words(source: AlertSource, language: str) -> str:
        position = where_of(source, language)
        return COMING.in_language(language).format(position=position, link=f"{services.settings.public_url}/a/{link}")

    _write_back(tx, services.keyring, services.settings, emergency, message_id, now, words, "voy")


def confirm_refusal(
    tx: Transaction, keyring: Keyring, settings: Settings, emergency: Emergency, message_id: int, now: datetime
) -> None:
    """Once for each contact and emergency, or drill."""
    _write_back(tx, keyring, settings, emergency, message_id, now, _said([DECLINED]), "rechazo")


# In the contact's language.
Words = Callable[[AlertSource, str], str]


def _said(phrases: Sequence[Translated]) -> Words:
    return lambda _source, language: "".join(phrase.in_language(language) for phrase in phrases)


def _write_back(
    tx: Transaction,
    keyring: Keyring,
    settings: Settings,
    emergency: Emergency,
    message_id: int,
    now: datetime,
    words: Words,
    what: str,
) -> None:
    message = tx.orm.get(Message, message_id)
    if message is None:
        return
    thread = tx.orm.get_one(Thread, message.thread_id)
    source = alert_source(tx, keyring, emergency, tx.orm.get_one(Record, emergency.record_id))
    written = {one_spelling(contact.phone): contact for contact in contacts_in(source.documents.get("emergencia"))}
    language = language_of(written.get(one_spelling(address_of(thread))), source.documents)
    with suppress(ContactStopped):
        queue_row(
            tx,
            keyring,
            thread.phone_number_id,
            address_of(thread),
            Text(words(source, language)),
            now,
            once=f"{emergency.about}:{what}:{thread.id}",
            about=message.about,
            record_id=emergency.record_id,
            reply_to=message.provider_id,
            expires_at=now + Timeouts.of(settings).send_alert,
            is_urgent=True,
            is_said_once=True,
        )


RESUME = "emergencia.repaso"
# Few enough that none waits long for the others.
STEPS_AT_ONCE = 16


def hooks(timeouts: Timeouts, secrets: Secrets) -> MessageHooks:
    """What messaging calls when a message changes its state or is answered, and when somebody has another number."""
    return MessageHooks(
        [log_refused_message, message_hooks.on_change],
        [lambda tx, reply: message_hooks.on_reply(tx, reply, timeouts)],
        [lambda tx, thread, at, now: message_hooks.on_call(tx, thread, at, now, timeouts)],
        moved=[lambda tx, moved: on_move(tx, moved, secrets)],
    )


@dataclass(frozen=True)
class EmergencyJobs(JobServices):
    def kinds(self) -> list[Kind]:
        escalation = Escalation(self)
        return [
            Kind(
                ESCALATE,
                escalation.take_step,
                attempts=100,
                longest_wait=URGENT_RETRY,
                run_together=escalation.take_steps,
                most_together=STEPS_AT_ONCE,
            ),
            Kind(RESUME, escalation.resume_stalled, attempts=3, every=timedelta(minutes=1)),
            Kind(message_hooks.ANSWER, self.store_answer, attempts=100, longest_wait=URGENT_RETRY),
            OnCall(self).job_kind(),
            RelaySender(self).job_kind(),
            *ContactNews(self).job_kinds(),
            MovedContacts(self).job_kind(),
            Kind(message_hooks.CALL, self.store_call, attempts=20, longest_wait=URGENT_RETRY),
            *(kind for channel in CHANNELS for kind in channel.job_kinds(self)),
        ]

    def store_call(self, job: Job) -> None:
        given = job.payload
        with suppress(FmdNotFound), self.database.writing() as tx:
            at = datetime.fromisoformat(given["at"])
            store_call(tx, given["emergency_id"], given["contact_id"], at, self.clock.now())

    def store_answer(self, job: Job) -> None:
        """Stores what a contact answered by button or message. The same answer twice changes nothing."""
        given, now = job.payload, self.clock.now()
        answer = ContactAnswer(given["answer"])
        try:
            with self.database.writing() as tx:
                emergency = store_answer(
                    tx,
                    given["emergency_id"],
                    given["contact_id"],
                    answer,
                    given["how"],
                    now,
                    written_at=datetime.fromisoformat(given["at"]),
                )
                contact = given["emergency_id"], given["contact_id"]
                is_refused = given["is_refused"]
                if is_refused:
                    confirm_refusal(tx, self.keyring, self.settings, emergency, given["message_id"], now)
                if emergency.is_drill:  # She quoted a test message, and is asked nothing back.
                    note_test_answer(
                        tx,
                        self.keyring,
                        self.secrets,
                        emergency,
                        given["contact_id"],
                        WhatsAppChannel.name,
                        now,
                        is_refused=is_refused,
                    )
                    return
                note_answer(tx, *contact, WhatsAppChannel.name, now, is_refused=is_refused)
                record = tx.orm.get_one(Record, emergency.record_id)
                take_replies(tx, self.keyring, emergency, record, self.settings.relay_messages, now)
                queue_relay(tx, emergency.id)  # Whoever answered may get all of it.
                stands = called_in(tx, contact[0])[contact[1]].answer
                if stands == ContactAnswer.VOY == answer:
                    confirm_coming(tx, self, emergency, contact[1], given["message_id"], now)
                # Not if she had said it clearly before.
                if stands == ContactAnswer.UNCLEAR == answer:
                    ask_back(tx, self.keyring, self.settings, emergency, contact[1], given["message_id"], now)
        except (FmdNotFound, LinkUnknown):
            pass  # The record was erased meanwhile.
