"""A session that only reads: its prepared statements need no transaction around them, and get none."""

from typing import Any

from sqlalchemy import Engine, PoolProxiedConnection
from sqlalchemy.orm import Session


class ReadingSession(Session):
    """Until the ORM is used, statements run on a connection straight from the pool: to begin and end a transaction for
    them takes longer than they do. Each sees what is committed when it begins."""

    _lent: PoolProxiedConnection | None = None

    def lent(self) -> PoolProxiedConnection | None:
        """The connection for prepared statements; None once the ORM has one of its own."""
        if self._lent is None and not self.in_transaction():
            assert isinstance(self.bind, Engine)
            self._lent = self.bind.raw_connection()
            _set_autocommit(self._lent, self.bind, True)
        return self._lent

    def get_bind(self, *args: Any, **more: Any) -> Any:
        """Asked for whenever the ORM needs a connection: two for one request could starve others."""
        self._give_back()
        return super().get_bind(*args, **more)

    def close(self) -> None:
        self._give_back()
        # Without the ORM nothing was begun or loaded, and to close that takes SQLAlchemy a tenth of a small read.
        if self.in_transaction() or self.identity_map:
            super().close()

    def _give_back(self) -> None:
        if self._lent is None:
            return
        lent, self._lent = self._lent, None
        if lent.is_valid:
            _set_autocommit(lent, self.bind, False)
        lent.close()


def _set_autocommit(lent: PoolProxiedConnection, engine: Any, value: bool) -> None:
    """psycopg begins a transaction by itself unless told; SQLite's driver does nothing by itself (`core/db.py`)."""
    if engine.dialect.name == "postgresql":
        driver: Any = lent.driver_connection
        driver.autocommit = value
