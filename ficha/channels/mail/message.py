"""A mail, and what can send one."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Mail:
    """`key` becomes the Message-ID, so that a mail that is sent twice after a crash is recognised as one."""

    to: str
    subject: str
    text: str
    key: str


class Mailer(Protocol):
    name: str

    def send(self, mail: Mail) -> str:
        """Returns the Message-ID. Raises RetryLater or Refused."""
        ...
