"""Reads a picture that somebody sent: what it is and how large is known before a pixel is decoded. Runs in the picture
process only, which has a bound for its memory."""

import io
import re
from typing import Any

from PIL import Image, ImageCms, ImageOps, UnidentifiedImageError
from PIL.Image import Image as Picture
from pillow_heif import register_heif_opener

from ficha.photos.errors import NotAPicture, PictureDamaged, PictureTooLarge

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
