"""A database that does not answer: which errors say so, and what a caller is told of it."""

from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from ficha.core.errors import FichaError
from ficha.core.writer_turns import WritersTimeout


class Unavailable(FichaError):
    status = 503
    code = "no_disponible"
    message = "La base de datos no responde en este momento. Vuelva a probar en unos segundos."
    headers = {"Retry-After": "2"}  # noqa: RUF012


def is_unavailable(error: Exception) -> bool:
    """Whether the same may succeed later: the database cannot be reached, or others hold it for too long. Whatever else
    it says is a bug of ours, as is SQLite's plain error, which it gives for a statement that is wrong."""
    if isinstance(error, OperationalError):
        return getattr(error.orig, "sqlite_errorname", "") != "SQLITE_ERROR"
    return isinstance(error, WritersTimeout | NoConnectionFree)
