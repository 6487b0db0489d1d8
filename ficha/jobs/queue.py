"""Puts work aside. It exists if, and only if, the caller's transaction commits."""

from datetime import datetime

from sqlalchemy.orm import Session

from ficha.jobs.engine import engine_of
from ficha.jobs.kinds import Payload


def put(
    session: Session,
    kind: str,
    payload: Payload,
    *,
    at: datetime | None = None,
    key: str | None = None,
    urgent: bool = False,
) -> None:
    """The payload carries ids, never content. While a job with this `key` waits, another put changes nothing.
    What is urgent does not queue behind what is not."""
    engine_of(session).put(session, kind, payload, at, key, urgent)
