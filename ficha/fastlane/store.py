"""What the lane asks of a database: rows, on the database's own driver, on the event loop."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol

from ficha.core.prepared import Prepared, Values

Row = Sequence[Any]


class Store(Protocol):
    """Keeps connections between `open` and `close`. Outside of that, as in a test that starts no server, each read
    opens its own: a connection belongs to the event loop in which it was made."""

    async def open(self) -> None: ...
    async def close(self) -> None: ...

    async def rows(self, statement: Prepared, values: Values) -> Sequence[Row]:
        """All rows; raises Unavailable if the database does not answer."""

    def utc(self, moment: Any) -> datetime:
        """A time as the driver gives it, with its zone."""

    def wire(self, moment: Any) -> str:
        """A time as the driver gives it, in the words of the wire."""
