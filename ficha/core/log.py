"""Structured logs: one line for each event, with ids and never with content."""

import logging
import sys
from collections.abc import Mapping, MutableMapping
from contextvars import ContextVar
from typing import Any

import structlog

from ficha.core.settings import Settings

# Names whose values never reach a log line, because they could be private.
PRIVATE = frozenset(
    {"clave", "token", "secret", "authorization", "cookie", "password", "body", "tag"}
    | {"correo", "telefono", "cod_telefono", "nombre", "documento"}
)


_request_id: ContextVar[str] = ContextVar("request_id", default="")


# Every line written between the two carries this id.
set_request_id = _request_id.set
reset_request_id = _request_id.reset


def current_request_id() -> str:
    """Empty outside of a request."""
    return _request_id.get()


def add_request_id(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    request_id = current_request_id()
    if request_id:
        event.setdefault("request_id", request_id)
    return event


def hide_private(_logger: object, _method: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    """Replaces private values. This is a last guard: code should log ids only."""
    return {key: "•••" if key.lower() in PRIVATE else value for key, value in event.items()}


def configure_logs(settings: Settings) -> None:
    console = settings.log_format == "console" or (settings.log_format == "auto" and not settings.in_production)
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    shared: list[structlog.types.Processor] = [
        add_request_id,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        hide_private,
    ]
    # Tracebacks show frames and never the values of local variables: those may hold a record.
    last: list[structlog.types.Processor] = (
        [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback)]
        if console
        else [
            structlog.processors.ExceptionRenderer(structlog.tracebacks.ExceptionDictTransformer(show_locals=False)),
            structlog.processors.JSONRenderer(),
        ]
    )
    structlog.configure(
        processors=[*shared, *last],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    # Log lines of libraries get the same form.
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(level, logging.WARNING))


def log() -> structlog.typing.FilteringBoundLogger:
    logger: structlog.typing.FilteringBoundLogger = structlog.get_logger()
    return logger
