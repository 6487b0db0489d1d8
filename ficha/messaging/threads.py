"""Finds the thread of a person, one for each number of ours, and what follows from its columns."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from sqlalchemy import bindparam, select

from ficha.accounts.accounts import Account
from ficha.core.crypto import Keyring, new_key
from ficha.core.ids import random_text
from ficha.core.phones import spellings
from ficha.core.transaction import Transaction
from ficha.messaging.statements import create_threads, find_threads, load_threads
from ficha.messaging.tables import Thread, ThreadRow, thread_key_context

WINDOW = timedelta(hours=24)


class AnyThread(Protocol):
    """However it was read."""

    @property
    def wa_id(self) -> str | None: ...
    @property
    def user_id(self) -> str | None: ...
    @property
    def last_inbound_at(self) -> datetime | None: ...


def address_of(thread: AnyThread) -> str:
    """Where to send: the number if we know it, else the user id."""
    return f"+{thread.wa_id}" if thread.wa_id else thread.user_id or ""


def is_open(thread: AnyThread, now: datetime) -> bool:
    """Whether we may write freely: for 24 hours from what the person wrote last."""
    return thread.last_inbound_at is not None and now < thread.last_inbound_at + WINDOW


def digits_of(number: str) -> str:
    """The number as the platform writes it: without the plus sign."""
    return number.removeprefix("+")


@dataclass(frozen=True)
class Person:
    """Somebody we exchange messages with: by number (digits), by user id, or by both."""

    wa_id: str | None = None
    user_id: str | None = None

    @classmethod
    def from_address(cls, address: str) -> "Person":
        """`address` is `+58412…`, or a user id like `US.1349…`."""
        return cls(wa_id=digits_of(address)) if address.startswith("+") else cls(user_id=address)


class ThreadFinder:
    """Finds or creates the threads of many people with a few statements."""

    def __init__(self, tx: Transaction, keyring: Keyring, now: datetime) -> None:
        self._tx = tx
        self.keyring = keyring
        self._now = now
        self._pairs: dict[int, tuple[Thread, Thread]] = {}

    def find_or_create(self, phone_number_id: str, people: Sequence[Person]) -> dict[Person, Thread]:
        """If two processes create the same thread at once, one does, and both get it. `take_pairs` then has those
        whose number and user id belong to two threads, which are one person's."""
        asked = set(people)
        found = self.find(phone_number_id, asked)
        missing = asked - found.keys()
        if missing:
            self.create(phone_number_id, missing)
            found |= self.find(phone_number_id, missing)
        return found

    def take_pairs(self) -> list[tuple[Thread, Thread]]:
        """The one that stays first."""
        pairs = list(self._pairs.values())
        self._pairs.clear()
        return pairs

    def find(self, phone_number_id: str, people: Collection[Person]) -> dict[Person, Thread]:
        wa_ids = {digits for person in people if person.wa_id for digits in spellings(person.wa_id)}
        user_ids = {person.user_id for person in people if person.user_id}
        by_user: dict[str | None, Thread] = {}
        by_number: dict[str | None, Thread] = {}
        for thread in load_threads(self._tx, phone_number_id, wa_ids, user_ids):
            by_user[thread.user_id] = by_number[thread.wa_id] = thread
        found = {}
        for person in people:
            # The user id stays the same when the number changes, so it decides if the two belong to different threads.
            candidates = [by_user.get(person.user_id)] if person.user_id else []
            candidates += [by_number.get(digits) for digits in spellings(person.wa_id)] if person.wa_id else []
            known = [thread for thread in candidates if thread is not None]
            if known:
                found[person] = known[0]
                # A number that is somebody else's by their user id has changed hands, and joins nothing.
                if known[-1] is not known[0] and known[-1].user_id is None:
                    self._pairs[known[-1].id] = (known[0], known[-1])
        return found

    def create(self, phone_number_id: str, people: Collection[Person]) -> None:
        rows = []
        # Always in the same order, so that two processes that create several cannot deadlock.
        for person in sorted(people, key=lambda one: (one.wa_id or "", one.user_id or "")):
            name = random_text(24)
            wrapped = self.keyring.wrap(new_key(), thread_key_context(name))
            rows.append(
                {
                    "name": name,
                    "phone_number_id": phone_number_id,
                    "wa_id": person.wa_id,
                    "user_id": person.user_id,
                    "key_id": wrapped.key_id,
                    "wrapped_key": wrapped.sealed,
                    "created_at": self._now,
                }
            )
        create_threads(self._tx, rows)


def thread_row_at(tx: Transaction, keyring: Keyring, phone_number_id: str, address: str, now: datetime) -> ThreadRow:
    """The thread of the person with this address, created if there is none. It stays until the transaction ends."""
    person = Person.from_address(address)
    found = _find_row(tx, phone_number_id, person, to_write=True)
    if found is None:
        ThreadFinder(tx, keyring, now).create(phone_number_id, [person])
        found = _find_row(tx, phone_number_id, person, to_write=True)
    assert found is not None
    return found


def _find_row(tx: Transaction, phone_number_id: str, person: Person, *, to_write: bool = False) -> ThreadRow | None:
    """By the number if we have it, else by the user id."""
    spelt = spellings(person.wa_id) if person.wa_id else []
    user_ids = [person.user_id] if person.user_id and not spelt else []
    rows = find_threads(tx, phone_number_id, spelt, user_ids, to_write=to_write)
    return min(rows, key=lambda row: spelt.index(row.wa_id) if row.wa_id in spelt else 0, default=None)


def is_stopped(tx: Transaction, phone_number_id: str, person: Person) -> bool:
    """Whether the person stopped our messages from this number."""
    found = _find_row(tx, phone_number_id, person)
    return found is not None and found.stopped_at is not None


def stopped_numbers(tx: Transaction, phone_number_id: str, numbers: Collection[str]) -> set[str]:
    """Those of these numbers, in E.164, whose person stopped our messages: one statement for all."""
    spelt = {number: spellings(digits_of(number)) for number in numbers}
    wanted = [digits for each in spelt.values() for digits in each]
    threads = {row.wa_id: row for row in find_threads(tx, phone_number_id, wanted, [])} if wanted else {}
    found = {number: next((threads[each] for each in ways if each in threads), None) for number, ways in spelt.items()}
    return {number for number, row in found.items() if row is not None and row.stopped_at is not None}


def open_window(thread: Thread, at: datetime, now: datetime) -> None:
    """The person wrote or called at that time: for 24 hours from then we may write freely. Never from the future."""
    at = min(at, now)
    if thread.last_inbound_at is None or thread.last_inbound_at < at:
        thread.last_inbound_at = at


def idioma_of(tx: Transaction, thread: Thread) -> str | None:
    """Of the person's account, where there is one."""
    account = tx.orm.get(Account, thread.account_id) if thread.account_id else None
    return account.idioma if account else None


def accounts_by_number(tx: Transaction, wa_ids: Collection[str]) -> dict[str, int]:
    """The accounts that own these numbers. Only a number verified over WhatsApp counts, or anybody could claim somebody
    else's messages. Of several accounts of one family, the one that verified it last."""
    spelt = {f"+{digits}": wa_id for wa_id in wa_ids for digits in spellings(wa_id)}
    owners = tx.orm.execute(FIND_OWNERS, {"numbers": list(spelt)})
    return {spelt[number]: account_id for account_id, number in owners if number is not None}


FIND_OWNERS = (
    select(Account.id, Account.telefono_e164)
    .where(Account.telefono_e164.in_(bindparam("numbers", expanding=True)))
    .where(Account.telefono_verificado_por == "whatsapp")
    .order_by(Account.telefono_verificado_en, Account.id)
)
