"""The jobs that transfer files: those of others are fetched at once, because the platform deletes them after days; ours
are sent to the platform."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any, cast

from sqlalchemy import select

from ficha.channels.errors import Refused
from ficha.channels.job_services import JobServices
from ficha.channels.messages import FileRef
from ficha.channels.messenger import Messenger
from ficha.core.crypto import unseal
from ficha.core.log import log
from ficha.jobs.kinds import Job
from ficha.messaging.files import (
    PIECE_BYTES,
    FileState,
    KeptFile,
    Upload,
    UploadState,
    Use,
    append_piece,
    delete_pieces,
    read_pieces,
)


@dataclass(frozen=True)
class FileTransfers:
    services: JobServices
    messenger: Messenger

    def fetch_file(self, job: Job) -> None:
        """Stores a file that came with a message, each piece in a transaction of its own. It counts as kept only once
        the whole file has the right hash."""
        with self.services.database.writing() as tx:
            file = tx.orm.scalars(select(KeptFile).where(KeptFile.message_id == job.payload["message_id"])).one()
            if file.state != FileState.WAITING or file.media_id is None:
                return
            delete_pieces(tx, file)  # Of an earlier attempt that was interrupted.
        ref = FileRef(file.media_id, file.mime_type, file.sha256)
        try:
            with self.messenger.media.download(ref) as download:
                buffer = bytearray()
                for chunk in download:
                    buffer += chunk
                    if len(buffer) >= PIECE_BYTES:
                        self._append_piece(file.id, bytes(buffer))
                        buffer.clear()
                if buffer:
                    self._append_piece(file.id, bytes(buffer))
                sha256 = download.sha256
        except Refused as refusal:
            log().error("whatsapp.file_lost", file_id=file.id, error=type(refusal).__name__)
            with self.services.database.writing() as tx:
                file = tx.orm.get_one(KeptFile, file.id)
                delete_pieces(tx, file)
                file.state = FileState.LOST
            return
        with self.services.database.writing() as tx:
            file = tx.orm.get_one(KeptFile, file.id)
            file.state, file.sha256 = FileState.KEPT, sha256 or file.sha256

    def forward_upload(self, job: Job) -> None:
        """Sends a complete upload to the platform, starting where an interrupted attempt ended."""
        with self.services.database.reading() as tx:
            upload = tx.orm.get_one(Upload, job.payload["upload_id"])
        if upload.state != UploadState.SENDING:
            return
        name = unseal(upload.file.open_key(self.services.keyring), upload.sealed_name, upload.name_context).decode()
        try:
            if upload.use == Use.MEDIA:
                self._update(upload.id, state=UploadState.DONE, media_id=self._upload_media(upload, name))
            else:
                handle = upload.handle or self._upload_for_handle(upload, name)
                if upload.use == Use.PROFILE_PICTURE:
                    self._update(upload.id, handle=handle)  # So that another attempt does not send it again.
                    self.messenger.account.set_profile_picture(handle)
                self._update(upload.id, state=UploadState.DONE, handle=handle)
        except Refused as refusal:
            log().error("whatsapp.upload_failed", upload_id=upload.id, error=type(refusal).__name__)
            self._update(upload.id, state=UploadState.FAILED, error_code=refusal.code)

    def _append_piece(self, file_id: int, piece: bytes) -> None:
        with self.services.database.writing() as tx:
            append_piece(tx, self.services.keyring, tx.orm.get_one(KeptFile, file_id, with_for_update=True), piece)

    def _upload_media(self, upload: Upload, name: str) -> str:
        with self.services.database.reading() as tx:
            file = StoredFileReader(read_pieces(tx, self.services.keyring, upload.file), upload.length)
            return self.messenger.media.upload(cast(IO[bytes], file), name, upload.file.mime_type, upload.length)

    def _upload_for_handle(self, upload: Upload, name: str) -> str:
        """The whole file in one piece; after an interruption, or where the platform took only a part, the rest from the
        offset that it tells. Goes on with the session of an earlier attempt. Raises UploadHandleLost."""
        platform_id, offset = upload.platform_id, 0
        if platform_id is None:
            platform_id = self.messenger.uploads.begin(name, upload.length, upload.file.mime_type)
            self._update(upload.id, platform_id=platform_id)
        else:
            offset = self.messenger.uploads.offset(platform_id)
        while offset < upload.length:
            rest = upload.length - offset
            with self.services.database.reading() as tx:
                file = StoredFileReader(read_pieces(tx, self.services.keyring, upload.file, start=offset), rest)
                handle = self.messenger.uploads.send(platform_id, offset, cast(IO[bytes], file), rest)
            if handle is not None:
                return handle
            arrived = self.messenger.uploads.offset(platform_id)
            if arrived <= offset:
                raise UploadStalled
            offset = arrived
        # Everything was sent, but the answer with the handle was lost: only a new session gives another.
        self._update(upload.id, platform_id=None)
        raise UploadHandleLost

    def _update(self, upload_id: int, **values: Any) -> None:
        with self.services.database.writing() as tx:
            upload = tx.orm.get_one(Upload, upload_id)
            for name, value in values.items():
                setattr(upload, name, value)


class StoredFileReader(io.RawIOBase):
    """The pieces as a file that is read once from start to end, so that the whole file is never unsealed at once. It
    seeks only to tell its length, which the HTTP client asks for first."""

    def __init__(self, pieces: Iterator[bytes], length: int) -> None:
        self._pieces = pieces
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
            self._rest = next(self._pieces, b"")
        count = min(len(buffer), len(self._rest))
        buffer[:count], self._rest = self._rest[:count], self._rest[count:]
        return count


class UploadStalled(Exception):
    """The platform took nothing more, and did not say why. The job is tried again."""


class UploadHandleLost(Exception):
    """The platform has the whole file, but its handle is lost. The job is tried again with a new session."""
