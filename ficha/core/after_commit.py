"""Calls a function once a session's transaction is committed, in the thread that committed it."""

from collections.abc import Callable

from sqlalchemy import event
from sqlalchemy.orm import Session

_CALLS = "ficha_after_commit"


def call_after_commit(session: Session, call: Callable[[], None]) -> None:
    """Calls it once per commit, however often it was asked for. After a rollback it waits for the session's next
    commit, so a call may come too often and has to do no harm then."""
    calls: dict[Callable[[], None], None] = session.info.setdefault(_CALLS, {})
    calls[call] = None


@event.listens_for(Session, "after_commit")
def _call(session: Session) -> None:
    # Ended savepoints come here too, but what they wrote is not visible to others yet.
    if not session.in_nested_transaction():
        for call in session.info.pop(_CALLS, ()):
            call()
