"""Resumable uploads: a session takes a file in pieces and then has a handle."""

import base64
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ficha.sandbox.whatsapp.errors import GraphError, invalid_parameter

TYPES = ("application/pdf", "image/jpeg", "image/jpg", "image/png", "video/mp4")


@dataclass
class UploadSession:
    id: str
    file_name: str
    file_length: int
    file_type: str
    content: bytearray = field(default_factory=bytearray)
    handle: str | None = None


@dataclass
class Uploads:
    sessions: dict[str, UploadSession] = field(default_factory=dict)
    finished: dict[str, UploadSession] = field(default_factory=dict)

    def begin(self, asked: Mapping[str, Any]) -> UploadSession:
        for name in ("file_name", "file_length", "file_type"):
            if not asked.get(name):
                raise invalid_parameter(f"The parameter {name} is required.")
        if not str(asked["file_length"]).isdigit():
            raise invalid_parameter("Param file_length must be a non-negative integer.")
        if asked["file_type"] not in TYPES:
            raise invalid_parameter(
                f'Param file_type must be one of {{{", ".join(TYPES)}}} - got "{asked["file_type"]}".'
            )
        name = base64.urlsafe_b64encode(f"1:attachment:{secrets.token_hex(12)}".encode()).decode().rstrip("=")
        session = UploadSession(
            f"upload:{name}?sig=ARZ{secrets.token_urlsafe(12)}",
            str(asked["file_name"]),
            int(asked["file_length"]),
            str(asked["file_type"]),
        )
        self.sessions[session.id] = session
        return session

    def find(self, path: str, query: Mapping[str, str]) -> UploadSession:
        """The id contains `?sig=`, which arrives as the query. Raises GraphError if there is no such session."""
        session = self.sessions.get(f"{path}?sig={query.get('sig', '')}")
        if session is None:
            raise GraphError(100, message="Upload session does not exist or its signature is wrong.")
        return session

    def add(self, session: UploadSession, offset: str | None, content: bytes) -> str | None:
        """The handle, once every byte is there; raises GraphError if the piece does not follow the last one."""
        if offset is None or not offset.isdigit():
            raise invalid_parameter("The header file_offset is required.")
        if int(offset) != len(session.content):
            raise invalid_parameter(f"The header file_offset must be {len(session.content)}.")
        if len(session.content) + len(content) > session.file_length:
            raise invalid_parameter("More bytes than file_length.")
        session.content += content
        if len(session.content) == session.file_length and session.handle is None:
            name = base64.urlsafe_b64encode(session.file_name.encode()).decode().rstrip("=")
            kind = base64.urlsafe_b64encode(session.file_type.encode()).decode().rstrip("=")
            session.handle = f"4:{name}:{kind}:ARZ{secrets.token_urlsafe(12)}"
            self.finished[session.handle] = session
        return session.handle
