"""Structured logs: one line for each event, with ids and never with content."""

import json
import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from ficha.core.settings import Settings

# Names whose values never reach a log line, because they could be private.
PRIVATE = frozenset(
    {"clave", "token", "secret", "authorization", "cookie", "password", "body", "tag"}
    | {"correo", "telefono", "cod_telefono", "nombre", "documento"}
)
# Ours. Libraries write to loggers of their own; all come together in the root logger's handler.
LOGGER = logging.getLogger("ficha")
COLORS = {"debug": 36, "info": 32, "warning": 33, "error": 31, "critical": 31}

_request_id: ContextVar[str] = ContextVar("request_id", default="")


class EventLog:
    """Writes events: `log().warning("job.retry", job=7)`."""

    def debug(self, event: str, **fields: object) -> None:
        self.log(logging.DEBUG, event, **fields)

    def info(self, event: str, **fields: object) -> None:
        self.log(logging.INFO, event, **fields)

    def warning(self, event: str, **fields: object) -> None:
        self.log(logging.WARNING, event, **fields)

    def error(self, event: str, **fields: object) -> None:
        self.log(logging.ERROR, event, **fields)

    def exception(self, event: str, **fields: object) -> None:
        """An error, with the traceback of the exception being handled."""
        LOGGER.error(event, extra={"fields": fields}, exc_info=True)

    def log(self, level: int, event: str, **fields: object) -> None:
        LOGGER.log(level, event, extra={"fields": fields})


_log = EventLog()


def log() -> EventLog:
    return _log


@contextmanager
def in_request(request_id: str) -> Iterator[None]:
    """Every line written meanwhile carries this id."""
    token = _request_id.set(request_id)
    try:
        yield
    finally:
        _request_id.reset(token)


def current_request_id() -> str:
    """Empty outside of a request."""
    return _request_id.get()


def hide_private(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Replaces private values. This is a last guard: code should log ids only."""
    return {key: "•••" if key.lower() in PRIVATE else value for key, value in fields.items()}


class JsonLines(logging.Formatter):
    """A JSON object a line. Tracebacks show frames and never the values of local variables: those may hold a record."""

    def format(self, record: logging.LogRecord) -> str:
        line = {**fields_of(record), "level": record.levelname.lower(), "timestamp": _timestamp(record)}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, default=repr)


class ConsoleLines(logging.Formatter):
    """For a person's eyes."""

    def __init__(self, *, colors: bool) -> None:
        super().__init__()
        self._colors = colors

    def format(self, record: logging.LogRecord) -> str:
        fields = fields_of(record)
        level = f"{record.levelname.lower():<8}"
        if self._colors:
            level = f"\x1b[{COLORS.get(level.strip(), 0)}m{level}\x1b[0m"
        words = [f"{_timestamp(record)} [{level}] {_shown(fields.pop('event')):<30}"]
        words += [f"{key}={_shown(value)}" for key, value in fields.items()]
        if record.exc_info:
            words.append("\n" + self.formatException(record.exc_info))
        return " ".join(words)


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    """What a line says; that of a library, which has no fields, says its message."""
    fields: dict[str, Any] = getattr(record, "fields", {})
    request_id = current_request_id()
    return hide_private(({"request_id": request_id} if request_id else {}) | fields | {"event": record.getMessage()})


def _timestamp(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _shown(value: object) -> str:
    """As it is, unless it could be taken for more than one value or line."""
    return value if isinstance(value, str) and value.isprintable() else repr(value)


def configure_logs(settings: Settings) -> None:
    console = settings.log_format == "console" or (settings.log_format == "auto" and not settings.in_production)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(ConsoleLines(colors=sys.stderr.isatty()) if console else JsonLines())
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    LOGGER.setLevel(level)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(level, logging.WARNING))
