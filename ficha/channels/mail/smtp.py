"""Mail by SMTP."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from ficha.channels.errors import Refused, RetryLater
from ficha.channels.mail.message import Mail
from ficha.core.clock import Clock

if TYPE_CHECKING:
    from smtplib import SMTP

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
        # Together half a megabyte, for the first mail.
        import smtplib  # noqa: PLC0415

        from ficha.channels.mail.composing import compose  # noqa: PLC0415

        message = compose(mail, self._sender, self._clock.now())
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
        return str(message["Message-ID"])

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
