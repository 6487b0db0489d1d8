"""Calls a function when a session's transaction is about to be committed, or once it is, in the thread that commits."""

from collections.abc import Callable

from sqlalchemy import event
from sqlalchemy.orm import Session

_BEFORE = "ficha_before_commit"
_AFTER = "ficha_after_commit"


def call_before_commit(session: Session, call: Callable[[Session], None]) -> None:
    """Calls it within the transaction, once per commit, however often it was asked for. After a rollback it waits for
    the session's next commit, so a call may come too often and has to do no harm then."""
    calls: dict[Callable[[Session], None], None] = session.info.setdefault(_BEFORE, {})
    calls[call] = None


def call_after_commit(session: Session, call: Callable[[], None]) -> None:
    """The same for a call after the commit, when others can see what was written."""
    calls: dict[Callable[[], None], None] = session.info.setdefault(_AFTER, {})
    calls[call] = None


def run_before_commit(session: Session) -> None:
    for call in session.info.pop(_BEFORE, ()):
        call(session)


def run_after_commit(session: Session) -> None:
    for call in session.info.pop(_AFTER, ()):
        call()


# Ended savepoints come to both too, but what they wrote is not visible to others yet.
@event.listens_for(Session, "before_commit")
def _before_commit(session: Session) -> None:
    if not session.in_nested_transaction():
        run_before_commit(session)


@event.listens_for(Session, "after_commit")
def _after_commit(session: Session) -> None:
    if not session.in_nested_transaction():
        run_after_commit(session)
