"""The relay: whoever is with the person writes on the sticker's page, contacts answer by WhatsApp or on their own page,
and neither needs the other's number. It begins with the alert and ends with the emergency."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import exists, select
from sqlalchemy.orm import aliased

from ficha.conversations.message_words import words_of
from ficha.core.crypto import Keyring, Tampered
from ficha.core.plain_names import without_links
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_progress import current_emergency
from ficha.emergencies.answer_words import DECLINING, meaning_of
from ficha.emergencies.answers import called_by_link
from ficha.emergencies.emergency import Emergency, Timeouts
from ficha.emergencies.emergency_events import lock_record, publish_change
from ficha.emergencies.opening import AlertPermission
from ficha.emergencies.relay_lines import LONGEST_WORDS, LineKind, RelayWriter, queue_relay
from ficha.emergencies.statements import note_answer, steps_of
from ficha.emergencies.steps import channel_of_mark, split_link, step_name
from ficha.fmd.records import Record
from ficha.messaging.message_content import opened_json
from ficha.messaging.tables import Message, Thread

CHANGES = ("edit", "revoke")


@dataclass(frozen=True)
class Written:
    """What a form sent: words, a number in E.164, or both. `mark` is what the page was like: the same words sent again
    from the same page are one line."""

    words: str
    phone: str = ""
    mark: str = ""

    def lines(self) -> list[tuple[LineKind, str]]:
        words = fit_words(self.words)
        both = [(LineKind.WORDS, words), (LineKind.PHONE, self.phone)]
        return [(kind, text) for kind, text in both if text]


def fit_words(words: str) -> str:
    """One line, nothing hidden in it, and nothing that a phone makes a link of: it goes into messages in our name."""
    return without_links(words).strip()[:LONGEST_WORDS]


def write_to_family(
    tx: Transaction, permission: AlertPermission, secrets: Secrets, written: Written, most: int, now: datetime
) -> bool:
    """From whoever holds the sticker. False without an alert under way: then nothing is stored. Raises FmdNotFound or
    RelayFull."""
    record = lock_record(tx, permission.record.id)
    emergency = current_emergency(tx, record.id)
    if emergency is None or emergency.is_drill:
        return False
    _write(tx, permission.key, secrets, emergency, record, None, written, most, now)
    return True


def write_by_link(
    tx: Transaction,
    keyring: Keyring,
    secrets: Secrets,
    link: str,
    written: Written,
    most: int,
    now: datetime,
    timeouts: Timeouts,
) -> None:
    """From a contact, on the page of her link. Who writes agrees to get alerts there. After the end nothing is stored.
    Raises LinkUnknown, FmdNotFound or RelayFull."""
    called, emergency, _ = called_by_link(tx, link, now, timeouts)
    contact_id = called.contact_id
    record = lock_record(tx, emergency.record_id)
    tx.orm.refresh(emergency)
    if not emergency.is_live or emergency.is_drill:
        return
    _write(tx, record.open_key(keyring), secrets, emergency, record, contact_id, written, most, now)
    channels = {step.channel for step in steps_of(tx, emergency.id) if step.contact_id == contact_id}
    channel = channel_of_mark(secrets, emergency.id, contact_id, split_link(link)[1], channels)
    if channel is not None:
        note_answer(tx, emergency.id, contact_id, channel, now, is_refused=False)


def _write(
    tx: Transaction,
    key: bytes,
    secrets: Secrets,
    emergency: Emergency,
    record: Record,
    contact_id: str | None,
    written: Written,
    most: int,
    now: datetime,
) -> None:
    writer = RelayWriter(tx, key, emergency.id, most)
    added = False
    for kind, text in written.lines():
        # Keyed, because a plain hash of a few words tells them.
        once = secrets.keyed_hash("relay", f"{contact_id or ''}:{written.mark}:{kind}:{text}").hex()[:60]
        added = writer.add(contact_id, kind, text, once, now) or added
    if added:
        publish_change(tx, "emergency.changed", emergency, record, now)
        queue_relay(tx, emergency.id)


def take_replies(
    tx: Transaction, keyring: Keyring, emergency: Emergency, record: Record, most: int, now: datetime
) -> None:
    """Adds what contacts wrote by WhatsApp since the alert and is not among the lines yet, in the order in which it was
    written. The caller has locked the record. Only words: a button, a file or a voice message adds nothing."""
    if not emergency.is_live:
        return
    contacts = {step_name(step): step.contact_id for step in steps_of(tx, emergency.id) if step.contact_id}
    key = record.open_key(keyring)
    writer = RelayWriter(tx, key, emergency.id, most)
    change = aliased(Message)
    is_changed = exists().where(
        change.thread_id == Message.thread_id, change.reply_to == Message.provider_id, change.type.in_(CHANGES)
    )
    written = tx.orm.execute(
        select(Message, Thread)
        .join(Thread, Thread.id == Message.thread_id)
        .where(Message.record_id == emergency.record_id, Message.about.in_(contacts))
        .where(Message.is_ours.is_(False), Message.type == "text", Message.sealed.is_not(None), ~is_changed)
        .order_by(Message.at, Message.id)
    )
    added = False
    for message, thread in written:
        once, contact_id = f"message:{message.id}", contacts[message.about]
        words = "" if once in writer.known else _words(keyring, message, thread)
        if words and not writer.is_full_for(contact_id):
            added = writer.add(contact_id, LineKind.WORDS, words, once, message.at) or added
    if added:
        publish_change(tx, "emergency.changed", emergency, record, now)


def _words(keyring: Keyring, message: Message, thread: Thread) -> str:
    """Empty for what is not for whoever is with the person: somebody says that the number is not the contact's, or
    that she wants no more alerts."""
    try:
        raw = opened_json(thread.open_key(keyring), message.sealed or b"", message.sealing_context)
    except Tampered:
        return ""
    words = words_of(raw, message.type)
    return "" if meaning_of(words) in DECLINING else fit_words(words)
