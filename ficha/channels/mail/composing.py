"""A mail as it is sent. Python's own library for it is large, so this is loaded with the first mail."""

from datetime import datetime
from email.errors import MessageError
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr

from ficha.channels.errors import CannotBeBuilt
from ficha.channels.mail.message import Mail
from ficha.core.text_types import one_line

POLICY = SMTP.clone(max_line_length=200)


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
