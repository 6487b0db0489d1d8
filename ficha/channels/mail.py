"""Mail, by SMTP, or for development into a folder, which the sandbox page shows. Python's own library for it takes half
a megabyte, so it is loaded with the first mail."""

import secrets
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import unquote, urlsplit

from ficha.channels.errors import CannotBeBuilt, Refused, RetryLater
from ficha.channels.send_watch import watched_send
from ficha.core.clock import Clock
from ficha.core.text_types import one_line

if TYPE_CHECKING:
    from email.message import EmailMessage
    from smtplib import SMTP


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


def compose(mail: Mail, sender: str, now: datetime) -> "EmailMessage":
    """Raises CannotBeBuilt, now and not when it is sent."""
    from email.errors import MessageError  # noqa: PLC0415
    from email.message import EmailMessage  # noqa: PLC0415
    from email.policy import SMTP  # noqa: PLC0415
    from email.utils import format_datetime, parseaddr  # noqa: PLC0415

    message = EmailMessage(policy=SMTP.clone(max_line_length=200))
    domain = parseaddr(sender)[1].rpartition("@")[2] or "ficha.invalid"
    try:
        message["From"] = sender
        message["To"] = mail.to
        message["Subject"] = one_line(mail.subject)
        message["Date"] = format_datetime(now)
        message["Message-ID"] = f"<{mail.key}@{domain}>"
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(mail.text)
        message.as_bytes()
    except (ValueError, TypeError, LookupError, MessageError) as error:  # A UnicodeError is a ValueError.
        raise CannotBeBuilt(f"mail: {type(error).__name__}") from error
    return message


MOST_FILES = 500


@dataclass(frozen=True)
class KeptMail:
    """One of those files, read back."""

    at: datetime
    sender: str
    to: str
    subject: str
    text: str
    message_id: str
    raw: str


class FolderMailer:
    name = "sandbox"

    def __init__(self, folder: Path, sender: str, clock: Clock) -> None:
        self.folder = folder
        self._sender = sender
        self._clock = clock

    def send(self, mail: Mail) -> str:
        now = self._clock.now()
        message = compose(mail, self._sender, now)
        with watched_send("mail"):
            self._write(message, now)
        return str(message["Message-ID"])

    def _write(self, message: "EmailMessage", now: datetime) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        # The name sorts by time. It is written under another name first, so that nobody reads half a file.
        name = f"{now.astimezone(UTC):%Y%m%dT%H%M%S%f}-{secrets.token_hex(3)}"
        temporary = self.folder / f".{name}.tmp"
        temporary.touch(mode=0o600)
        temporary.write_bytes(message.as_bytes())
        temporary.replace(self.folder / f"{name}.eml")
        for old in self._files()[MOST_FILES:]:
            old.unlink(missing_ok=True)

    def newest(self, count: int = 50) -> list[KeptMail]:
        return [_read(file) for file in self._files()[:count]]

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob("*.eml"), reverse=True)


def _read(file: Path) -> KeptMail:
    from email import message_from_bytes  # noqa: PLC0415  As above.
    from email.policy import default  # noqa: PLC0415

    raw = file.read_bytes()
    message = message_from_bytes(raw, policy=default)
    body = message.get_body(("plain",))
    return KeptMail(
        at=datetime.strptime(file.name[:21], "%Y%m%dT%H%M%S%f").replace(tzinfo=UTC),
        sender=str(message["From"]),
        to=str(message["To"]),
        subject=str(message["Subject"]),
        text=body.get_content().replace("\r\n", "\n").strip() if body else "",
        message_id=str(message["Message-ID"]),
        raw=raw.decode("utf-8", "replace"),
    )


TIMEOUT_SECONDS = 20


class SmtpMailer:
    """`smtps://` uses TLS from the start, `smtp+tls://` sends nothing before STARTTLS, `smtp://` uses that if the
    server offers it."""

    name = "smtp"

    def __init__(self, url: str, sender: str, clock: Clock) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("smtp", "smtps", "smtp+tls") or not parts.hostname:
            raise ValueError("FICHA_SMTP_URL must look like smtps://user:clave@host or smtp+tls://user:clave@host:587")
        self._tls = parts.scheme == "smtps"
        self._needs_starttls = parts.scheme == "smtp+tls"
        self._host = parts.hostname
        self._port = parts.port or (465 if self._tls else 587)
        self._user = unquote(parts.username or "")
        self._clave = unquote(parts.password or "")
        self._sender = sender
        self._clock = clock

    def send(self, mail: Mail) -> str:
        message = compose(mail, self._sender, self._clock.now())
        with watched_send("mail"):
            self._hand_over(message)
        return str(message["Message-ID"])

    def _hand_over(self, message: "EmailMessage") -> None:
        # Together half a megabyte, for the first mail.
        import smtplib  # noqa: PLC0415

        try:
            with self._connection() as server:
                server.send_message(message)
        except smtplib.SMTPRecipientsRefused as error:
            codes = [code for code, _text in error.recipients.values()]
            raise _error_for(min(codes, default=550)) from error
        except smtplib.SMTPResponseException as error:
            raise _error_for(error.smtp_code) from error
        except smtplib.SMTPNotSupportedError as error:  # An address outside ASCII, on a server that cannot carry it.
            raise Refused("smtp: unsupported address") from error
        except (smtplib.SMTPException, OSError) as error:
            raise RetryLater("smtp: no connection") from error

    @contextmanager
    def _connection(self) -> Iterator["SMTP"]:
        from smtplib import SMTP, SMTP_SSL  # noqa: PLC0415  As above.

        context = ssl.create_default_context()
        server: SMTP = (
            SMTP_SSL(self._host, self._port, timeout=TIMEOUT_SECONDS, context=context)
            if self._tls
            else SMTP(self._host, self._port, timeout=TIMEOUT_SECONDS)
        )
        with server:
            server.ehlo()
            offers_starttls = not self._tls and server.has_extn("starttls")
            if self._needs_starttls and not offers_starttls:  # Somebody in between may have taken it out of the answer.
                raise RetryLater("smtp: no STARTTLS")
            if offers_starttls:
                server.starttls(context=context)
            if self._user:
                server.login(self._user, self._clave)
            yield server


def _error_for(code: int) -> RetryLater | Refused:
    """RetryLater for 4xx, Refused for 5xx. Only the number is kept, because the server's text may quote an address."""
    return Refused(f"smtp {code}") if code >= 500 else RetryLater(f"smtp {code}")
