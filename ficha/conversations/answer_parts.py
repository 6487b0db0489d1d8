"""What an agent's message becomes on WhatsApp: a text, a file with the text as its caption, or several in turn.

A message that became several has come as far as the one that is furthest behind."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from sqlalchemy import select

from ficha.channels.errors import BadContent
from ficha.channels.whatsapp.error_codes import known_error
from ficha.channels.whatsapp.media import check_file
from ficha.channels.whatsapp.message_bodies import CAPTION, CAPTIONED
from ficha.conversations.desk_conversations import ABOUT
from ficha.core.transaction import Transaction
from ficha.messaging.failures import ERROR_SENTENCES, FALLBACK
from ficha.messaging.tables import RANK, Message, MessageState

FILE_LATE = (
    "pasaron más de 24 horas desde su último mensaje, y hasta que escriba no se le puede enviar un archivo. Escríbale "
    "un texto, y envíelo cuando responda."
)


@dataclass(frozen=True)
class AnswerFile:
    """As the platform tells of it; what it really is shows when it is fetched."""

    url: str
    mime: str
    size: int

    @property
    def name(self) -> str:
        return unquote(urlsplit(self.url).path.rpartition("/")[2])[:240] or "archivo"

    @property
    def fault(self) -> str | None:
        """Why WhatsApp does not take it, for the agent, as far as can be said before it is fetched."""
        if not self.mime or not self.size:
            return None
        try:
            check_file(self.mime, self.size)
        except BadContent as fault:
            return f"{self.name}: {fault.sentence}"
        return None


class AnswerPart(NamedTuple):
    """One message to the person. `once` is its name: queueing it twice gives one."""

    once: str
    text: str
    file: AnswerFile | None


class AnswerName(NamedTuple):
    """The name of a part: our name of the contact and the platform's number of the message; of several parts also which
    it is, and how many there are. Names of the version before have a number alone."""

    source_id: str
    number: int
    part: int = 0
    total: int = 1

    @classmethod
    def read(cls, once: str) -> "AnswerName":
        source_id, *rest = once.removeprefix(ABOUT).split(":")
        if not rest:
            return cls("", int(source_id))
        part, _, total = (rest[1] if len(rest) > 1 else "0/1").partition("/")
        return cls(source_id, int(rest[0]), int(part), int(total))

    @property
    def once(self) -> str:
        start = f"{ABOUT}{self.source_id}:{self.number}" if self.source_id else f"{ABOUT}{self.number}"
        return start if self.total == 1 else f"{start}:{self.part}/{self.total}"

    @property
    def all_parts(self) -> list[str]:
        return [self._replace(part=part).once for part in range(self.total)]


def parts_of(source_id: str, message: dict[str, Any]) -> list[AnswerPart]:
    """The text goes with the first file, where that may have a caption and it fits; else before it."""
    text, files = str(message.get("content") or ""), _files(message)
    contents: list[tuple[str, AnswerFile | None]] = [("", file) for file in files]
    if files and text.strip() and _kind(files[0]) in CAPTIONED and len(text) <= CAPTION:
        contents[0] = (text, files[0])
    elif text.strip() or not files:
        contents.insert(0, (text, None))
    names = AnswerName(source_id, int(message["id"]), 0, len(contents)).all_parts
    return [AnswerPart(name, *content) for name, content in zip(names, contents, strict=True)]


def outcome_of(tx: Transaction, message: Message) -> tuple[AnswerName, MessageState, str | None] | None:
    """How far the agent's answer has come that this message belongs to, and why it failed. A template that went in the
    place of a text after the 24 hours counts for it; one in the place of a file only asks for an answer. None as long
    as not all of it is on its way."""
    first = _asked_for(tx, message)
    if first is None or first.once is None:
        return None
    name = AnswerName.read(first.once)
    parts = tx.orm.scalars(select(Message).where(Message.once.in_(name.all_parts))).all()
    last = [_last_of(tx, part) for part in parts]
    for part, end in zip(parts, last, strict=True):
        if end.state == MessageState.FAILED:
            return name, MessageState.FAILED, _why(end)
        if part.type != "text" and end is not part:
            return name, MessageState.FAILED, f"No se envió: {FILE_LATE}"
    if len(parts) < name.total:
        return None
    return name, min((MessageState(end.state) for end in last), key=lambda state: RANK[state]), None


def is_under_way(tx: Transaction, message_id: int | None) -> bool:
    """Whether the platform may still get it: itself, or the template in its place."""
    message = None if message_id is None else tx.orm.get(Message, message_id)
    return message is not None and _last_of(tx, message).state == MessageState.QUEUED


def _last_of(tx: Transaction, message: Message) -> Message:
    while message.replaced_by is not None:
        message = tx.orm.get_one(Message, message.replaced_by)
    return message


def _asked_for(tx: Transaction, message: Message) -> Message | None:
    """The message that was queued for the agent, which this is or replaces."""
    asked: Message | None = message
    while asked is not None and (asked.once or "").startswith(FALLBACK):
        asked = tx.orm.get(Message, int((asked.once or "").removeprefix(FALLBACK)))
    return asked


def _why(message: Message) -> str:
    known = None if message.error_code is None else known_error(message.error_code)
    return known.meaning if known else ERROR_SENTENCES.get(message.error or "", ERROR_SENTENCES["rechazado"])


def _files(message: dict[str, Any]) -> Sequence[AnswerFile]:
    found = message.get("attachments") or ()
    return [
        AnswerFile(
            str(each.get("data_url") or ""), str(each.get("content_type") or ""), int(each.get("file_size") or 0)
        )
        for each in found
        if isinstance(each, dict)
    ]


def _kind(file: AnswerFile) -> str:
    try:
        return check_file(file.mime, file.size)
    except BadContent:
        return ""
