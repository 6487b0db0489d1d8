"""Files on the platform: upload, information, download, deletion, and resumable uploads. The token only goes to the
platform's own hosts."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from types import MappingProxyType
from typing import IO, Any, NoReturn
from urllib.parse import urljoin, urlsplit

from ficha.channels.errors import BadContent, OutcomeUnknown, Refused, RetryLater
from ficha.channels.messages import FileRef
from ficha.channels.whatsapp.error_codes import WhatsAppRefused
from ficha.channels.whatsapp.graph import Graph, check_success, read_answer, required_text
from ficha.channels.whatsapp.http_messages import FileForm, HttpAnswer
from ficha.channels.whatsapp.json_checks import hex_hash
from ficha.core.errors import Sentence

META_DOMAINS = (".fbsbx.com", ".fbcdn.net", ".facebook.com")
HOST_NAME = re.compile(r"[a-z0-9.:-]+")
PORTS = {"http": 80, "https": 443}


def may_receive_token(url: str, base_url: str) -> bool:
    """Only the platform's own address and its file servers, and only over TLS except on this machine."""
    here, base = _origin(url), _origin(base_url)
    if here is None or base is None:
        return False
    scheme, host, port = here
    if scheme == "https":
        return here == base or (port == 443 and host.endswith(META_DOMAINS))
    # The same machine may be named in several ways.
    return base[0] == "http" and base[2] == port and is_loopback(host) and is_loopback(base[1])


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _origin(url: str) -> tuple[str, str, int] | None:
    # Programs read such addresses in different ways, and none of these characters occurs in a real one.
    if not url.isascii() or not url.isprintable() or "\\" in url or " " in url:
        return None
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in PORTS or not host or not HOST_NAME.fullmatch(host) or "@" in parts.netloc:
        return None
    return parts.scheme, host, port or PORTS[parts.scheme]


LARGEST = 100 * 1024 * 1024
REDIRECTS = 3
ERROR_BYTES = 100_000
MEDIA_ID = re.compile(r"[0-9A-Za-z_-]{1,200}")

OFFICE = "application/vnd.openxmlformats-officedocument"
KINDS: Mapping[str, tuple[frozenset[str], int]] = {
    "audio": (frozenset({"audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg"}), 16 * 1024 * 1024),
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
                raise BadContent(
                    "/file", Sentence("Ese tipo de archivo admite {most} KB como máximo.", most=most // 1024)
                )
            if size == 0:
                raise BadContent("/file", "El archivo está vacío.")
            return kind
    raise BadContent("/file", "WhatsApp no lleva ese tipo de archivo.")


def _raise_error_of(status: int, headers: Mapping[str, str], chunks: Iterator[bytes]) -> NoReturn:
    """Raises the error that an answer without a file means."""
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


TYPES = frozenset({"application/pdf", "image/jpeg", "image/jpg", "image/png", "video/mp4"})
# It becomes part of the path as it is, with its signature, so it must not be able to make another path.
SESSION = re.compile(r"upload:(?!.*\.\.)[A-Za-z0-9+/=_:.~-]+(\?[A-Za-z0-9+/=_:.~&%-]+)?")


class Uploads:
    def __init__(self, graph: Graph, app_id: str) -> None:
        self._graph = graph
        self._path = f"{app_id}/uploads"

    def begin(self, file_name: str, length: int, mime: str) -> str:
        """The id of a new upload session, to be used unchanged."""
        if mime not in TYPES:
            raise BadContent("/file_type", "Se admiten PDF, JPEG, PNG y MP4.")
        if length < 1:
            raise BadContent("/file_length", "El archivo está vacío.")
        params = {"file_name": file_name, "file_length": str(length), "file_type": mime}
        return required_text(self._graph.call("POST", self._path, params=params), "id")

    def offset(self, session: str) -> int:
        """How many bytes have arrived: the next piece begins here."""
        answer = self._graph.call("GET", _session_path(session), headers=self._graph.oauth)
        offset = answer.get("file_offset")
        if not isinstance(offset, int) or isinstance(offset, bool) or offset < 0:
            raise OutcomeUnknown("whatsapp: an answer without file_offset")
        return offset

    def send(self, session: str, offset: int, content: bytes | IO[bytes], length: int | None = None) -> str | None:
        """The handle once the file is complete; None while a part is missing. `length` is that of a stream."""
        headers = {**self._graph.oauth, "file_offset": str(offset), "Content-Type": "application/octet-stream"}
        length = len(content) if isinstance(content, bytes) else length or 0
        try:
            answer = self._graph.call("POST", _session_path(session), body=content, headers=headers)
        except WhatsAppRefused as refusal:
            # For a part that does not end the file, the platform answers an undocumented error although it stored it.
            # Only the offset shows how much was stored.
            if refusal.code in (100, None):
                arrived = self.offset(session)
                if arrived == offset + length or (not isinstance(content, bytes) and arrived > offset):
                    return None
            raise
        return required_text(answer, "h") if "h" in answer else None


def _session_path(session: str) -> str:
    if not SESSION.fullmatch(session):
        raise BadContent("/id", "No es el identificador de una carga.")
    return session
