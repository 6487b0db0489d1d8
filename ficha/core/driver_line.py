"""The driver's own connection, on which prepared statements run, and what it raises in SQLAlchemy's classes."""

from typing import Any, NamedTuple, NoReturn

from sqlalchemy import Connection, Dialect, PoolProxiedConnection
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError


class DriverLine(NamedTuple):
    """What a session's prepared statements run on: the driver's connection, and who must know if it is lost."""

    driver: Any
    dialect: Dialect
    holder: Connection | PoolProxiedConnection


def raise_as_ours(line: DriverLine, sql: str, error: Exception) -> NoReturn:
    """As SQLAlchemy would: its own classes, without the values, and a lost connection is not used again."""
    is_lost = line.dialect.is_disconnect(error, line.driver, None)  # type: ignore[arg-type]
    if is_lost:
        line.holder.invalidate(error)
    dbapi = line.dialect.loaded_dbapi
    kinds = ((dbapi.IntegrityError, IntegrityError), (dbapi.OperationalError, OperationalError))
    kind = next((ours for theirs, ours in kinds if isinstance(error, theirs)), DBAPIError)
    raise kind(sql, None, error, hide_parameters=True, connection_invalidated=is_lost) from error
