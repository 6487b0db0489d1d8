"""What the bridge asks of the platform, from a job's thread: contacts, conversations, messages, labels, states."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode, urljoin, urlsplit

from ficha.channels.chatwoot.address import (
    APPLICATION,
    PUBLIC,
    AnswerTooLong,
    PlatformAddress,
    PlatformAnswer,
    PlatformRequest,
    PrivateAddress,
    Target,
    is_number,
)
from ficha.channels.chatwoot.client import Chatwoot, PlatformResting
from ficha.channels.errors import OutcomeUnknown, Refused, RetryLater
from ficha.core.addresses import is_public
from ficha.core.crypto import EncryptedTempFile
from ficha.core.ids import random_text
from ficha.core.settings import Settings

REDIRECTS = 3
# What may not stand in the name of a part of a form.
UNSAFE = str.maketrans(dict.fromkeys([*map(chr, range(32)), '"', "\\", "\x7f"], "_"))


class FileNotFetched(Refused):
    """`sentence` is for the agent."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class FetchedFile(NamedTuple):
    content: EncryptedTempFile
    mime: str


@dataclass(frozen=True)
class FormFile:
    """A file that goes to the desk. `pieces` are read once, while it is sent."""

    name: str
    mime: str
    size: int
    pieces: Iterable[bytes]


@dataclass(frozen=True)
class MultipartForm:
    fields: Mapping[str, str]
    file: FormFile
    boundary: str

    @classmethod
    def of(cls, fields: Mapping[str, str], file: FormFile) -> "MultipartForm":
        return cls(fields, file, f"ficha-{random_text(32)}")

    @property
    def content_type(self) -> str:
        return f"multipart/form-data; boundary={self.boundary}"

    @property
    def length(self) -> int:
        return len(self._head) + self.file.size + len(self._tail)

    async def body(self) -> AsyncIterator[bytes]:
        yield self._head
        for piece in self.file.pieces:
            yield piece
        yield self._tail

    @property
    def _head(self) -> bytes:
        start = f"--{self.boundary}\r\nContent-Disposition: form-data; name="
        parts = [f'{start}"{name}"\r\n\r\n{text}\r\n' for name, text in self.fields.items()]
        name, mime = self.file.name.translate(UNSAFE), self.file.mime.translate(UNSAFE)
        parts.append(f'{start}"attachments[]"; filename="{name}"\r\nContent-Type: {mime}\r\n\r\n')
        return "".join(parts).encode()

    @property
    def _tail(self) -> bytes:
        return f"\r\n--{self.boundary}--\r\n".encode()


async def fetch_file(chatwoot: Chatwoot, url: str, most: int) -> FetchedFile:
    """Only what is at the platform's own address is fetched. It may lead on to where it keeps its files: to itself, or
    to a public address by https, never to a private one. Raises FileNotFetched, or RetryLater for what may be tried
    again."""
    if chatwoot.address.path_at(url) is None:
        raise FileNotFetched("el archivo no está en la mesa de ayuda.")
    for _ in range(REDIRECTS + 1):
        target, content = await _target(chatwoot, url), EncryptedTempFile()
        try:
            answer = await chatwoot.download(target, content.add, most)
        except AnswerTooLong:
            content.close()
            raise FileNotFetched(f"el archivo tiene más de {most // 1024 // 1024} MB.") from None
        except BaseException:
            content.close()
            raise
        if answer.status == 200:
            return FetchedFile(content, answer.content_type)
        content.close()
        if answer.status >= 500 or answer.status == 429:
            raise RetryLater(f"chatwoot: HTTP {answer.status} instead of a file")
        if not 300 <= answer.status < 400 or not answer.location:
            raise FileNotFetched("la mesa de ayuda ya no tiene el archivo.")
        url = urljoin(url, answer.location)
    raise FileNotFetched("el archivo está detrás de demasiadas redirecciones.")


async def _target(chatwoot: Chatwoot, url: str) -> Target:
    """Where to connect for this address. Raises FileNotFetched if it leads where nothing of ours may be asked."""
    here = chatwoot.address.path_at(url)
    if here is not None:
        return await chatwoot.address.target(*here)
    parts = urlsplit(url)
    host = parts.hostname or ""
    is_private = host == "localhost" or (is_number(host) and not is_public(host))
    if parts.scheme != "https" or not host or is_private or "@" in parts.netloc:
        raise FileNotFetched("el archivo está donde no debemos buscarlo.")
    elsewhere = PlatformAddress(f"https://{parts.netloc}")
    found = elsewhere.path_at(url)
    if found is None:
        raise FileNotFetched("el archivo está donde no debemos buscarlo.")
    try:
        return await elsewhere.target(*found)
    except PrivateAddress:
        raise FileNotFetched("el archivo está donde no debemos buscarlo.") from None


class DeskRefused(Refused):
    """It was understood and refused. `code` is the status."""

    def __init__(self, status: int) -> None:
        super().__init__(f"chatwoot: HTTP {status}")
        self.code = status


class HelpDesk:
    """Raises DeskRefused, or RetryLater for what may be tried again."""

    def __init__(self, chatwoot: Chatwoot, settings: Settings) -> None:
        self._chatwoot = chatwoot
        self._token = settings.chatwoot_token.get_secret_value()
        self._account = (*APPLICATION, "accounts", str(settings.chatwoot_account_id))
        self._inbox = (*PUBLIC, "inboxes", settings.chatwoot_inbox_identifier)
        self._inbox_id = settings.chatwoot_inbox_id

    def check_awake(self) -> None:
        """Raises PlatformResting while the platform is left alone: whoever asks first need not begin anything else."""
        if self._chatwoot.breaker.is_open:
            raise PlatformResting

    def ensure_contact(self, source_id: str, name: str, phone: str | None) -> None:
        """The same `source_id` gives the same contact, however often it is asked for."""
        values = {"source_id": source_id, "name": name} | ({"phone_number": phone} if phone else {})
        self._call("POST", (*self._inbox, "contacts"), values, token=False)

    def ensure_conversation(self, source_id: str) -> int:
        """The contact's newest conversation, or a new one: also if a first attempt made it and was cut off."""
        known = self.conversations_of(source_id)
        return max(known) if known else int(self._call("POST", self._conversations(source_id), {}, token=False)["id"])

    def conversations_of(self, source_id: str) -> list[int]:
        """Their numbers; none where the platform does not know the contact."""
        try:
            return [int(each["id"]) for each in self._call("GET", self._conversations(source_id), token=False)]
        except DeskRefused as refusal:
            if refusal.code == 404:
                return []
            raise

    def messages_after(self, conversation_id: int, message_id: int) -> list[dict[str, Any]]:
        """Up to a hundred, oldest first."""
        path = (*self._conversation(conversation_id), "messages")
        found = self._call("GET", path, query=urlencode({"after": message_id}))["payload"]
        return sorted(found, key=lambda each: int(each["id"]))

    def newest(self, conversation_id: int) -> list[dict[str, Any]]:
        """Twenty at most."""
        found: list[dict[str, Any]] = self._call("GET", (*self._conversation(conversation_id), "messages"))["payload"]
        return found

    def add_message(
        self,
        conversation_id: int,
        content: str,
        key: str,
        *,
        incoming: bool = False,
        private: bool = False,
        file: FormFile | None = None,
    ) -> int:
        """`key` is our own name for it, by which it is found again after an unclear answer."""
        body: dict[str, Any] = {
            "content": content,
            "message_type": "incoming" if incoming else "outgoing",
            "private": private,
            "source_id": key,
        }
        path = (*self._conversation(conversation_id), "messages")
        if file is None:
            return int(self._call("POST", path, body)["id"])
        form = MultipartForm.of(body | {"private": "true" if private else "false"}, file)
        sent = PlatformRequest("POST", path, self._token, "", form.body(), form.content_type, form.length)
        return int(self._read(asyncio.run(self._send(sent)))["id"])

    def fetch(self, url: str, most: int) -> FetchedFile:
        """A file that an agent attached. Raises FileNotFetched too."""

        async def fetched() -> FetchedFile:
            try:
                return await fetch_file(self._chatwoot, url, most)
            finally:
                await self._chatwoot.close()

        return asyncio.run(fetched())

    def write_state(self, conversation_id: int, message_id: int, state: str, error: str | None) -> None:
        body = {"status": state} | ({"external_error": error} if error else {})
        self._call("PATCH", (*self._conversation(conversation_id), "messages", str(message_id)), body)

    def add_labels(self, conversation_id: int, labels: Sequence[str]) -> None:
        """Read, added to and written back, since the platform replaces the list: one at a time for a conversation."""
        path = (*self._conversation(conversation_id), "labels")
        known = self._call("GET", path)["payload"]
        if missing := [label for label in labels if label.lower() not in {each.lower() for each in known}]:
            self._call("POST", path, {"labels": [*known, *missing]})

    def assign_team(self, conversation_id: int, team_id: int) -> None:
        self._call("POST", (*self._conversation(conversation_id), "assignments"), {"team_id": team_id})

    def reopen(self, conversation_id: int) -> None:
        """Somebody may have closed it."""
        self._call("POST", (*self._conversation(conversation_id), "toggle_status"), {"status": "open"})

    def status_of(self, conversation_id: int) -> str:
        return str(self._call("GET", self._conversation(conversation_id))["status"])

    def changed_within(self, seconds: int) -> list[int]:
        """The conversations of our inbox that changed lately."""
        query = urlencode({"status": "all", "inbox_id": self._inbox_id, "updated_within": seconds})
        found = self._call("GET", (*self._account, "conversations"), query=query)
        return [int(each["id"]) for each in found["data"]["payload"]]

    def _conversations(self, source_id: str) -> tuple[str, ...]:
        return (*self._inbox, "contacts", source_id, "conversations")

    def _conversation(self, conversation_id: int) -> tuple[str, ...]:
        return (*self._account, "conversations", str(conversation_id))

    def _call(
        self, method: str, segments: Sequence[str], body: Any = None, *, query: str = "", token: bool = True
    ) -> Any:
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        kind = None if body is None else "application/json"
        request = PlatformRequest(method, segments, self._token if token else None, query, content, kind)
        return self._read(asyncio.run(self._send(request)))

    def _read(self, answer: PlatformAnswer) -> Any:
        if answer.status == 429:
            raise RetryLater("chatwoot: too many requests")
        if answer.status >= 500:
            raise OutcomeUnknown(f"chatwoot: HTTP {answer.status}")
        if answer.status >= 400:
            raise DeskRefused(answer.status)
        return json.loads(answer.body)

    async def _send(self, request: PlatformRequest) -> PlatformAnswer:
        """On an event loop of its own, whose connections end with it: a job calls seldom."""
        try:
            return await self._chatwoot.send(request)
        finally:
            await self._chatwoot.close()
