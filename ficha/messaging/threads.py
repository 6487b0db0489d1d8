"""Threads: one for each person who writes to a number of ours, or to whom we write. Its key closes its messages."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ForeignKey, Index, String, bindparam, or_, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from ficha.accounts.accounts import Account
from ficha.core.crypto import Keyring, new_key
from ficha.core.db import Base, BigId, Utc, insert_new
from ficha.core.ids import random_text
from ficha.core.secrets import HasDataKey
from ficha.messaging.number_spellings import digits_of, spellings

WINDOW = timedelta(hours=24)


class Thread(HasDataKey, Base):
    """Who hides their number is known by `user_id` alone; who shows it, by both."""

    __tablename__ = "threads"
    __table_args__ = (
        Index("ux_threads_wa_id", "phone_number_id", "wa_id", unique=True),
        Index("ux_threads_user_id", "phone_number_id", "user_id", unique=True),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    # What its key is bound to: numbers and user ids may change.
    name: Mapped[str] = mapped_column(String(24))
    phone_number_id: Mapped[str] = mapped_column(String(40))
    wa_id: Mapped[str | None] = mapped_column(String(40))
    user_id: Mapped[str | None] = mapped_column(String(160))
    account_id: Mapped[int | None] = mapped_column(ForeignKey("accounts.id", ondelete="SET NULL"), index=True)
    # Their last message: for 24 hours from it we may write freely, after that only templates.
    last_inbound_at: Mapped[datetime | None] = mapped_column(Utc)
    stopped_at: Mapped[datetime | None] = mapped_column(Utc)
    created_at: Mapped[datetime] = mapped_column(Utc)

    @property
    def key_place(self) -> str:
        return f"thread:{self.name}"

    @property
    def address(self) -> str:
        """Where to send: the number where we have it."""
        return f"+{self.wa_id}" if self.wa_id else self.user_id or ""

    def is_open(self, now: datetime) -> bool:
        return self.last_inbound_at is not None and now < self.last_inbound_at + WINDOW


@dataclass(frozen=True)
class Person:
    """Somebody at the other end: by number (digits), by user id, or both."""

    wa_id: str | None = None
    user_id: str | None = None

    @classmethod
    def at(cls, address: str) -> "Person":
        """`+58412…`, or a user id like `US.1349…`."""
        return cls(wa_id=digits_of(address)) if address.startswith("+") else cls(user_id=address)


class Threads:
    """The threads of some people, found or made with a few statements however many they are."""

    def __init__(self, session: Session, keyring: Keyring, now: datetime) -> None:
        self._session = session
        self._keyring = keyring
        self._now = now

    def of(self, phone_number_id: str, people: Sequence[Person]) -> dict[Person, Thread]:
        """Of two processes that make one at once, one does, and both find it."""
        asked = set(people)
        found = self._found(phone_number_id, asked)
        missing = asked - found.keys()
        if missing:
            self._make(phone_number_id, missing)
            found |= self._found(phone_number_id, missing)
        return found

    def _found(self, phone_number_id: str, people: Collection[Person]) -> dict[Person, Thread]:
        wa_ids = {digits for person in people if person.wa_id for digits in spellings(person.wa_id)}
        user_ids = {person.user_id for person in people if person.user_id}
        threads = self._session.scalars(
            FIND, {"number": phone_number_id, "wa_ids": list(wa_ids), "user_ids": list(user_ids)}
        )
        by_user: dict[str | None, Thread] = {}
        by_number: dict[str | None, Thread] = {}
        for thread in threads:
            by_user[thread.user_id] = by_number[thread.wa_id] = thread
        found = {}
        for person in people:
            # The user id outlives a change of number, so it decides where both name somebody.
            ways = [by_user.get(person.user_id)] if person.user_id else []
            ways += [by_number.get(digits) for digits in spellings(person.wa_id)] if person.wa_id else []
            known = next((thread for thread in ways if thread is not None), None)
            if known is not None:
                found[person] = known
        return found

    def _make(self, phone_number_id: str, people: Collection[Person]) -> None:
        rows = []
        # In one order, so that two who make several do not wait for each other in a circle.
        for person in sorted(people, key=lambda one: (one.wa_id or "", one.user_id or "")):
            blank = Thread(name=random_text(24))
            blank.store_key(self._keyring, new_key())
            rows.append(
                {
                    "name": blank.name,
                    "phone_number_id": phone_number_id,
                    "wa_id": person.wa_id,
                    "user_id": person.user_id,
                    "key_id": blank.key_id,
                    "wrapped_key": blank.wrapped_key,
                    "created_at": self._now,
                }
            )
        insert_new(self._session, Thread, rows, Thread.id)


FIND = (
    select(Thread)
    .where(Thread.phone_number_id == bindparam("number"))
    .where(
        or_(
            Thread.wa_id.in_(bindparam("wa_ids", expanding=True)),
            Thread.user_id.in_(bindparam("user_ids", expanding=True)),
        )
    )
)


def thread_with(session: Session, keyring: Keyring, phone_number_id: str, person: Person, now: datetime) -> Thread:
    """The thread of this person, made when there is none."""
    return Threads(session, keyring, now).of(phone_number_id, [person])[person]


def accounts_behind(session: Session, wa_ids: Collection[str]) -> dict[str, int]:
    """Whose numbers these are. Only a proven number counts, or anybody could claim somebody else's messages;
    of several accounts of one family, the one that proved it last."""
    spelt = {f"+{digits}": wa_id for wa_id in wa_ids for digits in spellings(wa_id)}
    owners = session.execute(OWNERS, {"numbers": list(spelt)})
    return {spelt[number]: account_id for account_id, number in owners if number is not None}


OWNERS = (
    select(Account.id, Account.telefono_e164)
    .where(Account.telefono_e164.in_(bindparam("numbers", expanding=True)))
    .where(Account.telefono_verificado_por == "whatsapp")
    .order_by(Account.telefono_verificado_en, Account.id)
)
