"""Changes whose outcome nobody asks for. On PostgreSQL they wait for the session's next statement or its commit and go
there together, as one statement: each trip to the server costs more than the change itself."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

PLACE = re.compile(r"%\((\w+)\)s")


class QueuedWrite(NamedTuple):
    """A statement that has been compiled, and its values as the driver takes them."""

    sql: str
    values: Mapping[str, Any]
    # The table it changes; None for a statement that only calls a function. And all that it reads or changes.
    changes: str | None
    mentions: frozenset[str]


class QueuedWrites:
    """In the order in which they were asked for."""

    def __init__(self) -> None:
        self._waiting: list[QueuedWrite] = []

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, write: QueuedWrite) -> None:
        self._waiting.append(write)

    def clear(self) -> None:
        self._waiting.clear()

    def take(self) -> list[tuple[str, dict[str, Any]]]:
        """As few statements as do the same, with their values. None waits any more."""
        waiting, self._waiting = self._waiting, []
        groups: list[list[QueuedWrite]] = []
        for write in waiting:
            if not groups or not _may_join(groups[-1], write):
                groups.append([])
            groups[-1].append(write)
        return [_joined(group) for group in groups]


def _may_join(group: list[QueuedWrite], write: QueuedWrite) -> bool:
    """The parts of one statement do not see each other's changes, so none may need a table that another changes. What
    only calls a function is carried out as the last part alone."""
    changed = [other.changes for other in group]
    return None not in changed and write.mentions.isdisjoint(changed)


def _joined(group: list[QueuedWrite]) -> tuple[str, dict[str, Any]]:
    values = {f"{name}_{place}": value for place, write in enumerate(group) for name, value in write.values.items()}
    return _joined_text(tuple(write.sql for write in group)), values


@cache  # Of texts that are compiled once: those that follow each other are few.
def _joined_text(texts: tuple[str, ...]) -> str:
    *first, last = [PLACE.sub(rf"%(\1_{place})s", text) for place, text in enumerate(texts)]
    parts = ", ".join(f"part_{place} AS ({text})" for place, text in enumerate(first))
    return f"WITH {parts} {last}" if first else last
