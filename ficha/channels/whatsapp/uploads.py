"""Resumable uploads: for profile pictures and the samples of templates. They end in a handle, not in a media id."""

import re

from ficha.channels.errors import BadContent, OutcomeUnknown
from ficha.channels.whatsapp.errors import WhatsAppRefused
from ficha.channels.whatsapp.graph import Graph, text_of

TYPES = frozenset({"application/pdf", "image/jpeg", "image/jpg", "image/png", "video/mp4"})
# It goes into the path as it came, signature and all, so it must not be able to lead anywhere else.
SESSION = re.compile(r"upload:(?!.*\.\.)[A-Za-z0-9+/=_:.~-]+(\?[A-Za-z0-9+/=_:.~&%-]+)?")


class Uploads:
    def __init__(self, graph: Graph, app_id: str) -> None:
        self._graph = graph
        self._path = f"{app_id}/uploads"

    def begin(self, file_name: str, length: int, mime: str) -> str:
        """The session's id, to be used as it is."""
        if mime not in TYPES:
            raise BadContent("/file_type", "Se admiten PDF, JPEG, PNG y MP4.")
        if length < 1:
            raise BadContent("/file_length", "El archivo está vacío.")
        params = {"file_name": file_name, "file_length": str(length), "file_type": mime}
        return text_of(self._graph.call("POST", self._path, params=params), "id")

    def offset(self, session: str) -> int:
        """How much has arrived: from here on, send again."""
        answer = self._graph.call("GET", _path(session), headers=self._graph.oauth)
        offset = answer.get("file_offset")
        if not isinstance(offset, int) or isinstance(offset, bool) or offset < 0:
            raise OutcomeUnknown("whatsapp: an answer without file_offset")
        return offset

    def send(self, session: str, offset: int, chunk: bytes) -> str | None:
        """The handle when the file is whole; None while there is more to send."""
        headers = {**self._graph.oauth, "file_offset": str(offset), "Content-Type": "application/octet-stream"}
        try:
            answer = self._graph.call("POST", _path(session), body=chunk, headers=headers)
        except WhatsAppRefused as refusal:
            # A piece that does not end the file is kept and complained about all the same, in words nobody has
            # documented. What arrived is what tells a kept piece from a refused one.
            if refusal.code in (100, None) and self.offset(session) == offset + len(chunk):
                return None
            raise
        return text_of(answer, "h") if "h" in answer else None


def _path(session: str) -> str:
    if not SESSION.fullmatch(session):
        raise BadContent("/id", "No es el identificador de una carga.")
    return session
