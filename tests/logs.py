"""What the service logs while a test watches."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ficha.core.log import LOGGER


@contextmanager
def captured_logs() -> Iterator[list[dict[str, Any]]]:
    """The fields of each line as the code gives them, with `event` and `log_level`, in place of writing them."""
    lines: list[dict[str, Any]] = []

    class Keeper(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            fields = getattr(record, "fields", {})
            lines.append({**fields, "event": record.getMessage(), "log_level": record.levelname.lower()})

    keeper = Keeper()
    LOGGER.addHandler(keeper)
    LOGGER.propagate = False
    try:
        yield lines
    finally:
        LOGGER.propagate = True
        LOGGER.removeHandler(keeper)
