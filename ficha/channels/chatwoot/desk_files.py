"""Files of the desk's conversations: what an agent attached is fetched, what a person sent is put into a form.

Only what is at the platform's own address is fetched. It may lead on to where it keeps its files: to itself, or to a
public address by https, never to a private one."""

from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from ficha.channels.chatwoot.address import PlatformAddress, PrivateAddress, Target, is_number
from ficha.channels.chatwoot.client import Chatwoot
from ficha.channels.chatwoot.messages import AnswerTooLong
from ficha.channels.errors import Refused, RetryLater
from ficha.core.addresses import is_public
from ficha.core.crypto import EncryptedTempFile
from ficha.core.ids import random_text

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
    """Raises FileNotFetched, or RetryLater for what may be tried again."""
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
