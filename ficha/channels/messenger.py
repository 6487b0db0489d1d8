"""What every messaging platform can do for us."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from ficha.channels.messages import Accepted, Event, Outgoing


class Messenger(Protocol):
    """A platform that carries messages. It keeps nothing, repeats nothing and waits for nobody."""

    name: str

    def send(self, message: Outgoing) -> Accepted:
        """Raises NotSent, OutcomeUnknown, another RetryLater, or Refused."""
        ...

    def mark_read(self, provider_id: str, typing: bool = False) -> None:
        """Tells the person that we have read up to here, and with `typing` that an answer is being written."""
        ...

    def verify(self, headers: Mapping[str, str], body: bytes) -> None:
        """Raises MissingSignature or BadSignature. `body` is what came over the wire, byte by byte."""
        ...

    def parse(self, body: bytes) -> Sequence[Event]:
        """Never raises: what cannot be read is an event too."""
        ...
