"""Files that came with messages, or are to be sent: stored in pieces, each sealed with the file's own key. An upload
comes to us in pieces, with any interruptions, and a job sends it to the platform."""

import hashlib
from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, ColumnElement, ForeignKey, Integer, LargeBinary, String, delete, select
from sqlalchemy.orm import Mapped, mapped_column, relationship

from ficha.channels.messages import FileRef
from ficha.core.crypto import Keyring, new_key, seal, unseal
from ficha.core.db import Base, BigId, Database, Utc
from ficha.core.errors import FichaError, NotFound, Source
from ficha.core.ids import random_text
from ficha.core.secrets import HasDataKey
from ficha.core.transaction import Transaction
from ficha.jobs.queue import put

FETCH = "whatsapp.medio"
PIECE_BYTES = 256 * 1024


class FileState(StrEnum):
    WAITING = "waiting"
    KEPT = "kept"
    LOST = "lost"


class KeptFile(HasDataKey, Base):
    __tablename__ = "kept_files"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    # Its key and its pieces are sealed for this name.
    name: Mapped[str] = mapped_column(String(24))
    message_id: Mapped[int | None] = mapped_column(ForeignKey("messages.id"), unique=True)
    media_id: Mapped[str | None] = mapped_column(String(255), index=True)
    mime_type: Mapped[str] = mapped_column(String(255))
    # In hex: what the platform announced, and once the file is kept, its real hash.
    sha256: Mapped[str | None] = mapped_column(String(64))
    size: Mapped[int] = mapped_column(BigInteger)
    state: Mapped[str] = mapped_column(String(10))
    created_at: Mapped[datetime] = mapped_column(Utc)

    @property
    def key_bound_to(self) -> str:
        return f"file:{self.name}"


class FilePiece(Base):
    __tablename__ = "file_pieces"

    file_id: Mapped[int] = mapped_column(ForeignKey("kept_files.id", ondelete="CASCADE"), primary_key=True)
    # Its position in the file.
    start: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    length: Mapped[int] = mapped_column(Integer)
    sealed: Mapped[bytes] = mapped_column(LargeBinary)


def new_file(tx: Transaction, keyring: Keyring, mime_type: str, now: datetime) -> KeptFile:
    file = KeptFile(name=random_text(24), mime_type=mime_type, size=0, state=FileState.WAITING, created_at=now)
    file.store_key(keyring, new_key())
    tx.orm.add(file)
    tx.orm.flush()
    return file


def add_waiting_file(tx: Transaction, keyring: Keyring, message_id: int, ref: FileRef, now: datetime) -> KeptFile:
    """Adds a file that came with a message and has not been fetched yet."""
    file = new_file(tx, keyring, ref.mime_type[:255], now)
    file.message_id, file.media_id, file.sha256 = message_id, ref.media_id, ref.sha256
    return file


def append_piece(tx: Transaction, keyring: Keyring, file: KeptFile, piece: bytes) -> None:
    context = _sealing_context(file, file.size)
    sealed = seal(file.open_key(keyring), piece, context)
    tx.orm.add(FilePiece(file_id=file.id, start=file.size, length=len(piece), sealed=sealed))
    file.size += len(piece)


def delete_pieces(tx: Transaction, file: KeptFile) -> None:
    tx.orm.execute(delete(FilePiece).where(FilePiece.file_id == file.id))
    file.size = 0


def kept_file(tx: Transaction, which: ColumnElement[bool]) -> KeptFile | None:
    """The newest of these that we have in full."""
    kept = select(KeptFile).where(which, KeptFile.state == FileState.KEPT, KeptFile.key_id.is_not(None))
    return tx.orm.scalars(kept.order_by(KeptFile.id.desc()).limit(1)).one_or_none()


def read_pieces(tx: Transaction, keyring: Keyring, file: KeptFile, start: int = 0) -> Iterator[bytes]:
    """Yields the file from `start` on, reading one piece at a time."""
    key = file.open_key(keyring)
    while start < file.size:
        piece = tx.orm.execute(
            select(FilePiece.start, FilePiece.length, FilePiece.sealed)
            .where(FilePiece.file_id == file.id, FilePiece.start <= start)
            .order_by(FilePiece.start.desc())
            .limit(1)
        ).one()
        plain = unseal(key, piece.sealed, _sealing_context(file, piece.start))
        yield plain[start - piece.start :]
        start = piece.start + piece.length


def streamed_pieces(database: Database, keyring: Keyring, file: KeptFile, start: int = 0) -> Iterator[bytes]:
    """The same, giving the connection back between two pieces: a slow reader holds none."""
    with database.reading() as tx:
        for piece in read_pieces(tx, keyring, file, start):
            tx.give_back()
            yield piece


def sha256_of(tx: Transaction, keyring: Keyring, file: KeptFile) -> str:
    found = hashlib.sha256()
    for piece in read_pieces(tx, keyring, file):
        found.update(piece)
    return found.hexdigest()


def _sealing_context(file: KeptFile, start: int) -> str:
    return f"{file.key_bound_to}:{start}"


FORWARD = "whatsapp.subida"


class Use(StrEnum):
    """What the platform gives for the file: a handle for templates, the business picture, or an id to send it by."""

    HANDLE = "handle"
    PROFILE_PICTURE = "profile_picture"
    MEDIA = "media"


class UploadState(StrEnum):
    RECEIVING = "receiving"
    SENDING = "sending"
    DONE = "done"
    FAILED = "failed"


class Upload(Base):
    __tablename__ = "uploads"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    file_id: Mapped[int] = mapped_column(ForeignKey("kept_files.id"))
    asked_by: Mapped[int] = mapped_column(BigId)
    sealed_name: Mapped[bytes] = mapped_column(LargeBinary)
    length: Mapped[int] = mapped_column(BigInteger)
    use: Mapped[str] = mapped_column(String(20))
    state: Mapped[str] = mapped_column(String(10))
    # The id of the upload session on the platform, to go on with it after a restart.
    platform_id: Mapped[str | None] = mapped_column(String(1000))
    handle: Mapped[str | None] = mapped_column(String(2000))
    media_id: Mapped[str | None] = mapped_column(String(255))
    error_code: Mapped[int | None]
    created_at: Mapped[datetime] = mapped_column(Utc)

    file: Mapped[KeptFile] = relationship(lazy="joined")

    @property
    def name_context(self) -> str:
        return f"{self.file.key_bound_to}:name"


class WrongOffset(FichaError):
    status = 409
    code = "posicion_incorrecta"
    message = "Esa parte no sigue a lo recibido. Pregunte por file_offset y continúe desde ahí."
    source = Source("header", "file_offset")


class TooManyBytes(FichaError):
    status = 422
    code = "archivo_mas_largo"
    message = "Llegaron más bytes que los anunciados en file_length."


class EmptyPiece(FichaError):
    status = 422
    code = "parte_vacia"
    message = "La petición no trae ningún byte del archivo."


def begin_upload(
    tx: Transaction,
    keyring: Keyring,
    file_name: str,
    length: int,
    mime_type: str,
    use: Use,
    asked_by: int,
    now: datetime,
) -> Upload:
    file = new_file(tx, keyring, mime_type, now)
    upload = Upload(
        file=file,
        file_id=file.id,
        asked_by=asked_by,
        length=length,
        use=use,
        state=UploadState.RECEIVING,
        created_at=now,
    )
    upload.sealed_name = seal(file.open_key(keyring), file_name.encode(), upload.name_context)
    tx.orm.add(upload)
    tx.orm.flush()
    return upload


def upload_with(tx: Transaction, upload_id: int, *, lock: bool = False) -> Upload:
    upload = tx.orm.get(Upload, upload_id, with_for_update={"of": Upload} if lock else None)
    if upload is None:
        raise NotFound
    return upload


def add_piece(tx: Transaction, keyring: Keyring, upload: Upload, offset: int, piece: bytes) -> None:
    """Adds the next piece. With the last byte, puts the job that sends the file to the platform. Raises WrongOffset,
    EmptyPiece or TooManyBytes."""
    file = upload.file
    if upload.state != UploadState.RECEIVING or offset != file.size:
        raise WrongOffset
    if not piece:
        raise EmptyPiece
    if file.size + len(piece) > upload.length:
        raise TooManyBytes
    append_piece(tx, keyring, file, piece)
    if file.size == upload.length:
        tx.orm.flush()
        file.sha256, file.state = sha256_of(tx, keyring, file), FileState.KEPT
        upload.state = UploadState.SENDING
        put(tx, FORWARD, {"upload_id": upload.id}, key=f"{FORWARD}:{upload.id}")
