"""A messaging provider that keeps everything in memory: it shows what a provider has to be, and no more."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO

from ficha.channels.errors import BadSignature, MissingSignature, Refused, RetryLater
from ficha.channels.messages import (
    Accepted,
    Author,
    DeliveryStatus,
    FileRef,
    Incoming,
    NotificationItem,
    Outgoing,
    StatusUpdate,
    UnreadableItem,
)
from ficha.channels.templates import TemplateInfo

SIGNATURE = "memory-signature"
NUMBER = "1"


@dataclass
class MemoryFiles:
    """Files by their id, and the pieces of those that are on their way."""

    contents: dict[str, bytes] = field(default_factory=dict)
    sessions: dict[str, tuple[int, bytes]] = field(default_factory=dict)

    def upload(self, file: IO[bytes], file_name: str, mime: str, size: int) -> str:
        media_id = f"file-{len(self.contents)}"
        self.contents[media_id] = file.read()
        return media_id

    @contextmanager
    def download(self, media: FileRef) -> Iterator["MemoryDownload"]:
        if media.media_id not in self.contents:
            raise Refused("memory: no such file")
        yield MemoryDownload(self.contents[media.media_id])

    def begin(self, file_name: str, length: int, mime: str) -> str:
        session = f"upload-{len(self.sessions)}"
        self.sessions[session] = (length, b"")
        return session

    def offset(self, session: str) -> int:
        return len(self.sessions[session][1])

    def send(self, session: str, offset: int, content: IO[bytes], length: int) -> str | None:
        whole, known = self.sessions[session]
        self.sessions[session] = (whole, known[:offset] + content.read(length))
        return f"handle-{session}" if self.offset(session) == whole else None


@dataclass(frozen=True)
class MemoryDownload:
    content: bytes

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    def __iter__(self) -> Iterator[bytes]:
        yield self.content


@dataclass
class MemoryAccount:
    picture: str | None = None

    def templates(self) -> list[TemplateInfo]:
        return []

    def set_profile_picture(self, handle: str) -> None:
        self.picture = handle


class MemoryMessenger:
    """`errors` are raised by the next calls of `send`, one each. `people` has the number and the user id by address."""

    name = "memory"
    window_closed_code = 24
    signature_headers: tuple[str, ...] = (SIGNATURE,)

    def __init__(self) -> None:
        self.sent: list[Outgoing] = []
        self.read: list[str] = []
        self.errors: list[RetryLater | Refused] = []
        self.people: dict[str, tuple[str, str]] = {}
        self.media = self.uploads = MemoryFiles()
        self.account = MemoryAccount()

    def send(self, message: Outgoing) -> Accepted:
        if self.errors:
            raise self.errors.pop(0)
        self.sent.append(message)
        return Accepted(f"sent-{len(self.sent)}", *self.people.get(message.to, ()))

    def mark_read(self, provider_id: str, number_id: str | None = None) -> None:
        self.read.append(provider_id)

    def verify(self, headers: Mapping[str, str], body: bytes) -> None:
        signature = headers.get(SIGNATURE)
        if signature is None:
            raise MissingSignature
        if signature != hashlib.sha256(body).hexdigest():
            raise BadSignature

    def close(self) -> None:
        """There are no connections."""

    def parse(self, body: bytes) -> Sequence[NotificationItem]:
        return [_item(item) for item in json.loads(body)]


def _item(item: dict[str, str]) -> NotificationItem:
    at = datetime.fromisoformat(item["at"])
    match item:
        case {"text": words, "id": provider_id, "by": number}:
            sender = Author(number, None)
            return Incoming(provider_id, NUMBER, sender, at, "text", words, None, item.get("to"), None, item)
        case {"state": word, "id": provider_id}:
            code = int(item["code"]) if "code" in item else None
            return StatusUpdate(provider_id, NUMBER, DeliveryStatus(word), at, item.get("key"), None, None, code)
        case _:
            return UnreadableItem("neither a message nor a status", item)
