"""The photo of whom a record is about, sealed with the record's key: the thumbnail in the database, the rest in the
storage. A photo that no row names is a leftover, and a job deletes it."""

import hmac
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from sqlalchemy import ForeignKey, LargeBinary, String, bindparam, delete, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.channels.errors import RetryLater
from ficha.channels.storage import FileMissing, Storage
from ficha.core.crypto import Tampered, seal, unseal
from ficha.core.db import Base, Database, Utc
from ficha.core.ids import random_text
from ficha.core.list_parameters import one_of
from ficha.core.prepared import Prepared
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.fmd.access import OpenFmd
from ficha.fmd.records import Record
from ficha.jobs.kinds import Job, Kind
from ficha.jobs.queue import put
from ficha.photos.picture_messages import StorageAway
from ficha.photos.picture_process import PictureProcess

MARK_BYTES = 16
SECRET = "photo-link"  # noqa: S105  The name of the secret.
THUMBNAIL, WHOLE = "t", "f"
# In the description of the API. Links are signed by each installation for itself: the reference shows its own in the
# place of this one, to the demo's photo.
EXAMPLE_LINK, DEMO_NAME = "f1794830400.uW4x.m3Q", "demofotodemofotodemofoto"


class PhotoLink(NamedTuple):
    name: str
    is_thumbnail: bool


def link_to(secrets: Secrets, name: str, now: datetime, minutes: float, *, thumbnail: bool = False) -> str:
    """`<what><end in seconds>.<name>.<signature>`."""
    ends = int((now + timedelta(minutes=minutes)).timestamp())
    told = f"{THUMBNAIL if thumbnail else WHOLE}{ends}.{name}"
    return f"{told}.{_mark(secrets, told)}"


def opened_link(secrets: Secrets, link: str, now: datetime) -> PhotoLink | None:
    """None if it is not ours or has ended."""
    told, _, mark = link.rpartition(".")
    if not hmac.compare_digest(_mark(secrets, told).encode(), mark.encode()):
        return None
    ends, _, name = told[1:].partition(".")
    if datetime.fromtimestamp(int(ends), UTC) <= now:
        return None
    return PhotoLink(name, told[0] == THUMBNAIL)


def _mark(secrets: Secrets, told: str) -> str:
    return urlsafe_b64encode(secrets.keyed_hash(SECRET, told)[:MARK_BYTES]).decode().rstrip("=")


DELETE_LEFTOVER = "foto.sobrante"
# Longer than any request takes from storing the file to the commit of its row.
LEFTOVER_AFTER = timedelta(hours=1)
MEDIA_TYPE = "image/jpeg"
# In the log of the record.
WHAT = "foto"


class Photo(Base):
    __tablename__ = "photos"

    record_id: Mapped[int] = mapped_column(ForeignKey(Record.id), primary_key=True)
    # In the storage.
    name: Mapped[str] = mapped_column(String(24), unique=True)
    size: Mapped[int]
    width: Mapped[int]
    height: Mapped[int]
    thumbnail: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(Utc)


class NewPhoto(NamedTuple):
    """As the picture process gives it. `is_doubtful`: no person was found, so it has its background still."""

    content: bytes
    thumbnail: bytes
    width: int
    height: int
    is_doubtful: bool = False


_photos = Base.metadata.tables[Photo.__tablename__]
_THUMBNAIL = Prepared(select(_photos.c.name, _photos.c.thumbnail).where(_photos.c.record_id == bindparam("record_id")))
_WITH_PHOTO = Prepared(select(_photos.c.record_id).where(one_of(_photos.c.record_id, "records")))


def read_photo(process: PictureProcess, content: bytes, most_pixels: int, color: str | None = None) -> NewPhoto:
    """What is to be stored of an upload; `color` takes the place of the background. Raises why it is refused."""
    answer = process.ask("photo", content, pixels=most_pixels, color=color)
    photo, thumbnail = answer.parts
    head = answer.head
    return NewPhoto(photo, thumbnail, head["width"], head["height"], head["is_doubtful"])


def read_portrait(process: PictureProcess, content: bytes, most_pixels: int, color: str) -> list[NewPhoto]:
    """An upload in the shape of a card: as it is, and then before `color` unless it is doubtful what is behind the
    person. Raises why it is refused."""
    answer = process.ask("portrait", content, pixels=most_pixels, color=color)
    head, pairs = answer.head, zip(answer.parts[::2], answer.parts[1::2], strict=True)
    return [NewPhoto(photo, small, head["width"], head["height"], head["is_doubtful"]) for photo, small in pairs]


def read_logo(process: PictureProcess, content: bytes, most_pixels: int) -> bytes:
    """A PNG of its pixels on white, and nothing else of the file. Raises why it is refused."""
    [logo] = process.ask("logo", content, pixels=most_pixels).parts
    return logo


def texts_in_picture(process: PictureProcess, content: bytes, most_pixels: int) -> list[str]:
    """What the QR codes in it say. Raises why it is refused."""
    parts = process.ask("codes", content, pixels=most_pixels).parts
    return [one.decode("utf-8", "replace") for one in parts]


def photo_of(tx: Transaction, record_id: int, key: bytes) -> bytes | None:
    """The thumbnail, a JPEG of at most 256 pixels a side; None if there is no photo. `key` is the record's: who has it
    was let in. One statement, and no call to the storage: for pages that somebody waits for."""
    row = tx.first(_THUMBNAIL, record_id=record_id)
    return None if row is None else unseal(key, row.thumbnail, thumbnail_bound_to(row.name))


def records_with_photo(tx: Transaction, record_ids: Sequence[int]) -> set[int]:
    return {row.record_id for row in tx.all(_WITH_PHOTO, records=record_ids)}


def stored_photo(tx: Transaction, record_id: int) -> Photo | None:
    return tx.orm.get(Photo, record_id)


def content_of(storage: Storage, photo: Photo, key: bytes) -> bytes:
    """Raises FileMissing or RetryLater."""
    return unseal(key, b"".join(storage.read(photo.name)), content_bound_to(photo.name))


def new_name(tx: Transaction, now: datetime) -> str:
    """A name for a file that is about to be stored. It is deleted if no row names it within an hour: to be committed
    before the file is stored, so that no failure leaves anything behind."""
    name = random_text(24)
    put(tx, DELETE_LEFTOVER, {"name": name}, at=now + LEFTOVER_AFTER)
    return name


def store_photo(database: Database, storage: Storage, key: bytes, photo: NewPhoto, now: datetime) -> str:
    """Its content, sealed with the record's key, under the name that is returned: for `keep_photo`, or to be looked at
    and gone within an hour. Raises StorageAway."""
    with database.writing() as tx:
        name = new_name(tx, now)
    try:
        storage.put(name, sealed_content(key, name, photo))
    except RetryLater as error:
        raise StorageAway from error
    return name


def stored_draft(storage: Storage, process: PictureProcess, key: bytes, name: str, most_pixels: int) -> NewPhoto | None:
    """What was stored under this name for this record to be looked at; None if it is gone, or is another's. Raises
    StorageAway or PicturesBusy."""
    try:
        content = unseal(key, b"".join(storage.read(name)), content_bound_to(name))
    except (FileMissing, Tampered, ValueError):
        return None
    except RetryLater as error:
        raise StorageAway from error
    return read_photo(process, content, most_pixels)._replace(content=content)


def keep_photo(tx: Transaction, fmd: OpenFmd, name: str, photo: NewPhoto, now: datetime) -> Photo:
    """Takes the place of an older one. Its content is stored already."""
    fmd.must_change()
    _remove(tx, fmd.id)
    kept = Photo(
        record_id=fmd.id,
        name=name,
        size=len(photo.content),
        width=photo.width,
        height=photo.height,
        thumbnail=seal(fmd.key, photo.thumbnail, thumbnail_bound_to(name)),
        created_at=now,
    )
    tx.orm.add(kept)
    fmd.note(tx, "record.changed", [WHAT], now)
    return kept


def delete_photo(tx: Transaction, fmd: OpenFmd, now: datetime) -> bool:
    """Whether there was one."""
    fmd.must_change()
    if not _remove(tx, fmd.id):
        return False
    fmd.note(tx, "record.changed", [WHAT], now)
    return True


def erase_photo(tx: Transaction, record_id: int) -> None:
    """With its record. Without the record's key nobody can read the file; a job deletes it too."""
    _remove(tx, record_id)


def is_leftover(tx: Transaction, name: str) -> bool:
    return tx.orm.scalars(select(Photo.record_id).where(Photo.name == name)).one_or_none() is None


def sealed_content(key: bytes, name: str, photo: NewPhoto) -> bytes:
    return seal(key, photo.content, content_bound_to(name))


def content_bound_to(name: str) -> str:
    return f"photo:{name}"


def thumbnail_bound_to(name: str) -> str:
    return f"photo:{name}:thumbnail"


def _remove(tx: Transaction, record_id: int) -> bool:
    name = tx.orm.scalars(delete(Photo).where(Photo.record_id == record_id).returning(Photo.name)).one_or_none()
    if name is not None:
        put(tx, DELETE_LEFTOVER, {"name": name})
    return name is not None


@dataclass(frozen=True)
class PhotoJobs:
    database: Database
    storage: Storage

    def kinds(self) -> list[Kind]:
        return [Kind(DELETE_LEFTOVER, self.delete_leftover, attempts=100, longest_wait=timedelta(hours=1))]

    def delete_leftover(self, job: Job) -> None:
        """From the storage, if no row names it. Raises RetryLater."""
        name = str(job.payload["name"])
        with self.database.reading() as tx:
            if not is_leftover(tx, name):
                return
        self.storage.delete(name)
