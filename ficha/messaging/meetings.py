"""A number and a user id that meet in a status, or in the answer to a send, are one person's: a job joins their
threads. Not the transaction that notices it, which holds other messages locked."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Table, bindparam, or_, select, text
from sqlalchemy.orm import Session

from ficha.core.clock import Clock
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.given_lists import one_of
from ficha.core.prepared import Prepared
from ficha.jobs.kinds import Job
from ficha.jobs.queue import put
from ficha.messaging.joined_threads import fill_in, join_threads
from ficha.messaging.messages import MessageHooks
from ficha.messaging.notifications import PROCESS
from ficha.messaging.number_spellings import spellings
from ficha.messaging.threads import Person, Thread, Threads

MEET = "whatsapp.encuentro"
threads = cast(Table, Thread.__table__)
KNOWN = Prepared(
    select(threads.c.id, threads.c.wa_id, threads.c.user_id)
    .where(threads.c.phone_number_id == bindparam("number"))
    .where(or_(one_of(threads.c.wa_id, "wa_ids"), one_of(threads.c.user_id, "user_ids")))
)
# Whoever processes notifications has this lock: no message comes into a thread while it goes.
WAIT_FOR_PROCESSING = Prepared(text("SELECT pg_advisory_xact_lock(723501)"), only="postgresql")


def note_meetings(session: Session, meetings: Iterable[tuple[str, Person]]) -> None:
    """`meetings` are numbers of ours and people. Puts a job for each whom one thread does not have whole yet."""
    by_number: dict[str, set[Person]] = {}
    for number, person in meetings:
        if person.wa_id and person.user_id:
            by_number.setdefault(number, set()).add(person)
    for number, people in sorted(by_number.items()):
        for person in _to_join(session, number, people):
            payload = {"number": number, "wa_id": person.wa_id, "user_id": person.user_id}
            put(session, MEET, payload, key=f"{MEET}:{number}:{person.user_id}")


def _to_join(session: Session, number: str, people: Collection[Person]) -> list[Person]:
    wa_ids = sorted({digits for person in people for digits in spellings(person.wa_id or "")})
    known = KNOWN.all(session, number=number, wa_ids=wa_ids, user_ids=sorted(str(one.user_id) for one in people))
    by_user = {thread.user_id: thread for thread in known if thread.user_id}
    by_number = {thread.wa_id: thread for thread in known if thread.wa_id}
    found = []
    for person in sorted(people, key=lambda one: (one.wa_id, one.user_id)):
        numbers = [by_number[digits] for digits in spellings(person.wa_id or "") if digits in by_number]
        if _changes_something(by_user.get(person.user_id), numbers[0] if numbers else None):
            found.append(person)
    return found


def _changes_something(of_user: Any, of_number: Any) -> bool:
    if of_user is None:
        return of_number is not None and of_number.user_id is None
    if of_number is None:
        return of_user.wa_id is None
    # A number that is somebody else's by their user id has changed hands.
    return of_user.id != of_number.id and of_number.user_id is None


@dataclass(frozen=True)
class Meetings:
    database: Database
    keyring: Keyring
    clock: Clock
    hooks: MessageHooks

    def join(self, job: Job) -> None:
        """Doing it twice does no harm: the second time there is one thread, which has both."""
        number, person = job.payload["number"], Person(job.payload["wa_id"], job.payload["user_id"])
        with self.database.writing() as session:
            if not self.database.is_sqlite:
                WAIT_FOR_PROCESSING.run(session)
            meet(session, Threads(session, self.keyring, self.clock.now()), number, person, self.hooks)
            # Who met the lock meanwhile has gone, and relies on its holder to process what is left.
            put(session, PROCESS, {}, key=PROCESS, urgent=True)


def meet(session: Session, finder: Threads, number: str, person: Person, hooks: MessageHooks) -> None:
    found = finder.find(number, [person])
    for kept, other in finder.take_pairs():
        join_threads(session, finder.keyring, kept, other, hooks.joined)
    if person in found:
        fill_in(session, found[person], person)
