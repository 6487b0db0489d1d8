"""Resumable uploads, for profile pictures and samples of templates. Their result is a handle, not a media id."""

import re
from typing import IO

from ficha.channels.errors import BadContent, OutcomeUnknown
from ficha.channels.whatsapp.errors import WhatsAppRefused
from ficha.channels.whatsapp.graph import Graph, required_text

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
        answer = self._graph.call("GET", _path(session), headers=self._graph.oauth)
        offset = answer.get("file_offset")
        if not isinstance(offset, int) or isinstance(offset, bool) or offset < 0:
            raise OutcomeUnknown("whatsapp: an answer without file_offset")
        return offset

    def send(self, session: str, offset: int, content: bytes | IO[bytes], length: int | None = None) -> str | None:
        """The handle once the file is complete; None while a part is missing. `length` is that of a stream."""
        headers = {**self._graph.oauth, "file_offset": str(offset), "Content-Type": "application/octet-stream"}
        length = len(content) if isinstance(content, bytes) else length or 0
        try:
            answer = self._graph.call("POST", _path(session), body=content, headers=headers)
        except WhatsAppRefused as refusal:
            # For a part that does not end the file, the platform answers an undocumented error although it stored it.
            # Only the offset shows how much was stored.
            if refusal.code in (100, None):
                arrived = self.offset(session)
                if arrived == offset + length or (not isinstance(content, bytes) and arrived > offset):
                    return None
            raise
        return required_text(answer, "h") if "h" in answer else None


def _path(session: str) -> str:
    if not SESSION.fullmatch(session):
        raise BadContent("/id", "No es el identificador de una carga.")
    return session
