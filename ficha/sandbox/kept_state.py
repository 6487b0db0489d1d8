"""Keeps what people and agents said on the platforms in a file, so that a sandbox that starts again finds it: without
that, the numbers of its conversations would begin again and belong to other people."""

import asyncio
import itertools
import os
import pickle
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ficha.sandbox.chatwoot.platform import ChatwootPlatform
from ficha.sandbox.platforms import Platforms
from ficha.sandbox.whatsapp.platform import WhatsAppPlatform

FILE = "state"
# What is kept of each platform. Behaviour, faults, tokens and the journal are those of one run.
WHATSAPP = ("people", "chats", "media")
CHATWOOT = ("contacts", "contact_inboxes", "conversations", "inboxes", "labels", "tags")
SAVE_SECONDS = 1.0


class KeptState:
    """A file in `folder`. One that cannot be read, of another version perhaps, is as if there were none."""

    def __init__(self, folder: Path, platforms: Platforms) -> None:
        self._file = folder / FILE
        self._whatsapp, self._chatwoot = platforms.whatsapp, platforms.chatwoot
        self._saved = self._versions()

    def load(self) -> None:
        try:
            # Only this program writes it, in a folder of its own.
            kept = pickle.loads(self._file.read_bytes())  # noqa: S301
            whatsapp, chatwoot = kept["whatsapp"], kept["chatwoot"]
            parts: list[tuple[object, str, Any]] = [(self._whatsapp, name, whatsapp[name]) for name in WHATSAPP]
            parts += [(self._chatwoot, name, chatwoot[name]) for name in CHATWOOT]
        except (OSError, pickle.PickleError, AttributeError, ImportError, LookupError, TypeError, EOFError):
            return
        for platform, name, value in parts:
            setattr(platform, name, value)
        _count_on(self._chatwoot)

    def save(self) -> None:
        """Whole or not at all, and only what changed since the last time."""
        versions = self._versions()
        if versions == self._saved:
            return
        kept = {"whatsapp": _parts(self._whatsapp, WHATSAPP), "chatwoot": _parts(self._chatwoot, CHATWOOT)}
        self._file.parent.mkdir(parents=True, exist_ok=True)
        written = self._file.with_name(f".{FILE}")
        with os.fdopen(os.open(written, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
            pickle.dump(kept, stream)
        written.replace(self._file)
        self._saved = versions

    async def save_now_and_then(self) -> None:
        """Until it is canceled: a process that is killed loses a second."""
        while True:
            await asyncio.sleep(SAVE_SECONDS)
            self.save()

    def _versions(self) -> tuple[int, int]:
        return self._whatsapp.version, self._chatwoot.version


def _parts(platform: WhatsAppPlatform | ChatwootPlatform, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(platform, name) for name in names}


def _count_on(chatwoot: ChatwootPlatform) -> None:
    """Numbers go on after the highest that was given."""
    messages = [message for each in chatwoot.conversations.values() for message in each.messages]
    given: dict[str, Iterable[int]] = {
        "contact": chatwoot.contacts,
        "conversation": chatwoot.conversations,
        "message": [message.id for message in messages],
        "attachment": [file.id for message in messages for file in message.attachments],
        "label": chatwoot.labels,
    }
    chatwoot.ids = {kind: itertools.count(max(numbers, default=0) + 1) for kind, numbers in given.items()}
