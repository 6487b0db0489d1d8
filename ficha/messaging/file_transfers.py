"""The jobs that carry files: theirs are fetched at once, because the platform keeps them only for days; ours go out."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, cast

from sqlalchemy import select

from ficha.channels.errors import Refused
from ficha.channels.messages import FileRef
from ficha.channels.messenger import Messenger
from ficha.core.crypto import Keyring, unseal
from ficha.core.db import Database
from ficha.core.log import log
from ficha.jobs.kinds import Job
from ficha.messaging.files import PIECE, FileState, KeptFile, append, forget_pieces, pieces
from ficha.messaging.uploads import Upload, UploadState, Use


@dataclass(frozen=True)
class FileTransfers:
    database: Database
    keyring: Keyring
    messenger: Messenger

    def fetch(self, job: Job) -> None:
        """Piece by piece, each in a transaction of its own; it counts once the whole has the right hash."""
        with self.database.writing() as session:
            file = session.scalars(select(KeptFile).where(KeptFile.message_id == job.payload["message_id"])).one()
            if file.state != FileState.WAITING or file.media_id is None:
                return
            forget_pieces(session, file)  # Of an earlier try that did not come to its end.
        ref = FileRef(file.media_id, file.mime_type, file.sha256)
        try:
            with self.messenger.media.download(ref) as download:
                waiting = bytearray()
                for chunk in download:
                    waiting += chunk
                    if len(waiting) >= PIECE:
                        self._append(file.id, bytes(waiting))
                        waiting.clear()
                if waiting:
                    self._append(file.id, bytes(waiting))
                found = download.sha256
        except Refused as refusal:
            log().error("whatsapp.file_lost", file_id=file.id, error=type(refusal).__name__)
            with self.database.writing() as session:
                file = session.get_one(KeptFile, file.id)
                forget_pieces(session, file)
                file.state = FileState.LOST
            return
        with self.database.writing() as session:
            file = session.get_one(KeptFile, file.id)
            file.state, file.sha256 = FileState.KEPT, found or file.sha256

    def pass_on(self, job: Job) -> None:
        """A whole upload of ours, from where the platform says it has it."""
        with self.database.reading() as session:
            upload = session.get_one(Upload, job.payload["upload_id"])
        if upload.state != UploadState.SENDING:
            return
        name = unseal(upload.file.open_key(self.keyring), upload.sealed_name, upload.name_place).decode()
        try:
            if upload.use == Use.MEDIA:
                self._note(upload.id, state=UploadState.DONE, media_id=self._as_media(upload, name))
            else:
                handle = upload.handle or self._as_handle(upload, name)
                if upload.use == Use.PROFILE_PICTURE:
                    self._note(upload.id, handle=handle)  # From here on it is not sent again.
                    self.messenger.account.set_profile_picture(handle)
                self._note(upload.id, state=UploadState.DONE, handle=handle)
        except Refused as refusal:
            log().error("whatsapp.upload_failed", upload_id=upload.id, error=type(refusal).__name__)
            self._note(upload.id, state=UploadState.FAILED, error_code=refusal.code)

    def _append(self, file_id: int, piece: bytes) -> None:
        with self.database.writing() as session:
            append(session, self.keyring, session.get_one(KeptFile, file_id, with_for_update=True), piece)

    def _as_media(self, upload: Upload, name: str) -> str:
        with self.database.reading() as session:
            file = PieceReader(pieces(session, self.keyring, upload.file), upload.length)
            return self.messenger.media.upload(cast(IO[bytes], file), name, upload.file.mime_type, upload.length)

    def _as_handle(self, upload: Upload, name: str) -> str:
        """A session of the platform's that was begun before a restart is gone on with, not begun again."""
        platform_id, offset = upload.platform_id, 0
        if platform_id is None:
            platform_id = self.messenger.uploads.begin(name, upload.length, upload.file.mime_type)
            self._note(upload.id, platform_id=platform_id)
        else:
            offset = self.messenger.uploads.offset(platform_id)
        with self.database.reading() as session:
            for piece in pieces(session, self.keyring, upload.file, start=offset):
                handle = self.messenger.uploads.send(platform_id, offset, piece)
                offset += len(piece)
                if handle is not None:
                    return handle
        # All of it is there, and its answer with the handle was lost: only a new session gives another.
        self._note(upload.id, platform_id=None)
        raise LostHandle

    def _note(self, upload_id: int, **values: Any) -> None:
        with self.database.writing() as session:
            upload = session.get_one(Upload, upload_id)
            for name, value in values.items():
                setattr(upload, name, value)


class PieceReader(io.RawIOBase):
    """Pieces as a file that is read once from its beginning, so that none of it lies in clear anywhere. It can only
    be asked how long it is, which the platform wants to know beforehand."""

    def __init__(self, found: Iterator[bytes], length: int) -> None:
        self._found = found
        self._length = length
        self._rest = b""

    def readable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._length if whence == io.SEEK_END else 0

    def tell(self) -> int:
        return 0

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            self._rest = next(self._found, b"")
        count = min(len(buffer), len(self._rest))
        buffer[:count], self._rest = self._rest[:count], self._rest[count:]
        return count


class LostHandle(Exception):
    """The job is tried again, with a new session."""
