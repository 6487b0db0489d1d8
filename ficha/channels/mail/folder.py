"""Mail for development: each mail is an .eml file in a folder, which the sandbox page shows."""

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ficha.channels.mail.message import Mail
from ficha.core.clock import Clock

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
        from ficha.channels.mail.composing import compose  # noqa: PLC0415  Half a megabyte, for the first mail.

        now = self._clock.now()
        message = compose(mail, self._sender, now)
        self.folder.mkdir(parents=True, exist_ok=True)
        # The name sorts by time. It is written under another name first, so that nobody reads half a file.
        name = f"{now.astimezone(UTC):%Y%m%dT%H%M%S%f}-{secrets.token_hex(3)}"
        temporary = self.folder / f".{name}.tmp"
        temporary.touch(mode=0o600)
        temporary.write_bytes(message.as_bytes())
        temporary.replace(self.folder / f"{name}.eml")
        for old in self._files()[MOST_FILES:]:
            old.unlink(missing_ok=True)
        return str(message["Message-ID"])

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
