"""The photo of the account's person: read in a process of its own, stored encrypted, given by a link or as a file."""

from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import Field
from sqlalchemy import select
from starlette.responses import Response

from ficha.accounts.tokens import Caller
from ficha.api.examples import DEMO_NURSE, DEMO_STAFF, answer_example, file_answer, resource_example
from ficha.api.operations import Operations
from ficha.api.pictures import PICTURE_BODY, Color, SentPicture
from ficha.asgi.bodies import ReadRequest
from ficha.asgi.threads import Pool
from ficha.channels.errors import RetryLater
from ficha.channels.storage import FileMissing
from ficha.core.crypto import Keyring, unseal
from ficha.core.deferred_model import DeferredModel
from ficha.core.errors import FichaError
from ficha.core.transaction import Transaction
from ficha.fmd.access import FmdNotFound, OpenFmd, open_fmd, open_own_fmd
from ficha.fmd.records import Record
from ficha.http.dependencies import Address, CurrentCaller, Db, Limiter, Now, Parts, Reading, Reply
from ficha.http.envelope import Answer, Moment, Resource
from ficha.http.etags import AlreadyThere, OnlyNew
from ficha.http.file_answers import WantsPicture
from ficha.http.limits import RateLimit
from ficha.parts import Parts as AllParts
from ficha.photos import photos
from ficha.photos.photos import MEDIA_TYPE, Photo, link_to, opened_link
from ficha.photos.picture_messages import StorageAway

operations = Operations("accounts", prefix="/user_pic", callers="bearer")

DEFAULT_COLOR = "ffffff"

Code = Annotated[
    str | None,
    Query(max_length=20, description="A live code of another record; without it, the account's first record."),
]
# It opens a photo without a session, so nobody else's page may keep it.
PRIVATE = {"Cache-Control": "private, no-store"}


class NoPhoto(FichaError):
    status = 404
    code = "sin_foto"
    message = "No hay una foto guardada."


class PhotoAttributes(DeferredModel):
    mime_type: str
    size: int = Field(description="In bytes.")
    width: int
    height: int
    created_at: Moment
    url: str = Field(description="Opens the photo without a session, for a few minutes.")
    thumbnail_url: str = Field(description="The same for a small one, of at most 256 pixels a side.")
    expires_at: Moment = Field(description="When both links end.")


class PutPhotoAttributes(PhotoAttributes):
    dudoso: bool = Field(
        description="True where `remove_background` found no person: the photo is kept with its background."
    )


class Deleted(DeferredModel):
    deleted: bool


PhotoOut = Resource[PhotoAttributes]
PHOTO = {
    "mime_type": MEDIA_TYPE,
    "size": 84211,
    "width": 900,
    "height": 1200,
    "url": "http://127.0.0.1:8000/v2/user_pic/f1794830400.uW4…",
    "thumbnail_url": "http://127.0.0.1:8000/v2/user_pic/t1794830400.uW4…",
    "expires_at": "2026-11-15T12:10:00+00:00",
}
EXAMPLE = resource_example("photo", 1904221833, PhotoAttributes, **PHOTO)
PUT_EXAMPLE = resource_example("photo", 1904221833, PutPhotoAttributes, **PHOTO)


@operations.put(
    "",
    "Put user_pic",
    errors=(403, 404, 412, 415, 422, 503),
    example=answer_example(PUT_EXAMPLE),
    body=PICTURE_BODY,
    pool=Pool.OUTSIDE,
)
def put_user_pic(
    request: ReadRequest,
    limiter: Limiter,
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    now: Now,
    address: Address,
    reply: Reply,
    only_new: OnlyNew,
    picture: SentPicture,
    code: Code = None,
    remove_background: Annotated[bool, Query(description="Whether a plain colour takes its place.")] = False,
    color: Color = None,
) -> "Answer[Resource[PutPhotoAttributes]]":
    """JPEG, PNG, WebP or HEIC. It is turned upright, made smaller and stored without metadata, encrypted. A background
    is removed only if a person is found; otherwise the photo is kept as it is, and `dudoso` is true."""
    with parts.database.reading() as tx:  # Before the work: who may not change it must not cause any.
        fmd = _open(tx, parts.keyring, caller, code, now, address, locks=False)
        fmd.must_change()
        if only_new and photos.stored_photo(tx, fmd.id) is not None:
            raise AlreadyThere
    limiter.hit(request, RateLimit.PICTURE, str(caller.account_id))
    process = parts.background_remover if remove_background else parts.photo_reader
    background = (color or DEFAULT_COLOR) if remove_background else None
    photo = photos.read_photo(process, picture, parts.settings.picture_pixels, background)
    name = photos.store_photo(parts.database, parts.storage, fmd.key, photo, now)
    changed = _open(db, parts.keyring, caller, code, now, address)
    if changed.id != fmd.id:  # The code went to another record meanwhile.
        raise FmdNotFound
    if only_new and photos.stored_photo(db, changed.id) is not None:
        raise AlreadyThere
    kept = photos.keep_photo(db, changed, name, photo, now)
    attributes = PutPhotoAttributes(**_attributes(parts, kept, now), dudoso=photo.is_doubtful)
    return reply(Resource(type="photo", id=kept.record_id, attributes=attributes))


@operations.get(
    "",
    "user_pic",
    seed=True,
    errors=(404, 503),
    responses=file_answer(MEDIA_TYPE, "…", json=EXAMPLE),
    example_caller=DEMO_NURSE,
    response_model=Answer[PhotoOut],
    pool=Pool.OUTSIDE,
)
def user_pic(
    reading: Reading,
    parts: Parts,
    caller: CurrentCaller,
    now: Now,
    address: Address,
    reply: Reply,
    wants_picture: WantsPicture,
    code: Code = None,
    thumbnail: Annotated[bool, Query(description="The small one, if the file itself is asked for.")] = False,
) -> Answer[PhotoOut] | Response:
    """The photo: where it can be fetched, or with `Accept: image/jpeg` the file itself."""
    fmd = _open(reading, parts.keyring, caller, code, now, address, locks=False)
    photo = photos.stored_photo(reading, fmd.id)
    if photo is None:
        raise NoPhoto
    if wants_picture:
        reading.give_back()
        return _file(parts, photo, fmd.key, thumbnail=thumbnail)
    shown = PhotoAttributes(**_attributes(parts, photo, now))
    return reply(Resource(type="photo", id=photo.record_id, attributes=shown))


@operations.get(
    "/{link}",
    "user_pic by link",
    progress="Developing",
    callers="public",
    errors=(404, 503),
    responses=file_answer(MEDIA_TYPE, "…"),
    response_class=Response,
    pool=Pool.OUTSIDE,
)
def user_pic_by_link(
    reading: Reading,
    parts: Parts,
    now: Now,
    link: Annotated[str, Path(max_length=100, examples=[photos.EXAMPLE_LINK])],
) -> Response:
    """The file behind a link that `user_pic` gave a few minutes ago."""
    found = opened_link(parts.secrets, link, now)
    if found is None:
        raise NoPhoto
    photo, record = _named(reading, found.name)
    key = record.open_key(parts.keyring)
    reading.give_back()
    return _file(parts, photo, key, thumbnail=found.is_thumbnail)


@operations.delete(
    "",
    "Delete user_pic",
    errors=(403, 404),
    example=answer_example({"deleted": True}),
    example_caller=DEMO_STAFF,  # Another one than all others speak of.
    example_once=True,
)
def delete_user_pic(
    db: Db, parts: Parts, caller: CurrentCaller, now: Now, address: Address, reply: Reply, code: Code = None
) -> "Answer[Deleted]":
    """Removes the photo, its thumbnail and its file."""
    fmd = _open(db, parts.keyring, caller, code, now, address)
    if not photos.delete_photo(db, fmd, now):
        raise NoPhoto
    return reply(Deleted(deleted=True))


def _named(tx: Transaction, name: str) -> tuple[Photo, Record]:
    """Raises NoPhoto: it was replaced or deleted meanwhile."""
    query = select(Photo, Record).join(Record, Record.id == Photo.record_id)
    row = tx.orm.execute(query.where(Photo.name == name, Record.erased_at.is_(None))).one_or_none()
    if row is None:
        raise NoPhoto
    return row.Photo, row.Record


def _open(
    tx: Transaction,
    keyring: Keyring,
    caller: Caller,
    code: str | None,
    now: datetime,
    origin: str,
    *,
    locks: bool = True,
) -> OpenFmd:
    """Raises FmdNotFound."""
    if code is None:
        return open_own_fmd(tx, keyring, caller, origin=origin, locks=locks)
    return open_fmd(tx, keyring, caller, code, now, origin=origin, locks=locks)


def _file(parts: AllParts, photo: Photo, key: bytes, *, thumbnail: bool) -> Response:
    if thumbnail:
        content = unseal(key, photo.thumbnail, photos.thumbnail_bound_to(photo.name))
    else:
        try:
            content = photos.content_of(parts.storage, photo, key)
        except FileMissing:
            raise NoPhoto from None
        except RetryLater as error:
            raise StorageAway from error
    return Response(content, media_type=MEDIA_TYPE, headers=PRIVATE)


def _attributes(parts: AllParts, photo: Photo, now: datetime) -> dict[str, Any]:
    settings = parts.settings
    base, minutes = f"{settings.public_url}{settings.v2}/user_pic", settings.file_link_minutes
    return {
        "mime_type": MEDIA_TYPE,
        "size": photo.size,
        "width": photo.width,
        "height": photo.height,
        "created_at": photo.created_at,
        "url": f"{base}/{link_to(parts.secrets, photo.name, now, minutes)}",
        "thumbnail_url": f"{base}/{link_to(parts.secrets, photo.name, now, minutes, thumbnail=True)}",
        "expires_at": now + timedelta(minutes=minutes),
    }
