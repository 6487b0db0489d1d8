"""What every messaging platform can do for us. A provider implements this and is listed in `providers.py`."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import IO, Protocol, runtime_checkable

from ficha.channels.errors import Refused, RetryLater
from ficha.channels.messages import Accepted, FileRef, NotificationItem, Outgoing
from ficha.channels.send_watch import note_send
from ficha.channels.templates import TemplateInfo


class Messenger(Protocol):
    """A client of one platform. It has no database, repeats no request and waits for no limit: it only translates.

    Every call raises `RetryLater` or one of its subclasses, or `Refused`."""

    name: str
    # The platform's error code for "this person wrote more than 24 hours ago: only a template can be sent".
    window_closed_code: int
    # The headers of a notification that `verify` reads, in lower case.
    signature_headers: tuple[str, ...]

    def send(self, message: Outgoing) -> Accepted: ...

    def mark_read(self, provider_id: str, number_id: str | None = None) -> None:
        """Shows the person that we have read up to this message."""

    def verify(self, headers: Mapping[str, str], body: bytes) -> None:
        """Raises MissingSignature or BadSignature. `body` is what came over the network, byte by byte."""

    def parse(self, body: bytes) -> Sequence[NotificationItem]:
        """Never raises: what cannot be read is an item too."""
        ...

    def close(self) -> None:
        """Closes its connections. A later call opens new ones."""

    @property
    def media(self) -> "MediaFiles": ...

    @property
    def uploads(self) -> "ResumableUploads": ...

    @property
    def account(self) -> "BusinessAccount": ...


# What came of a send: where `send` would raise, the error is the answer.
SendAnswer = Accepted | RetryLater | Refused


@runtime_checkable
class SendsTogether(Protocol):
    """A messenger that can make several calls at once."""

    def send_together(self, messages: Sequence[Outgoing]) -> Iterator[Mapping[int, SendAnswer]]:
        """The answers by the indexes of the messages in the list, as they come; in the end there is one for each."""
        ...


def send_all(messenger: Messenger, messages: Sequence[Outgoing]) -> Iterator[Mapping[int, SendAnswer]]:
    """The answers by the indexes of the messages, as they come. Each is counted."""
    began = time.monotonic()
    for answers in _answers(messenger, messages):
        for answer in answers.values():
            note_send(messenger.name, began, None if isinstance(answer, Accepted) else answer)
        yield answers


def _answers(messenger: Messenger, messages: Sequence[Outgoing]) -> Iterator[Mapping[int, SendAnswer]]:
    if isinstance(messenger, SendsTogether):
        yield from messenger.send_together(messages)
        return
    for index, message in enumerate(messages):
        try:
            answer: SendAnswer = messenger.send(message)
        except (RetryLater, Refused) as refusal:
            answer = refusal
        yield {index: answer}


class MediaFiles(Protocol):
    """Files that are sent with messages, or came with them."""

    def upload(self, file: IO[bytes], file_name: str, mime: str, size: int) -> str:
        """The platform's id for the file, to send it by."""
        ...

    def download(self, media: FileRef) -> AbstractContextManager["MediaDownload"]: ...


class MediaDownload(Protocol):
    """The bytes of a file. The last step raises RetryLater if they are not the announced ones."""

    @property
    def sha256(self) -> str | None: ...

    def __iter__(self) -> Iterator[bytes]: ...


class ResumableUploads(Protocol):
    """Files that can be sent in parts: samples for templates and the picture of the business."""

    def begin(self, file_name: str, length: int, mime: str) -> str:
        """The id of a new upload session."""
        ...

    def offset(self, session: str) -> int:
        """How many bytes have arrived."""
        ...

    def send(self, session: str, offset: int, content: IO[bytes], length: int) -> str | None:
        """Sends the rest of the file, from `offset` on. Its handle once it is complete; None if the platform took less
        and says by its offset how much."""
        ...


class BusinessAccount(Protocol):
    """Our own account on the platform."""

    def templates(self) -> Sequence[TemplateInfo]: ...

    def set_profile_picture(self, handle: str) -> None: ...
