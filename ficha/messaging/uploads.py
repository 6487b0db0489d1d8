"""Uploads: a file comes to us in pieces, with any interruptions, and a job sends it to the platform."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import BigInteger, ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from ficha.core.crypto import Keyring, seal
from ficha.core.db import Base, BigId, Utc
from ficha.core.errors import FichaError, NotFound, Source
from ficha.core.transaction import Transaction
from ficha.jobs.queue import put
from ficha.messaging.files import FileState, KeptFile, append_piece, new_file, sha256_of

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
    def name_place(self) -> str:
        return f"{self.file.key_place}:name"


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
    upload.sealed_name = seal(file.open_key(keyring), file_name.encode(), upload.name_place)
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
