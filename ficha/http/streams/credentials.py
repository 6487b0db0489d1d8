"""The sessions behind open streams, and whether they are still valid: one query for all of them."""

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import NamedTuple, TypeVar

from sqlalchemy import select

from ficha.accounts.accounts import Account, Token
from ficha.accounts.browser_sessions import BrowserSession, session_is_live
from ficha.accounts.tokens import CALLER_COLUMNS, Caller, PresentedCredential, Unauthenticated, caller_in, token_is_live
from ficha.core.transaction import Transaction
from ficha.http.callers import first_caller

T = TypeVar("T")

BATCH_SIZE = 500


class StreamCredential(NamedTuple):
    """What a stream was opened with. `browser_hash` is set when a session cookie stood for the token."""

    token_id: int
    is_staff: bool
    browser_hash: bytes | None = None


def caller_and_credential(
    tx: Transaction, presented: Iterable[PresentedCredential], now: datetime, *, staff_second_factor: bool
) -> tuple[Caller, StreamCredential]:
    """Who opens a stream, and with what; raises Unauthenticated if nothing that was shown is good."""
    found = first_caller(tx, presented, now, staff_second_factor=staff_second_factor)
    if found is None:
        raise Unauthenticated
    caller, credential = found
    return caller, StreamCredential(caller.token_id, caller.acts_as_staff, credential.browser_hash)


def still_valid(
    tx: Transaction, credentials: Collection[StreamCredential], now: datetime, staff_second_factor: bool
) -> set[StreamCredential]:
    """Those that would still be let in. A caller who became staff, or is no longer staff, has to connect again."""
    is_staff: dict[int, bool] = {}
    live_tokens: set[int] = set()
    for ids in _batches([one.token_id for one in credentials]):
        rows = tx.orm.execute(
            select(*CALLER_COLUMNS, token_is_live(now).label("is_live"))
            .join(Account, Account.id == Token.account_id)
            .where(Token.id.in_(ids))
        )
        for row in rows.all():
            is_staff[row.id] = caller_in(tx, row, staff_second_factor=staff_second_factor).acts_as_staff
            if row.is_live:
                live_tokens.add(row.id)
    live_sessions: set[bytes] = set()
    for hashes in _batches([one.browser_hash for one in credentials if one.browser_hash is not None]):
        live_sessions.update(
            tx.orm.scalars(
                select(BrowserSession.hash)
                .join(Token, Token.id == BrowserSession.token_id)
                .join(Account, Account.id == Token.account_id)
                .where(BrowserSession.hash.in_(hashes), session_is_live(now))
            )
        )
    return {
        one
        for one in credentials
        if is_staff.get(one.token_id) == one.is_staff
        and (one.token_id in live_tokens if one.browser_hash is None else one.browser_hash in live_sessions)
    }


def _batches(items: list[T]) -> Iterator[list[T]]:
    for start in range(0, len(items), BATCH_SIZE):
        yield items[start : start + BATCH_SIZE]
