"""Files on the platform: upload, information, download, deletion. The token only goes to the platform's own hosts."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import IO, Any, NoReturn
from urllib.parse import urljoin

from ficha.channels.errors import BadContent, Refused, RetryLater
from ficha.channels.messages import FileRef
from ficha.channels.whatsapp.graph import Graph, check_success, read_answer, required_text
from ficha.channels.whatsapp.json_checks import hex_hash
from ficha.channels.whatsapp.token_hosts import may_receive_token

LARGEST = 100 * 1024 * 1024
REDIRECTS = 3
ERROR_BYTES = 100_000
MEDIA_ID = re.compile(r"[0-9A-Za-z_-]{1,200}")

OFFICE = "application/vnd.openxmlformats-officedocument"
KINDS: Mapping[str, tuple[frozenset[str], int]] = {
    "audio": (
        frozenset({"audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg"}),
        16 * 1024 * 1024,
    ),
    "document": (
        frozenset(
            {
                "text/plain",
                "application/pdf",
                "application/msword",
                "application/vnd.ms-excel",
                "application/vnd.ms-powerpoint",
                f"{OFFICE}.wordprocessingml.document",
                f"{OFFICE}.spreadsheetml.sheet",
                f"{OFFICE}.presentationml.presentation",
            }
        ),
        LARGEST,
    ),
    "image": (frozenset({"image/jpeg", "image/png"}), 5 * 1024 * 1024),
    "sticker": (frozenset({"image/webp"}), 500 * 1024),
    "video": (frozenset({"video/mp4", "video/3gpp"}), 16 * 1024 * 1024),
}


class ForeignHost(Refused):
    """The file is on a host that must not receive our token."""


class TooLarge(Refused):
    """More bytes than the platform allows for any file."""


class WrongHash(RetryLater):
    """These are not the bytes that were announced. Another attempt may get the right ones."""


@dataclass(frozen=True)
class MediaInfo:
    """`url` is valid for five minutes."""

    media_id: str
    url: str
    mime_type: str
    sha256: str | None
    size: int | None


class Download:
    """The bytes of a file. They are checked at the end: the last step raises WrongHash if they are not the announced
    ones."""

    def __init__(self, info: MediaInfo, chunks: Iterator[bytes]) -> None:
        self.info = info
        self._chunks = chunks

    @property
    def sha256(self) -> str | None:
        return self.info.sha256

    def __iter__(self) -> Iterator[bytes]:
        digest, size = hashlib.sha256(), 0
        for chunk in self._chunks:
            size += len(chunk)
            if size > min(self.info.size or LARGEST, LARGEST):
                raise WrongHash("whatsapp: more bytes than announced") if self.info.size else TooLarge("whatsapp")
            digest.update(chunk)
            yield chunk
        if self.info.size not in (None, size) or self.info.sha256 not in (None, digest.hexdigest()):
            raise WrongHash("whatsapp: other bytes than announced")


class MediaStore:
    def __init__(self, graph: Graph, phone_number_id: str) -> None:
        self._graph = graph
        self._number = MappingProxyType({"phone_number_id": phone_number_id})
        self._path = f"{phone_number_id}/media"

    def upload(self, file: IO[bytes], file_name: str, mime: str, size: int) -> str:
        """The platform's id for it, valid for 30 days. The file is read while it is sent."""
        from ficha.channels.whatsapp.transport import FileForm  # noqa: PLC0415  Loads httpx.

        check_file(mime, size)
        form = FileForm({"messaging_product": "whatsapp", "type": mime}, file, file_name, mime)
        return required_text(self._graph.call("POST", self._path, body=form), "id")

    def info(self, media_id: str) -> MediaInfo:
        answer = self._graph.get(_path(media_id), self._number)
        return MediaInfo(
            media_id=media_id,
            url=required_text(answer, "url"),
            mime_type=required_text(answer, "mime_type"),
            sha256=hex_hash(answer.get("sha256")),
            size=_size(answer.get("file_size")),
        )

    @contextmanager
    def download(self, media: str | FileRef) -> Iterator[Download]:
        """With a FileRef, its hash is checked too, because it came in a signed notification."""
        info = self.info(media.media_id if isinstance(media, FileRef) else media)
        signed = media.sha256 if isinstance(media, FileRef) else None
        if signed and info.sha256 not in (None, signed):
            raise WrongHash("whatsapp: two hashes for one file")
        info = MediaInfo(info.media_id, info.url, info.mime_type, info.sha256 or signed, info.size)
        if (info.size or 0) > LARGEST:
            raise TooLarge("whatsapp")
        with self._follow(info.url, REDIRECTS) as chunks:
            yield Download(info, chunks)

    def delete(self, media_id: str) -> None:
        check_success(self._graph.call("DELETE", _path(media_id), params=self._number))

    @contextmanager
    def _follow(self, url: str, redirects: int) -> Iterator[Iterator[bytes]]:
        """Follows redirects here, because each address must be checked before the token is sent to it."""
        if not may_receive_token(url, self._graph.base_url):
            raise ForeignHost("whatsapp: a file on a foreign host")
        with self._graph.stream(url) as stream:
            if stream.status == 200:
                yield stream.chunks
                return
            location = stream.headers.get("location")
            if stream.status not in (301, 302, 303, 307, 308) or not location:
                _raise_error_of(stream.status, stream.headers, stream.chunks)
            if redirects == 0:
                raise Refused("whatsapp: a file behind too many redirects")
        with self._follow(urljoin(url, location), redirects - 1) as chunks:
            yield chunks


def check_file(mime: str, size: int) -> str:
    """The kind of message that such a file is sent with. Raises BadContent if there is none, or it is too large."""
    plain = mime.partition(";")[0].strip().lower()
    for kind, (mimes, most) in KINDS.items():
        if plain in mimes:
            if size > most:
                raise BadContent("/file", f"Ese tipo de archivo admite {most // 1024} KB como máximo.")
            if size == 0:
                raise BadContent("/file", "El archivo está vacío.")
            return kind
    raise BadContent("/file", "WhatsApp no lleva ese tipo de archivo.")


def _raise_error_of(status: int, headers: Mapping[str, str], chunks: Iterator[bytes]) -> NoReturn:
    """Raises the error that an answer without a file means."""
    from ficha.channels.whatsapp.transport import HttpAnswer  # noqa: PLC0415  Loads httpx.

    body = b""
    for chunk in chunks:
        body += chunk
        if len(body) > ERROR_BYTES:
            break
    read_answer(HttpAnswer(status, headers, body))
    raise Refused(f"whatsapp: HTTP {status} instead of a file")


def _path(media_id: str) -> str:
    # It comes from outside, and dots or slashes in it would make another path.
    if not MEDIA_ID.fullmatch(media_id):
        raise BadContent("/media_id", "No es el identificador de un archivo.")
    return media_id


def _size(value: Any) -> int | None:
    """The platform sends a number, but documents a text."""
    text = str(value)
    return int(text) if re.fullmatch(r"[0-9]{1,15}", text) else None
