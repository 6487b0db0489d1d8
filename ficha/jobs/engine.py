"""The one face of both engines. The modules `leased` and `postgres` are its two implementations."""

from datetime import datetime, timedelta
from typing import Protocol

from sqlalchemy.orm import Session

from ficha.jobs import postgres_engine, sqlite_engine
from ficha.jobs.kinds import Claim, DeadJob, Payload


class Engine(Protocol):
    """Where jobs are kept. Everything happens inside the caller's transaction."""

    def put(
        self, session: Session, kind: str, payload: Payload, at: datetime | None, key: str | None, urgent: bool
    ) -> None: ...

    # The three ways an attempt ends. Each says whether the claim still held; if not, nothing was changed.
    def finish(self, session: Session, claim: Claim) -> bool: ...
    def retry(self, session: Session, claim: Claim, at: datetime, error: str) -> bool: ...
    def bury(self, session: Session, claim: Claim, error: str) -> bool: ...

    def expired(self, session: Session, lease: timedelta) -> list[Claim]: ...  # Their holders have fallen silent.

    def dead(self, session: Session, limit: int, after: int) -> list[DeadJob]: ...
    def revive(self, session: Session, id: int) -> bool: ...
    def discard(self, session: Session, id: int) -> bool: ...

    def counts(self, session: Session, *, dead: bool) -> dict[str, int]: ...
    def waiting_since(self, session: Session) -> datetime | None: ...


def engine_of(session: Session) -> Engine:
    return sqlite_engine if session.get_bind().dialect.name == "sqlite" else postgres_engine
