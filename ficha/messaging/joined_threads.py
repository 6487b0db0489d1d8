"""Joins two threads that turn out to be one person's: one was known by the number, the other by the user id. Most
people have one thread, which only lacks the user id: it is completed at once."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select, update

from ficha.channels.job_services import JobServices
from ficha.core.crypto import Keyring
from ficha.core.log import log
from ficha.core.phones import spellings
from ficha.core.transaction import Transaction
from ficha.jobs.kinds import Job
from ficha.jobs.queue import put
from ficha.messaging.message_content import seal_anew
from ficha.messaging.messages import JoinHook, MessageHooks, put_send_job
from ficha.messaging.notifications import PROCESS
from ficha.messaging.statements import complete_threads, find_threads, lock_incomplete_threads, wait_for_processing
from ficha.messaging.tables import Message, MessageState, Thread, ThreadRow
from ficha.messaging.threads import Person, ThreadFinder

JOIN = "whatsapp.encuentro"


def join_threads(tx: Transaction, keyring: Keyring, kept: Thread, other: Thread, hooks: Sequence[JoinHook]) -> None:
    """Moves everything of `other` to `kept`: messages, which are sealed anew, opt-out, window and account. The
    number is that of `other`, where the person is now; an emergency goes by its messages."""
    old, new = other.open_key(keyring), kept.open_key(keyring)
    tx.orm.flush()
    # Who queues a message for one of them ends first, or comes afterwards and finds the one that stays.
    tx.orm.execute(select(Thread.id).where(Thread.id.in_((kept.id, other.id))).order_by(Thread.id).with_for_update())
    here = select(Message).where(Message.thread_id == other.id).with_for_update().order_by(Message.id)
    for message in tx.orm.scalars(here.execution_options(populate_existing=True)):
        message.thread_id = kept.id
        seal_anew(message, old, new)
        if message.state == MessageState.QUEUED:
            # A job that just waits for this row will not find it with its old thread, and end.
            put_send_job(tx, message.id, message.is_urgent)
    tx.orm.flush()
    _take_over(kept, other)
    wa_id, user_id = other.wa_id or kept.wa_id, kept.user_id or other.user_id
    for hook in hooks:
        hook(tx, kept.id, other.id)
    # The two may not have the same number for a moment either: it is unique.
    tx.orm.execute(update(Thread).where(Thread.id == other.id).values(wa_id=None, user_id=None))
    tx.orm.delete(other)
    tx.orm.flush()
    kept.wa_id, kept.user_id = wa_id, user_id
    log().info("whatsapp.threads_joined", thread_id=kept.id, gone=other.id)


def _take_over(kept: Thread, other: Thread) -> None:
    """The later word about our messages counts; of two at the same time, the one that stops them."""
    times = [_word_at(kept), _word_at(other)]
    known = [at for at in times if at is not None]
    if known:
        latest = max(known)
        says = [thread for thread, at in zip((kept, other), times, strict=True) if at == latest]
        stops = [thread.stopped_at for thread in says if thread.stopped_at is not None]
        kept.opt_out_at, kept.stopped_at = latest, stops[0] if stops else None
    inbound = [at for at in (kept.last_inbound_at, other.last_inbound_at) if at is not None]
    kept.last_inbound_at = max(inbound, default=None)
    kept.account_id = kept.account_id or other.account_id
    kept.created_at = min(kept.created_at, other.created_at)


def _word_at(thread: Thread) -> datetime | None:
    return thread.opt_out_at or thread.stopped_at


def fill_in(tx: Transaction, thread: Thread, person: Person) -> None:
    """The number or the user id that the thread did not know, unless another thread has it."""
    for name, value in (("wa_id", person.wa_id), ("user_id", person.user_id)):
        if value is not None and getattr(thread, name) is None and not _is_taken(tx, thread, name, value):
            setattr(thread, name, value)


def _is_taken(tx: Transaction, thread: Thread, name: str, value: str) -> bool:
    column = getattr(Thread, name)
    same = select(Thread.id).where(Thread.phone_number_id == thread.phone_number_id, column == value)
    return tx.orm.scalar(same) is not None


def move_thread(
    tx: Transaction, keyring: Keyring, thread: Thread, old: str, new: str, hooks: MessageHooks
) -> Thread | None:
    """The platform tells once that a person has another number: her thread moves there, with all that she said about
    our messages, or is joined to the thread that has that number already. Returns the thread that went, if one did.
    What comes late, about a number that she no longer had, moves nothing."""
    if thread.wa_id is not None and thread.wa_id not in spellings(old):
        return None
    there = select(Thread).where(Thread.phone_number_id == thread.phone_number_id, Thread.id != thread.id)
    other = tx.orm.scalars(there.where(Thread.wa_id.in_(spellings(new))).order_by(Thread.id).limit(1)).one_or_none()
    is_of_another = other is not None and None not in (other.user_id, thread.user_id)
    if other is not None and is_of_another and other.user_id != thread.user_id:
        # Whose number it was is known by a user id of their own.
        tx.orm.execute(update(Thread).where(Thread.id == other.id).values(wa_id=None))
        tx.orm.expire(other)
        other = None
    if other is not None:
        join_threads(tx, keyring, thread, other, hooks.joined)
    thread.wa_id = new
    tx.orm.flush()
    log().info("whatsapp.number_changed", thread_id=thread.id)
    return other


def note_same_people(tx: Transaction, named: Iterable[tuple[str, Person]]) -> None:
    """A number and a user id that a status, or the answer to a send, names together are one person's. `named` are
    numbers of ours and people. Completes their threads, and puts a job for those who have two: this transaction holds
    other messages locked. It comes last in it, which then waits for nobody."""
    by_number: dict[str, set[Person]] = {}
    for number, person in named:
        if person.wa_id and person.user_id:
            by_number.setdefault(number, set()).add(person)
    for number, people in sorted(by_number.items()):
        if left := _complete(tx, number, people):
            put(tx, JOIN, {"number": number, "people": [(one.wa_id, one.user_id) for one in left]})


def _complete(tx: Transaction, number: str, people: Collection[Person]) -> list[Person]:
    """Completes the threads that lack the number or the user id. Returns who needs more than that."""
    found: dict[int, tuple[Person, ThreadRow]] = {}
    left = []
    seen: set[str | None] = set()
    for person, thread in _to_join(tx, number, people):
        # Two who claim one thread, or one user id, are looked at one after the other.
        if thread is None or thread.id in found or seen & {person.wa_id, person.user_id}:
            left.append(person)
        else:
            found[thread.id] = person, thread
            seen |= {person.wa_id, person.user_id}
    free = lock_incomplete_threads(tx, found)
    left += [person for thread_id, (person, _) in found.items() if thread_id not in free]
    complete_threads(
        tx,
        [
            {"thread": thread.id, "its_wa_id": thread.wa_id or person.wa_id, "its_user_id": person.user_id}
            for person, thread in found.values()
            if thread.id in free
        ],
    )
    return left


def _to_join(tx: Transaction, number: str, people: Collection[Person]) -> Iterator[tuple[Person, ThreadRow | None]]:
    """Those of whom something is to be done, each with the thread that only has to be completed; None where two have
    to be joined."""
    wa_ids = sorted({digits for person in people for digits in spellings(person.wa_id or "")})
    known = find_threads(tx, number, wa_ids, sorted(str(one.user_id) for one in people))
    by_user = {thread.user_id: thread for thread in known if thread.user_id}
    by_number = {thread.wa_id: thread for thread in known if thread.wa_id}
    for person in sorted(people, key=lambda one: (one.wa_id, one.user_id)):
        numbers = [by_number[digits] for digits in spellings(person.wa_id or "") if digits in by_number]
        of_user, of_number = by_user.get(person.user_id or ""), numbers[0] if numbers else None
        if of_user is None or of_number is None:
            thread = of_user or of_number
            if thread is not None and None in (thread.wa_id, thread.user_id):
                yield person, thread
        # A number that is somebody else's by their user id has changed hands.
        elif of_user.id != of_number.id and of_number.user_id is None:
            yield person, None


@dataclass(frozen=True)
class ThreadJoiner:
    services: JobServices
    hooks: MessageHooks

    def join(self, job: Job) -> None:
        """Doing it twice does no harm: the second time there is one thread, which has both."""
        number = job.payload["number"]
        people = [Person(*each) for each in job.payload["people"]]
        with self.services.database.writing() as tx:
            wait_for_processing(tx)
            for person in people:
                join_threads_of(
                    tx, ThreadFinder(tx, self.services.keyring, self.services.clock.now()), number, person, self.hooks
                )
            # Who met the lock meanwhile has gone, and relies on its holder to process what is left.
            put(tx, PROCESS, {}, key=PROCESS, urgent=True)


def join_threads_of(tx: Transaction, finder: ThreadFinder, number: str, person: Person, hooks: MessageHooks) -> None:
    found = finder.find(number, [person])
    for kept, other in finder.take_pairs():
        join_threads(tx, finder.keyring, kept, other, hooks.joined)
    if person in found:
        fill_in(tx, found[person], person)
