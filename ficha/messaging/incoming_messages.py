"""What happens when somebody writes: the message joins its thread, and everything it sets off happens with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import bindparam, select, update
from sqlalchemy.orm import Session

from ficha.accounts.accounts import Account
from ficha.channels.messages import Incoming, Text
from ficha.core.crypto import Keyring
from ficha.core.db import insert_new
from ficha.core.ids import random_text
from ficha.events.events import publish
from ficha.jobs.queue import put
from ficha.messaging.failures import Failures
from ficha.messaging.files import FETCH, note_file
from ficha.messaging.message_content import sealed_json
from ficha.messaging.message_states import MessageState
from ficha.messaging.messages import KEY_LENGTH, STOP_ANSWER, Message, Reply, queue_message
from ficha.messaging.opt_out import Wish, answer_to, wish_in
from ficha.messaging.threads import Person, Thread, Threads, accounts_behind

MARK_READ = "whatsapp.leido"


class Arrival(NamedTuple):
    message: Message
    incoming: Incoming
    thread: Thread


@dataclass(frozen=True)
class IncomingMessages:
    """Where what people write is dealt with."""

    keyring: Keyring
    failures: Failures

    def take_in(self, session: Session, incoming: Sequence[Incoming], now: datetime, *, is_test: bool) -> None:
        """Once for each message, however often the platform tells of it: the unique id decides, in this transaction.

        What all of them need is asked for together: a batch holds up to a thousand."""
        arrivals = self._stored(session, incoming if is_test else _unknown(session, incoming), now, is_test)
        if not arrivals:
            return
        owners = accounts_behind(session, {one.thread.wa_id for one in arrivals if one.thread.wa_id})
        answered = _answered(session, arrivals)
        for one in arrivals:
            _join(session, one, owners)
            self._deal(session, one, answered.get(one.incoming.reply_to or ""), now)

    def _stored(self, session: Session, incoming: Sequence[Incoming], now: datetime, is_test: bool) -> list[Arrival]:
        threads: dict[tuple[str, Person], Thread] = {}
        finder = Threads(session, self.keyring, now)
        for number in {one.phone_number_id for one in incoming}:
            people = [_person(one) for one in incoming if one.phone_number_id == number]
            threads |= {(number, person): thread for person, thread in finder.of(number, people).items()}
        # A test has a name of its own: it must not stand in the way of a real message with the same id.
        by_id = {test_name(one.provider_id) if is_test else one.provider_id: one for one in incoming}
        rows = []
        for name, one in by_id.items():  # In the order in which they came: that is how a thread is read.
            thread, key = threads[one.phone_number_id, _person(one)], random_text(KEY_LENGTH)
            rows.append(
                {
                    "key": key,
                    "thread_id": thread.id,
                    "is_ours": False,
                    "is_test": is_test or one.is_test,
                    "is_secret": False,
                    "type": one.type[:40],
                    "about": "",
                    "provider_id": name,
                    "reply_to": one.reply_to,
                    "sealed": sealed_json(thread.open_key(self.keyring), one.raw, f"message:{key}"),
                    "state": MessageState.RECEIVED,
                    "at": one.at,
                    "attempts": 0,
                    "pair_hits": 0,
                    "has_turn": False,
                    "is_urgent": False,
                }
            )
        new = [row[0] for row in insert_new(session, Message, rows, Message.id)]
        messages = {message.provider_id: message for message in session.scalars(THESE, {"ids": new})} if new else {}
        return [
            Arrival(messages[name], one, threads[one.phone_number_id, _person(one)])
            for name, one in by_id.items()
            if name in messages
        ]

    def _deal(self, session: Session, one: Arrival, answered: Message | None, now: datetime) -> None:
        message, incoming, thread = one
        if answered is not None:
            message.about = answered.about
        if incoming.file is not None:
            note_file(session, self.keyring, message.id, incoming.file, now)
            if not message.is_test:
                put(session, FETCH, {"message_id": message.id}, key=f"{FETCH}:{message.id}")
        publish(
            session,
            "message.received",
            {"id": message.id, "thread_id": thread.id, "type": message.type, "about": message.about},
            now,
            accounts=[thread.account_id] if thread.account_id else [],
            staff=True,
        )
        if message.is_test:
            return
        reply = Reply(message, thread, incoming.words, incoming.payload, answered, now)
        if self._heed(session, reply) or any(replied(session, reply) for replied in self.failures.hooks.replied):
            deal_with(session, message, now)

    def _heed(self, session: Session, reply: Reply) -> bool:
        """Whether it is a word that stops our messages, or wants them again. Answered when it changes anything."""
        wish = wish_in(reply.words)
        thread = reply.thread
        if wish is None:
            return False
        if (wish is Wish.STOP) == (thread.stopped_at is None):
            thread.stopped_at = reply.now if wish is Wish.STOP else None
            account = session.get(Account, thread.account_id) if thread.account_id else None
            queue_message(
                session,
                self.keyring,
                thread.phone_number_id,
                thread.address,
                Text(answer_to(wish, account.idioma if account else None)),
                reply.now,
                once=f"{wish}:{reply.message.id}",
                about=STOP_ANSWER,
                reply_to=reply.message.provider_id,
            )
        return True


def test_name(provider_id: str) -> str:
    return f"test:{provider_id}"


def deal_with(session: Session, message: Message, now: datetime) -> None:
    """Somebody or something has dealt with it, so the person sees it as read."""
    if message.dealt_at is None:
        message.dealt_at = now
        put(session, MARK_READ, {"message_id": message.id}, key=f"{MARK_READ}:{message.id}")


def deal_with_all(session: Session, thread: Thread, now: datetime) -> None:
    """Who answers has read what came before. Marking the newest as read marks the earlier ones with it."""
    waiting = session.scalars(
        select(Message)
        .where(Message.thread_id == thread.id, Message.is_ours.is_(False), Message.dealt_at.is_(None))
        .where(Message.is_test.is_(False))
        .order_by(Message.id)
    ).all()
    for message in waiting[:-1]:
        message.dealt_at = now
    if waiting:
        deal_with(session, waiting[-1], now)


KNOWN = select(Message.provider_id).where(Message.provider_id.in_(bindparam("ids", expanding=True)))
THESE = select(Message).where(Message.id.in_(bindparam("ids", expanding=True)))
ANSWERED = (
    select(Message).where(Message.provider_id.in_(bindparam("ids", expanding=True))).where(Message.is_ours.is_(True))
)


def _unknown(session: Session, incoming: Sequence[Incoming]) -> list[Incoming]:
    """Most repetitions are seen here, before anything is sealed for them; the unique index sees the rest."""
    if not incoming:
        return []
    known = set(session.scalars(KNOWN, {"ids": [one.provider_id for one in incoming]}))
    return [one for one in incoming if one.provider_id not in known]


def _answered(session: Session, arrivals: Sequence[Arrival]) -> dict[str, Message]:
    ids = [one.incoming.reply_to for one in arrivals if one.incoming.reply_to]
    if not ids:
        return {}
    return {message.provider_id or "": message for message in session.scalars(ANSWERED, {"ids": ids})}


def _person(incoming: Incoming) -> Person:
    return Person(incoming.author.wa_id, incoming.author.user_id)


def _join(session: Session, one: Arrival, owners: dict[str, int]) -> None:
    """The window opens again, a name for the person that was missing is filled in, and the account behind it found."""
    thread, person = one.thread, _person(one.incoming)
    if thread.last_inbound_at is None or thread.last_inbound_at < one.incoming.at:
        thread.last_inbound_at = one.incoming.at
    for name, value in (("wa_id", person.wa_id), ("user_id", person.user_id)):
        if value is not None and getattr(thread, name) is None and not _is_taken(session, thread, name, value):
            setattr(thread, name, value)
    # Each time, because people change their numbers.
    owner = owners.get(thread.wa_id or "")
    if thread.account_id != owner:
        thread.account_id = owner


def _is_taken(session: Session, thread: Thread, name: str, value: str) -> bool:
    column = getattr(Thread, name)
    same = select(Thread.id).where(Thread.phone_number_id == thread.phone_number_id, column == value)
    return session.scalar(same) is not None


def note_receipt(session: Session, provider_id: str, now: datetime) -> None:
    """A read receipt went out past us: that message is dealt with, and the earlier ones of its thread with it."""
    theirs = Message.is_ours.is_(False)
    found = session.scalars(select(Message).where(Message.provider_id == provider_id, theirs)).one_or_none()
    if found is not None:
        session.execute(
            update(Message)
            .where(Message.thread_id == found.thread_id, Message.id <= found.id, theirs, Message.dealt_at.is_(None))
            .values(dealt_at=now)
        )
