"""A number and a user id that meet in a status, or in the answer to a send, are one person's. Most people have one
thread, which only lacks the user id: it is completed at once. Two threads are joined by a job, not by the transaction
that notices it, which holds other messages locked."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Table, bindparam, or_, select, text, update

from ficha.core.clock import Clock
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.given_lists import one_of
from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction
from ficha.jobs.kinds import Job
from ficha.jobs.queue import put
from ficha.messaging.joined_threads import fill_in, join_threads
from ficha.messaging.messages import MessageHooks
from ficha.messaging.notifications import PROCESS
from ficha.messaging.number_spellings import spellings
from ficha.messaging.threads import Person, Thread, ThreadFinder

MEET = "whatsapp.encuentro"
threads = cast(Table, Thread.__table__)
KNOWN = Prepared(
    select(threads.c.id, threads.c.wa_id, threads.c.user_id)
    .where(threads.c.phone_number_id == bindparam("number"))
    .where(or_(one_of(threads.c.wa_id, "wa_ids"), one_of(threads.c.user_id, "user_ids")))
)
IS_INCOMPLETE = or_(threads.c.wa_id.is_(None), threads.c.user_id.is_(None))
# Without those that somebody writes into at this moment: who waited here could hold what the other waits for.
LOCK_FREE = Prepared(
    select(threads.c.id).where(one_of(threads.c.id, "ids"), IS_INCOMPLETE).with_for_update(skip_locked=True)
)
COMPLETE = Prepared(
    update(threads)
    .where(threads.c.id == bindparam("thread"))
    .values(wa_id=bindparam("its_wa_id"), user_id=bindparam("its_user_id"))
)
# Whoever processes notifications has this lock: no message comes into a thread while it goes.
WAIT_FOR_PROCESSING = Prepared(text("SELECT pg_advisory_xact_lock(723501)"), only="postgresql")


def note_meetings(tx: Transaction, meetings: Iterable[tuple[str, Person]]) -> None:
    """`meetings` are numbers of ours and people. Completes their threads, and puts a job for those who need more. It
    comes last in its transaction, which then waits for nobody."""
    by_number: dict[str, set[Person]] = {}
    for number, person in meetings:
        if person.wa_id and person.user_id:
            by_number.setdefault(number, set()).add(person)
    for number, people in sorted(by_number.items()):
        if left := _complete(tx, number, people):
            put(tx, MEET, {"number": number, "people": [(one.wa_id, one.user_id) for one in left]})


def _complete(tx: Transaction, number: str, people: Collection[Person]) -> list[Person]:
    """Completes the threads that lack the number or the user id. Returns who needs more than that."""
    found: dict[int, tuple[Person, Any]] = {}
    left = []
    seen: set[str | None] = set()
    for person, thread in _to_join(tx, number, people):
        # Two who claim one thread, or one user id, are looked at one after the other.
        if thread is None or thread.id in found or seen & {person.wa_id, person.user_id}:
            left.append(person)
        else:
            found[thread.id] = person, thread
            seen |= {person.wa_id, person.user_id}
    free = {row.id for row in tx.all(LOCK_FREE, ids=list(found))} if found else set()
    left += [person for thread_id, (person, _) in found.items() if thread_id not in free]
    rows = [
        {"thread": thread.id, "its_wa_id": thread.wa_id or person.wa_id, "its_user_id": person.user_id}
        for person, thread in found.values()
        if thread.id in free
    ]
    if rows:
        tx.run_many(COMPLETE, rows)
    return left


def _to_join(tx: Transaction, number: str, people: Collection[Person]) -> Iterator[tuple[Person, Any]]:
    """Those of whom something is to be done, each with the thread that only has to be completed; None where two have
    to be joined."""
    wa_ids = sorted({digits for person in people for digits in spellings(person.wa_id or "")})
    known = tx.all(KNOWN, number=number, wa_ids=wa_ids, user_ids=sorted(str(one.user_id) for one in people))
    by_user = {thread.user_id: thread for thread in known if thread.user_id}
    by_number = {thread.wa_id: thread for thread in known if thread.wa_id}
    for person in sorted(people, key=lambda one: (one.wa_id, one.user_id)):
        numbers = [by_number[digits] for digits in spellings(person.wa_id or "") if digits in by_number]
        of_user, of_number = by_user.get(person.user_id), numbers[0] if numbers else None
        if of_user is None or of_number is None:
            thread = of_user or of_number
            if thread is not None and None in (thread.wa_id, thread.user_id):
                yield person, thread
        # A number that is somebody else's by their user id has changed hands.
        elif of_user.id != of_number.id and of_number.user_id is None:
            yield person, None


@dataclass(frozen=True)
class Meetings:
    database: Database
    keyring: Keyring
    clock: Clock
    hooks: MessageHooks

    def join(self, job: Job) -> None:
        """Doing it twice does no harm: the second time there is one thread, which has both."""
        number = job.payload["number"]
        # A job from before several were put together names one.
        named = job.payload.get("people") or [(job.payload["wa_id"], job.payload["user_id"])]
        people = [Person(*each) for each in named]
        with self.database.writing() as tx:
            if not self.database.is_sqlite:
                tx.run(WAIT_FOR_PROCESSING)
            for person in people:
                meet(tx, ThreadFinder(tx, self.keyring, self.clock.now()), number, person, self.hooks)
            # Who met the lock meanwhile has gone, and relies on its holder to process what is left.
            put(tx, PROCESS, {}, key=PROCESS, urgent=True)


def meet(tx: Transaction, finder: ThreadFinder, number: str, person: Person, hooks: MessageHooks) -> None:
    found = finder.find(number, [person])
    for kept, other in finder.take_pairs():
        join_threads(tx, finder.keyring, kept, other, hooks.joined)
    if person in found:
        fill_in(tx, found[person], person)
