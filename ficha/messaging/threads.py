"""Threads: one for each person and number of ours. Its key seals the messages in it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any, NamedTuple, cast

from sqlalchemy import ForeignKey, Index, String, Table, bindparam, or_, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.accounts import Account
from ficha.core.crypto import Keyring, new_key
from ficha.core.db import Base, BigId, Utc
from ficha.core.given_lists import one_of
from ficha.core.ids import random_text
from ficha.core.prepared import Prepared, insert_if_new
from ficha.core.secrets import HasDataKey, opened_key
from ficha.core.transaction import Transaction
from ficha.messaging.number_spellings import digits_of, spellings

WINDOW = timedelta(hours=24)


def key_place_of(name: str) -> str:
    """Bound into the wrapping of a thread's key."""
    return f"thread:{name}"


class ThreadRules:
    """What follows from the columns of a thread, however it was read."""

    name: Any
    wa_id: Any
    user_id: Any
    last_inbound_at: Any

    @property
    def key_place(self) -> str:
        return key_place_of(self.name)

    @property
    def address(self) -> str:
        """Where to send: the number if we know it, else the user id."""
        return f"+{self.wa_id}" if self.wa_id else self.user_id or ""

    def is_open(self, now: datetime) -> bool:
        return self.last_inbound_at is not None and now < self.last_inbound_at + WINDOW


class Thread(ThreadRules, HasDataKey, Base):
    """A person who hides the number has only a `user_id`; others may have both."""

    __tablename__ = "threads"
    __table_args__ = (
        Index("ux_threads_wa_id", "phone_number_id", "wa_id", unique=True),
        Index("ux_threads_user_id", "phone_number_id", "user_id", unique=True),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    # Its key is sealed for this name, because numbers and user ids may change.
    name: Mapped[str] = mapped_column(String(24))
    phone_number_id: Mapped[str] = mapped_column(String(40))
    wa_id: Mapped[str | None] = mapped_column(String(40))
    user_id: Mapped[str | None] = mapped_column(String(160))
    account_id: Mapped[int | None] = mapped_column(ForeignKey("accounts.id", ondelete="SET NULL"), index=True)
    # Their last message: for 24 hours from it we may write freely, after that only templates.
    last_inbound_at: Mapped[datetime | None] = mapped_column(Utc)
    stopped_at: Mapped[datetime | None] = mapped_column(Utc)
    # When the last word that stopped or started our messages was written, by the person's clock.
    opt_out_at: Mapped[datetime | None] = mapped_column(Utc)
    created_at: Mapped[datetime] = mapped_column(Utc)


@dataclass(frozen=True)
class ThreadRow(ThreadRules):
    """A thread as values: what sending needs of it."""

    id: int
    name: str
    phone_number_id: str
    wa_id: str | None
    user_id: str | None
    last_inbound_at: datetime | None
    stopped_at: datetime | None
    key_id: str | None
    wrapped_key: bytes | None

    def open_key(self, keyring: Keyring) -> bytes:
        """Raises KeyDestroyed, or Tampered if it does not open."""
        return opened_key(keyring, self.key_id, self.wrapped_key, self.key_place)


THREAD_COLUMNS = tuple(each.name for each in fields(ThreadRow))


@dataclass(frozen=True)
class Person:
    """Somebody we exchange messages with: by number (digits), by user id, or by both."""

    wa_id: str | None = None
    user_id: str | None = None

    @classmethod
    def from_address(cls, address: str) -> "Person":
        """`address` is `+58412…`, or a user id like `US.1349…`."""
        return cls(wa_id=digits_of(address)) if address.startswith("+") else cls(user_id=address)


NEW_COLUMNS = ("name", "phone_number_id", "wa_id", "user_id", "key_id", "wrapped_key", "created_at")


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
        threads = self._tx.orm.scalars(
            FIND_THREADS, {"number": phone_number_id, "wa_ids": list(wa_ids), "user_ids": list(user_ids)}
        )
        by_user: dict[str | None, Thread] = {}
        by_number: dict[str | None, Thread] = {}
        for thread in threads:
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
            wrapped = self.keyring.wrap(new_key(), key_place_of(name))
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
        self._tx.run_many(insert_if_new(self._tx.dialect.name, cast(Table, Thread.__table__), NEW_COLUMNS), rows)


FIND_THREADS = (
    select(Thread)
    .where(Thread.phone_number_id == bindparam("number"))
    .where(
        or_(
            Thread.wa_id.in_(bindparam("wa_ids", expanding=True)),
            Thread.user_id.in_(bindparam("user_ids", expanding=True)),
        )
    )
)


_threads = cast(Table, Thread.__table__)
_AS_ROW = select(*(_threads.c[name] for name in THREAD_COLUMNS)).where(
    _threads.c.phone_number_id == bindparam("number")
)
_BY_NUMBER = _AS_ROW.where(one_of(_threads.c.wa_id, "wa_ids"))
_BY_USER_ID = _AS_ROW.where(_threads.c.user_id == bindparam("user"))


class FindRow(NamedTuple):
    by_number: Prepared
    by_user_id: Prepared


FIND = FindRow(Prepared(_BY_NUMBER), Prepared(_BY_USER_ID))
# For who writes into the thread: until then nobody joins it to another, which would delete it.
FIND_TO_WRITE = FindRow(
    Prepared(_BY_NUMBER.with_for_update(read=True, key_share=True)),
    Prepared(_BY_USER_ID.with_for_update(read=True, key_share=True)),
)


def thread_row_at(tx: Transaction, keyring: Keyring, phone_number_id: str, address: str, now: datetime) -> ThreadRow:
    """The thread of the person with this address, created if there is none. It stays until the transaction ends."""
    person = Person.from_address(address)
    found = _find_row(tx, phone_number_id, person, FIND_TO_WRITE)
    if found is None:
        ThreadFinder(tx, keyring, now).create(phone_number_id, [person])
        found = _find_row(tx, phone_number_id, person, FIND_TO_WRITE)
    assert found is not None
    return found


def _find_row(tx: Transaction, phone_number_id: str, person: Person, find: FindRow = FIND) -> ThreadRow | None:
    if person.wa_id is None:
        row = tx.first(find.by_user_id, number=phone_number_id, user=person.user_id)
        return None if row is None else ThreadRow(*row)
    spelt = list(spellings(person.wa_id))
    rows = tx.all(find.by_number, number=phone_number_id, wa_ids=spelt)
    return ThreadRow(*min(rows, key=lambda row: spelt.index(row.wa_id))) if rows else None


def is_stopped(tx: Transaction, phone_number_id: str, person: Person) -> bool:
    """Whether the person stopped our messages from this number."""
    found = _find_row(tx, phone_number_id, person)
    return found is not None and found.stopped_at is not None


def open_window(thread: Thread, at: datetime, now: datetime) -> None:
    """The person wrote or called at that time: for 24 hours from then we may write freely. Never from the future."""
    at = min(at, now)
    if thread.last_inbound_at is None or thread.last_inbound_at < at:
        thread.last_inbound_at = at


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
