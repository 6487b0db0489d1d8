"""What runs in a picture process: `python -m ficha.photos.picture_worker`, which the service starts when needed.

It has neither the database nor a key nor a setting of the service; what it can use of the machine is bounded. It ends
with its standard input, and in the middle of a picture too, so that it never outlives the service.
"""

import io
import re
import resource
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import ModuleType
from typing import Any

from PIL import Image, ImageCms, ImageOps, UnidentifiedImageError
from PIL.Image import Image as Picture
from pillow_heif import register_heif_opener

from ficha.core.errors import FichaError
from ficha.core.process import give_memory_back, set_up_reading_process
from ficha.photos.picture_messages import (
    CARD_HEIGHT,
    CARD_WIDTH,
    BackgroundsStay,
    FramedMessage,
    NotAPicture,
    PictureDamaged,
    PictureTooLarge,
    can_remove_backgrounds,
    read_message,
    write_message,
)

FORMATS = ("JPEG", "PNG", "WEBP", "HEIF")
# What makes a picture a page or an archive for somebody who reads it as such.
MARKUP = re.compile(rb"<(?:!doctype[\s>]|html[\s>]|head[\s>]|body[\s>]|script[\s>]|iframe[\s>]|svg[\s>]|\?php)", re.I)
END_OF_ARCHIVE = b"PK\x05\x06"
ARCHIVE_TAIL = 70_000
WHITE = (255, 255, 255)

register_heif_opener(thumbnails=False)
# The size is compared below with a limit of our own.
Image.MAX_IMAGE_PIXELS = None


def read_picture(content: bytes, most_pixels: int, longest_side: int) -> Picture:
    """Upright, in sRGB without transparency, no side longer than `longest_side`, and without any metadata.

    Raises NotAPicture, PictureTooLarge or PictureDamaged.
    """
    try:
        picture = Image.open(io.BytesIO(content), formats=FORMATS)
    except UnidentifiedImageError:
        raise NotAPicture from None
    except Exception:  # A header that no library of ours understands; they raise whatever they like.
        raise PictureDamaged from None
    if picture.width * picture.height > most_pixels:
        raise PictureTooLarge
    if MARKUP.search(content) or END_OF_ARCHIVE in content[-ARCHIVE_TAIL:]:
        raise PictureDamaged
    try:
        # JPEG can be decoded smaller, in a fraction of memory and time.
        picture.draft("RGB", (longest_side, longest_side))
        picture.load()
        return _plain(picture, longest_side)
    except MemoryError:
        raise PictureTooLarge from None
    except Exception:
        raise PictureDamaged from None


def _plain(picture: Picture, longest_side: int) -> Picture:
    profile = picture.info.get("icc_profile")
    ImageOps.exif_transpose(picture, in_place=True)
    if picture.mode not in ("RGB", "RGBA"):
        picture = picture.convert("RGBA" if _is_transparent(picture) else "RGB")
    picture.thumbnail((longest_side, longest_side), Image.Resampling.LANCZOS)
    plain = Image.new("RGB", picture.size, WHITE)
    plain.paste(picture, mask=picture.getchannel("A") if picture.mode == "RGBA" else None)
    return _in_srgb(plain, profile)


def _is_transparent(picture: Picture) -> bool:
    return "A" in picture.getbands() or "transparency" in picture.info


def _in_srgb(picture: Picture, profile: Any) -> Picture:
    """With the colours that its profile means: iPhones use another than browsers assume."""
    if not isinstance(profile, bytes):
        return picture
    try:
        converted = ImageCms.profileToProfile(
            picture, ImageCms.ImageCmsProfile(io.BytesIO(profile)), ImageCms.createProfile("sRGB")
        )
    except (ImageCms.PyCMSError, OSError, ValueError):
        return picture  # A profile of something else than RGB. The colours are a little off, that is all.
    if converted is None:
        return picture
    converted.info.clear()
    return converted


def jpeg(picture: Picture, quality: int) -> bytes:
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=quality, optimize=True, progressive=True)
    return out.getvalue()


def png(picture: Picture) -> bytes:
    """A third of the time of the default level, a tenth larger."""
    out = io.BytesIO()
    picture.save(out, "PNG", compress_level=3)
    return out.getvalue()


# Address space, of which most is libraries and reserve: 25 megapixels with transparency are 200 MB while they are read.
MOST_BYTES = 1_500_000_000
PHOTO_SIDE = 1200
CUTOUT_SIDE = 1600
THUMBNAIL_SIDE = 256
LOGO_SIDE = 400
# So that the small squares of a large code stay apart.
CODE_SIDE = 3000
MOST_CODES = 50

Options = Mapping[str, Any]
Answer = tuple[dict[str, Any], tuple[bytes, ...]]


def photo(content: bytes, options: Options) -> Answer:
    """A photo and its thumbnail, both as JPEG. `color`: what is put in place of the background, unless it is doubtful
    what that is: then the photo is kept as it was sent."""
    picture, is_doubtful = read_picture(content, options["pixels"], PHOTO_SIDE), False
    if options.get("color"):
        cut, is_doubtful = _cut(picture, options["color"])
        picture = picture if is_doubtful else cut
    small = picture.copy()
    small.thumbnail((THUMBNAIL_SIDE, THUMBNAIL_SIDE))
    facts = {"width": picture.width, "height": picture.height, "is_doubtful": is_doubtful}
    return facts, (jpeg(picture, 88), jpeg(small, 82))


def cutout(content: bytes, options: Options) -> Answer:
    """The picture as PNG, its background transparent or of `color`."""
    picture, is_doubtful = _cut(read_picture(content, options["pixels"], CUTOUT_SIDE), options.get("color"))
    facts = {"width": picture.width, "height": picture.height, "is_doubtful": is_doubtful}
    return facts, (png(picture),)


def portrait(content: bytes, options: Options) -> Answer:
    """A photo for a card, in its shape, and its thumbnail: with its background and then, unless it is doubtful what
    that is or nothing here can tell, before `color`."""
    picture = read_picture(content, options["pixels"], CUTOUT_SIDE)
    made, box, is_doubtful = [picture], None, True
    with suppress(BackgroundsStay):
        background = _background()
        alpha, is_doubtful = background.alpha_of(picture)
        if not is_doubtful:
            made.append(background.before_color(picture, alpha, options["color"]))
            box = background.head_and_shoulders(alpha)
    shape = (PHOTO_SIDE * CARD_WIDTH // CARD_HEIGHT, PHOTO_SIDE)
    # Where nobody was found, the middle: never larger than it was.
    fitted = [ImageOps.fit(one, _within(one.size, shape)) if box is None else one.crop(box) for one in made]
    small = [one.copy() for one in fitted]
    for one, side in ((fitted, PHOTO_SIDE), (small, THUMBNAIL_SIDE)):
        for each in one:
            each.thumbnail((side, side), Image.Resampling.LANCZOS)
    facts = {"width": fitted[0].width, "height": fitted[0].height, "is_doubtful": is_doubtful}
    return facts, tuple(
        part for one, thumb in zip(fitted, small, strict=True) for part in (jpeg(one, 88), jpeg(thumb, 82))
    )


def _within(size: tuple[int, int], shape: tuple[int, int]) -> tuple[int, int]:
    """The largest of that shape in a picture of this size."""
    scale = min(size[0] / shape[0], size[1] / shape[1])
    return max(1, round(shape[0] * scale)), max(1, round(shape[1] * scale))


def logo(content: bytes, options: Options) -> Answer:
    """A small picture as PNG, on white: most logos are made for that."""
    picture = read_picture(content, options["pixels"], LOGO_SIDE)
    return {"width": picture.width, "height": picture.height}, (png(picture),)


def codes(content: bytes, options: Options) -> Answer:
    """The text of every QR in it."""
    import zxingcpp  # noqa: PLC0415  Most processes are never asked for one.

    picture = read_picture(content, options["pixels"], CODE_SIDE)
    found = zxingcpp.read_barcodes(picture, formats=zxingcpp.BarcodeFormats([zxingcpp.BarcodeFormat.QRCode]))
    return {}, tuple(one.text.encode() for one in found[:MOST_CODES])


def _cut(picture: Any, color: str | None) -> tuple[Any, bool]:
    """The picture, and whether no person was found in it. Raises BackgroundsStay."""
    cut: tuple[Any, bool] = _background().cut(picture, color)
    return cut


def _background() -> ModuleType:
    """onnxruntime and the models: 100 MB that photos alone do not need. Raises BackgroundsStay."""
    if not can_remove_backgrounds():
        raise BackgroundsStay
    from ficha.photos import background_removal  # noqa: PLC0415

    return background_removal


TASKS: Mapping[str, Callable[[bytes, Options], Answer]] = {
    "photo": photo,
    "cutout": cutout,
    "portrait": portrait,
    "logo": logo,
    "codes": codes,
}


def answer(message: FramedMessage) -> Answer:
    """The word of a refusal stands in the head's `refused`."""
    head, [content] = dict(message.head), message.parts
    try:
        return TASKS[head.pop("task")](content, head)
    except FichaError as refusal:
        return {"refused": refusal.code}, ()


def main() -> None:
    set_up_reading_process()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # A dump would hold somebody's photo.
    while (message := read_message(sys.stdin.buffer)) is not None:
        head, parts = answer(message)
        del message
        write_message(sys.stdout.buffer, head, *parts)
        del parts
        give_memory_back()


if __name__ == "__main__":
    main()
