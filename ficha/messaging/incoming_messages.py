"""Stores the messages that people write to us, in their threads, and starts everything that follows from them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import bindparam, select

from ficha.channels.messages import Incoming, Text
from ficha.core.crypto import Keyring
from ficha.core.db import insert_new
from ficha.core.ids import random_text
from ficha.core.phones import spellings
from ficha.core.transaction import Transaction
from ficha.events.publish import publish
from ficha.jobs.queue import put
from ficha.messaging.failures import FailureHandler
from ficha.messaging.files import FETCH, add_waiting_file
from ficha.messaging.joined_threads import fill_in, join_threads, move_thread
from ficha.messaging.message_content import sealed_json
from ficha.messaging.messages import (
    KEY_LENGTH,
    STOP_CONFIRMATION,
    MovedNumber,
    ReceivedMessage,
    mark_handled,
    queue_row,
)
from ficha.messaging.notifications import possible_time
from ficha.messaging.opt_out import OptOutWord, confirmation_of, opt_out_word_in, question_back, sounds_like_stop
from ficha.messaging.tables import Message, MessageState, Thread, message_context
from ficha.messaging.threads import (
    Person,
    ThreadFinder,
    accounts_by_number,
    address_of,
    idioma_of,
    open_window,
)

# Nobody wrote these: the platform did, or they only change what was written before.
OPENS_NO_WINDOW = ("system", "request_welcome", "edit", "revoke")


@dataclass(frozen=True)
class IncomingMessages:
    """Processes messages from people, in the transaction of the caller."""

    keyring: Keyring
    failures: FailureHandler

    def process(self, tx: Transaction, incoming: Sequence[Incoming], now: datetime, *, is_test: bool) -> None:
        """Each message counts once, however often the platform sends it: its id is unique in the table.

        Queries are made for all messages together, because a notification has up to a thousand."""
        stored = self._store(tx, incoming if is_test else _not_stored_yet(tx, incoming), now, is_test)
        if not stored:
            return
        if not is_test:
            stored = self._move(tx, stored)
        owners = accounts_by_number(tx, {one.thread.wa_id for one in stored if one.thread.wa_id})
        answered = _answered_messages(tx, stored)
        for one in stored:
            if not one.message.is_test:
                _update_thread(tx, one, owners)
            self._process_one(tx, replace(one, answers=answered.get(one.incoming.reply_to or "")))

    def _store(
        self, tx: Transaction, incoming: Sequence[Incoming], now: datetime, is_test: bool
    ) -> list[ReceivedMessage]:
        threads: dict[tuple[str, Person], Thread] = {}
        finder = ThreadFinder(tx, self.keyring, now)
        for number in {one.phone_number_id for one in incoming}:
            people = [_person(one) for one in incoming if one.phone_number_id == number]
            found = finder.find_or_create(number, people)
            pairs = finder.take_pairs()
            if pairs and not is_test:
                for kept, other in pairs:
                    join_threads(tx, self.keyring, kept, other, self.failures.hooks.joined)
                found = finder.find_or_create(number, people)
            threads |= {(number, person): thread for person, thread in found.items()}
        # A test has another id, so that a real message with the same id is not taken for it.
        by_id = {provider_id_of_test(one.provider_id) if is_test else one.provider_id: one for one in incoming}
        rows = []
        for name, one in by_id.items():  # In the order in which they came, because a thread is read in that order.
            thread, key = threads[one.phone_number_id, _person(one)], random_text(KEY_LENGTH)
            at = possible_time(one.at, now)
            rows.append(
                {
                    "key": key,
                    "thread_id": thread.id,
                    "is_ours": False,
                    "is_test": is_test or one.is_test,
                    "type": one.type[:40],
                    "provider_id": name,
                    "reply_to": one.reply_to or one.edits,
                    "sealed": sealed_json(thread.open_key(self.keyring), one.raw, message_context(key)),
                    "state": MessageState.RECEIVED,
                    "at": at,
                    "is_time_clamped": at != one.at,
                }
            )
        new = [row[0] for row in insert_new(tx, Message, rows, Message.id)]
        messages = {message.provider_id: message for message in tx.orm.scalars(BY_ID, {"ids": new})} if new else {}
        return [
            ReceivedMessage(messages[name], one, threads[one.phone_number_id, _person(one)], now)
            for name, one in by_id.items()
            if name in messages
        ]

    def _move(self, tx: Transaction, stored: list[ReceivedMessage]) -> list[ReceivedMessage]:
        """Moves the threads of those who have another number. What another thread had is then in the one that stays."""
        hooks = self.failures.hooks
        for received in list(stored):
            message, incoming, thread = received.message, received.incoming, received.thread
            old, new = incoming.author.wa_id or thread.wa_id, incoming.moved_to
            if old is None or new is None or new in spellings(old) or message.is_test:
                continue
            gone = move_thread(tx, self.keyring, thread, old, new, hooks)
            if gone is not None:
                stored = [replace(each, thread=thread) if each.thread is gone else each for each in stored]
            for moved in hooks.moved:
                moved(tx, MovedNumber(message.id, old, new))
        return stored

    def _process_one(self, tx: Transaction, received: ReceivedMessage) -> None:
        message, incoming, thread, now = received.message, received.incoming, received.thread, received.now
        if received.answers is not None:
            message.about, message.record_id = received.answers.about, received.answers.record_id
        if incoming.file is not None:
            add_waiting_file(tx, self.keyring, message.id, incoming.file, now)
            if not message.is_test:
                put(tx, FETCH, {"message_id": message.id}, key=f"{FETCH}:{message.id}")
        publish(
            tx,
            "message.received",
            {"id": message.id, "thread_id": thread.id, "type": message.type, "about": message.about},
            now,
            accounts=[thread.account_id] if thread.account_id else [],
            staff=True,
        )
        if message.is_test:
            return
        hooks = self.failures.hooks.received
        if self._apply_opt_out(tx, received) or any(handles(tx, received) for handles in hooks):
            mark_handled(tx, message, now)
        elif received.edits is None and thread.stopped_at is None and sounds_like_stop(received.words):
            self._ask_back(tx, received)

    def _apply_opt_out(self, tx: Transaction, received: ReceivedMessage) -> bool:
        """Whether it is a word that stops our messages or starts them again. It is confirmed if it changes anything."""
        word = opt_out_word_in(received.words) if received.edits is None else None
        thread, written_at = received.thread, received.message.at
        if word is None:
            return False
        if not _is_last_word(thread, word, written_at):
            return True
        thread.opt_out_at = written_at
        if (word is OptOutWord.STOP) == (thread.stopped_at is None):
            thread.stopped_at = received.now if word is OptOutWord.STOP else None
            text = confirmation_of(word, idioma_of(tx, thread))
            self._answer(tx, received, text, f"{word}:{received.message.id}")
        return True

    def _ask_back(self, tx: Transaction, received: ReceivedMessage) -> None:
        """Once for a person: whoever is asked again and again would think that we do not listen."""
        text = question_back(idioma_of(tx, received.thread))
        self._answer(tx, received, text, f"stop?:{received.thread.name}")

    def _answer(self, tx: Transaction, received: ReceivedMessage, words: str, once: str) -> None:
        queue_row(
            tx,
            self.keyring,
            received.thread.phone_number_id,
            address_of(received.thread),
            Text(words),
            received.now,
            once=once,
            about=STOP_CONFIRMATION,
            reply_to=received.message.provider_id,
        )


def provider_id_of_test(provider_id: str) -> str:
    return f"test:{provider_id}"


STORED_IDS = select(Message.provider_id).where(Message.provider_id.in_(bindparam("ids", expanding=True)))
BY_ID = select(Message).where(Message.id.in_(bindparam("ids", expanding=True)))
OUR_MESSAGES = (
    select(Message).where(Message.provider_id.in_(bindparam("ids", expanding=True))).where(Message.is_ours.is_(True))
)


def _not_stored_yet(tx: Transaction, incoming: Sequence[Incoming]) -> list[Incoming]:
    """Leaves out most repetitions before anything is sealed for them. The unique index finds the others."""
    if not incoming:
        return []
    known = set(tx.orm.scalars(STORED_IDS, {"ids": [one.provider_id for one in incoming]}))
    return [one for one in incoming if one.provider_id not in known]


def _answered_messages(tx: Transaction, stored: Sequence[ReceivedMessage]) -> dict[str, Message]:
    ids = [one.incoming.reply_to for one in stored if one.incoming.reply_to]
    if not ids:
        return {}
    return {message.provider_id or "": message for message in tx.orm.scalars(OUR_MESSAGES, {"ids": ids})}


def _person(incoming: Incoming) -> Person:
    return Person(incoming.author.wa_id, incoming.author.user_id)


def _is_last_word(thread: Thread, word: OptOutWord, written_at: datetime) -> bool:
    """Whatever comes first: what was written last counts, and of two at the same time the one that stops."""
    before = thread.opt_out_at or thread.stopped_at
    return before is None or before < written_at or (before == written_at and word is OptOutWord.STOP)


def _update_thread(tx: Transaction, one: ReceivedMessage, owners: dict[str, int]) -> None:
    """Starts the 24 hours again if a person wrote it, fills in a missing number or user id, and links the account that
    owns the number."""
    thread, person = one.thread, _person(one.incoming)
    if one.message.type not in OPENS_NO_WINDOW:
        open_window(thread, one.message.at, one.now)
    fill_in(tx, thread, person)
    # Each time, because people change their numbers.
    owner = owners.get(thread.wa_id or "")
    if thread.account_id != owner:
        thread.account_id = owner
