"""A real SMTP server, which keeps what it gets."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

from tests.ports import ReservedPort

# The clave of whoever logs in.
CLAVE = b"cl@ve"


class MailServer:
    """Keeps the mails it gets, and refuses the addresses it was told to refuse."""

    def __init__(self, answer_seconds: float = 0) -> None:
        self.received: list[bytes] = []
        self.answers: dict[str, str] = {}
        # Between having a mail and saying so.
        self.answer_seconds = answer_seconds

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:  # noqa: N802
        if address in self.answers:
            return self.answers[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        self.received.append(envelope.content)
        await asyncio.sleep(self.answer_seconds)
        return self.answers.get("DATA", "250 OK")


@contextmanager
def running_mail_server(answer_seconds: float = 0) -> Iterator[tuple[MailServer, int]]:
    """The server and its port, on this machine."""
    server = MailServer(answer_seconds)
    with ReservedPort() as port:
        controller = Controller(server, hostname="127.0.0.1", port=port, authenticator=check, auth_require_tls=False)
        controller.start()
        try:
            yield server, port
        finally:
            controller.stop()


def check(server: Any, session: Any, envelope: Any, mechanism: str, data: LoginPassword) -> AuthResult:
    return AuthResult(success=data.password == CLAVE, handled=False)
