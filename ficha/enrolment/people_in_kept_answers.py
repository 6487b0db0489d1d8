"""Whom answers tell about that are kept for a day under an Idempotency-Key, so that they are erased with any of them.

The answers belong to the package that keeps them (http/kept_answers.py). Of most it is enough to know the account that
asked or that is quoted. What a platform answered may be about somebody with an account here, found by the number, the
mailbox or the conversation that it names.
"""

import json
import re
from collections.abc import Collection, Iterable
from typing import Any

from sqlalchemy import column, delete, or_, select, table, update

from ficha.accounts.accounts import Account
from ficha.conversations.desk_conversations import DeskConversation
from ficha.core.phones import spellings
from ficha.core.transaction import Transaction
from ficha.emergencies.emergency import Emergency
from ficha.messaging.tables import Thread
from ficha.messaging.threads import digits_of

KEPT = table("kept_answers", column("scope"), column("account_id"), column("people"), column("answer"))

NUMBER = re.compile(r"\+?(\d{8,15})")
CORREO = re.compile(r"[^\s@]+@[^\s@]+")
# Of one answer, which is about one contact or one message.
MOST = 50


def people_in(body: bytes) -> list[str]:
    """The numbers and mailboxes that stand anywhere in a platform's answer as a value."""
    try:
        level: list[Any] = [json.loads(body)]
    except (ValueError, RecursionError):
        return []
    found: dict[str, None] = {}
    while level:
        for value in level:
            if isinstance(value, str) and (number := NUMBER.fullmatch(value)):
                found[number[1]] = None
            elif isinstance(value, str) and CORREO.fullmatch(value):
                found[value.casefold()] = None
        level = [child for value in level for child in _children(value)]
    return list(found)[:MOST]


def conversation_name(number: str | int) -> str:
    """Names whoever is in this conversation at the help desk."""
    return f"conversation:{number}"


def as_lines(people: Collection[str]) -> str | None:
    """As the column has them: a line for each, and its ends on both sides, so that a whole line can be looked for."""
    return "\n" + "\n".join(people) + "\n" if people else None


def erase_answers_of_account(tx: Transaction, account_id: int, record_ids: Collection[int]) -> None:
    """While its rows are still there. The account's own are deleted, and those that quote it; of a platform's answers
    to others the words go, and the key stays used: what they asked for was done."""
    _erase_words(tx, [*_names_of_account(tx, account_id), *_names_of_records(tx, record_ids)])
    tx.orm.execute(delete(KEPT).where(_is_of(account_id)))


def erase_answers_about_record(tx: Transaction, account_id: int, record_id: int) -> None:
    """The account stays."""
    _erase_words(tx, _names_of_records(tx, [record_id]))
    erase_words_for_account(tx, account_id)


def erase_words_for_account(tx: Transaction, account_id: int) -> None:
    """Of an account that has a record no longer: any of its answers may tell about that, so the words of all of them
    go. Their keys stay used: what it asked for was done."""
    tx.orm.execute(update(KEPT).where(_is_of(account_id)).values(answer=None))


def _is_of(account_id: int) -> Any:
    return or_(KEPT.c.scope == f"account:{account_id}", KEPT.c.account_id == account_id)


def _names_of_account(tx: Transaction, account_id: int) -> Iterable[str]:
    account = tx.orm.get_one(Account, account_id)
    yield account.correo.casefold()
    threads = tx.orm.execute(select(Thread.id, Thread.wa_id).where(Thread.account_id == account_id)).all()
    numbers = [digits_of(account.telefono_e164 or ""), digits_of(account.cod_telefono) + account.telefono]
    for number in {*numbers, *(wa_id for _, wa_id in threads)}:
        if number:
            yield from spellings(number)
    yield from _conversations(tx, DeskConversation.thread_id.in_([thread_id for thread_id, _ in threads]))


def _names_of_records(tx: Transaction, record_ids: Collection[int]) -> Iterable[str]:
    emergencies = select(Emergency.id).where(Emergency.record_id.in_(record_ids))
    return _conversations(tx, DeskConversation.emergency_id.in_(emergencies))


def _conversations(tx: Transaction, which: Any) -> Iterable[str]:
    found = tx.orm.scalars(select(DeskConversation.conversation_id).where(which))
    return [conversation_name(number) for number in found if number is not None]


def _erase_words(tx: Transaction, people: Iterable[str]) -> None:
    for name in people:
        is_named = KEPT.c.people.contains(f"\n{name}\n", autoescape=True)
        tx.orm.execute(update(KEPT).where(is_named).values(answer=None, people=None))


def _children(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
