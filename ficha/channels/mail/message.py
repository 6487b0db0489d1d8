"""A mail, and what can send one."""

from dataclasses import dataclass
from datetime import datetime
from email.errors import MessageError
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from typing import Protocol

from ficha.channels.errors import CannotBeBuilt
from ficha.core.text_types import one_line

POLICY = SMTP.clone(max_line_length=200)


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


def compose(mail: Mail, sender: str, now: datetime) -> EmailMessage:
    """Raises CannotBeBuilt, now and not when it is sent."""
    try:
        message = _compose(mail, sender, now)
        message.as_bytes()
    except (ValueError, TypeError, LookupError, MessageError) as error:  # A UnicodeError is a ValueError.
        raise CannotBeBuilt(f"mail: {type(error).__name__}") from error
    return message


def _compose(mail: Mail, sender: str, now: datetime) -> EmailMessage:
    message = EmailMessage(policy=POLICY)
    domain = parseaddr(sender)[1].rpartition("@")[2] or "ficha.invalid"
    message["From"] = sender
    message["To"] = mail.to
    message["Subject"] = one_line(mail.subject)
    message["Date"] = format_datetime(now)
    message["Message-ID"] = f"<{mail.key}@{domain}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(mail.text)
    return message
