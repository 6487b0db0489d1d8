"""multipart/form-data, as uploads send it."""

from dataclasses import dataclass
from email.message import Message


@dataclass(frozen=True)
class Part:
    name: str
    filename: str | None
    content_type: str | None
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode("utf-8", "replace")


def read_multipart(content_type: str, body: bytes) -> list[Part]:
    """The parts in order; a body that is not multipart has none."""
    boundary = _parameters("content-type", content_type).get("boundary")
    if not boundary:
        return []
    pieces = (b"\r\n" + body).split(b"\r\n--" + boundary.encode("latin-1"))
    # The first piece is what stands before the first boundary, the last what stands after the closing one.
    return [part for piece in pieces[1:-1] if (part := _part(piece)) is not None]


def _part(piece: bytes) -> Part | None:
    head, found, content = piece.partition(b"\r\n\r\n")
    if not found:
        return None
    headers = {}
    for line in head.decode("utf-8", "replace").strip().splitlines():
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    disposition = _parameters("content-disposition", headers.get("content-disposition", ""))
    if "name" not in disposition:
        return None
    return Part(disposition["name"], disposition.get("filename"), headers.get("content-type"), content)


def _parameters(header: str, value: str) -> dict[str, str]:
    message = Message()
    message[header] = value
    found = message.get_params(failobj=[], header=header, unquote=True)
    return {name.lower(): text for name, text in found if isinstance(text, str)}
