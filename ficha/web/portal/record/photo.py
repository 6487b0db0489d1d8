"""The photo of a record: taken or chosen, cut to the shape of a card, shown with and without its background, and kept
only when she says which. What she does not keep is gone within an hour."""

from base64 import b64encode
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.tokens import Caller
from ficha.asgi.threads import Pool
from ficha.core.errors import FichaError
from ficha.core.transaction import Transaction
from ficha.fmd.access import FmdNotFound, OpenFmd, open_fmd
from ficha.fmd.base import Door
from ficha.http.dependencies import Address, CurrentCaller, Db, Limiter, Now, Parts, Reading
from ficha.http.fmd_dependencies import ReadFmd
from ficha.http.languages import told_in
from ficha.http.limits import RateLimit, TooManyRequests
from ficha.parts import Parts as AllParts
from ficha.photos import photos
from ficha.photos.photos import MEDIA_TYPE, NewPhoto
from ficha.photos.picture_messages import (
    NotAPicture,
    PictureDamaged,
    PicturesBusy,
    PictureTooLarge,
    StorageAway,
    can_remove_backgrounds,
)
from ficha.web.kit.forms import FieldFault, FieldRefused, PostedUpload, UploadForm
from ficha.web.kit.language import language_of
from ficha.web.kit.rendering import show, show_form
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("portal", "photo")
PAGE = "portal/record/photo.html"
# The camera's and the gallery's.
FIELDS = ("tomada", "elegida")
WHITE = "ffffff"
REFUSALS = (NotAPicture, PictureDamaged, PictureTooLarge, PicturesBusy, StorageAway, TooManyRequests)

routes = signed_in_routes("/app")


@dataclass(frozen=True)
class PhotoDraft:
    """One that she may keep: its name in the storage, and how it looks."""

    name: str
    picture: str
    is_clean: bool


@routes.page("/{code}/retrato")
def photo_page(request: Request, reading: Reading, opened: ReadFmd, code: str) -> Response:
    opened.fmd.must_change()
    is_saved = request.query_params.get("guardada") == "1"
    return _page(request, code, has_photo=_has_photo_to_see(reading, opened.fmd), is_saved=is_saved)


def _page(
    request: Request,
    code: str,
    refusal: FichaError | FieldRefused | None = None,
    *,
    has_photo: bool,
    is_saved: bool = False,
) -> Response:
    values: dict[str, Any] = {"code": code, "has_photo": has_photo, "is_saved": is_saved}
    if not isinstance(refusal, FichaError):
        return show_form(request, PAGE, PHRASES, refusal, **values)
    faults = [FieldFault(FIELDS[-1], told_in(language_of(request), refusal.message))]
    headers = refusal.headers
    return show(request, PAGE, PHRASES, status=refusal.status, headers=headers, faults=faults, **values)


@routes.post("/{code}/retrato", takes_files=True, pool=Pool.OUTSIDE)
def change_photo(
    request: Request,
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    limiter: Limiter,
    address: Address,
    now: Now,
    form: PostedUpload,
    code: str,
) -> Response:
    """By the functions of the API. Nothing is locked while a picture is read."""
    with parts.database.reading() as tx:
        fmd = open_fmd(tx, parts.keyring, caller, code, now, origin=address, locks=False)
        fmd.must_change()
        has_photo = _has_photo_to_see(tx, fmd)
    do, _, which = form.texts.get("do", "").partition(":")
    try:
        if do == "delete":
            photos.delete_photo(db, _to_change(db, parts, caller, code, now, address, fmd), now)
            return go_to(request, f"/app/{code}/retrato")
        limiter.hit(request, RateLimit.PICTURE, str(caller.account_id))
        if do == "keep":
            draft = _kept_draft(parts, fmd, which)
            name = photos.store_photo(parts.database, parts.storage, fmd.key, draft, now)
            photos.keep_photo(db, _to_change(db, parts, caller, code, now, address, fmd), name, draft, now)
            return go_to(request, f"/app/{code}/retrato?guardada=1")
        drafts = _drafts(parts, fmd, _sent(form), now)
    except (*REFUSALS, FieldRefused) as refusal:
        return _page(request, code, refusal, has_photo=has_photo)
    told = None if len(drafts) > 1 else "photo_doubtful" if can_remove_backgrounds() else "photo_backgrounds_stay"
    return show(request, "portal/record/photo_choice.html", PHRASES, code=code, drafts=drafts, told=told)


def _has_photo_to_see(tx: Transaction, fmd: OpenFmd) -> bool:
    """As at `/foto`: for who may see all of the record."""
    return fmd.rights.door is Door.P and fmd.id in photos.records_with_photo(tx, [fmd.id])


def _sent(form: UploadForm) -> bytes:
    """Raises FieldRefused."""
    found = next(filter(None, (form.files.get(field) for field in FIELDS)), None)
    if found is None:
        raise FieldRefused(FIELDS[-1], "photo_missing")
    return found


def _kept_draft(parts: AllParts, fmd: OpenFmd, name: str) -> NewPhoto:
    """Raises FieldRefused, also for a name that is not of this record."""
    pixels = parts.settings.picture_pixels
    draft = photos.stored_draft(parts.storage, parts.photo_reader, fmd.key, name[:64], pixels)
    if draft is None:
        raise FieldRefused(FIELDS[-1], "photo_gone")
    return draft


def _to_change(
    db: Transaction, parts: AllParts, caller: Caller, code: str, now: datetime, address: str, before: OpenFmd
) -> OpenFmd:
    """Locked. Raises FmdNotFound if the code went to another record since it was opened first."""
    fmd = open_fmd(db, parts.keyring, caller, code, now, origin=address)
    if fmd.id != before.id:
        raise FmdNotFound
    return fmd


def _drafts(parts: AllParts, fmd: OpenFmd, sent: bytes, now: datetime) -> list[PhotoDraft]:
    """Without its background first, where it is certain what that is."""
    found = photos.read_portrait(parts.background_remover, sent, parts.settings.picture_pixels, WHITE)
    return [_draft(parts, fmd, photo, now, is_clean=number > 0) for number, photo in enumerate(found)][::-1]


def _draft(parts: AllParts, fmd: OpenFmd, photo: NewPhoto, now: datetime, *, is_clean: bool) -> PhotoDraft:
    name = photos.store_photo(parts.database, parts.storage, fmd.key, photo, now)
    return PhotoDraft(name, f"data:{MEDIA_TYPE};base64,{b64encode(photo.thumbnail).decode()}", is_clean)
