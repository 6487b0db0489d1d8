"""Pictures as people, and people with bad intentions, send them. Importing this loads the libraries for it."""

import io
import struct
import zlib
from typing import Any

from PIL import Image, ImageDraw
from PIL.Image import Image as Picture
from pillow_heif import from_pillow

# Latitude and longitude are found in no file that is stored or served; nor is what the maker of the phone wrote.
GPS_IFD, MAKE, ORIENTATION, DESCRIPTION = 0x8825, 0x010F, 0x0112, 0x010E
MAKER = "TelefonoDeAna"
PLACE = "10.48801N66.87919W"
XMP = f'<x:xmpmeta xmlns:x="adobe:ns:meta/"><exif:GPSLatitude>{PLACE}</exif:GPSLatitude></x:xmpmeta>'.encode()
MARKS = (MAKER.encode(), PLACE.encode(), b"Exif", b"GPS", b"xmpmeta", b"ICC_PROFILE")


def face(width: int = 300, height: int = 400) -> Picture:
    """Red above, blue below: which side is up can be seen."""
    picture = Image.new("RGB", (width, height), "blue")
    ImageDraw.Draw(picture).rectangle((0, 0, width, height // 2), fill="red")
    return picture


def encoded(picture: Picture, kind: str, **options: Any) -> bytes:
    out = io.BytesIO()
    if kind == "HEIF":
        from_pillow(picture).save(out, **options)
    else:
        picture.save(out, kind, **options)
    return out.getvalue()


def located(kind: str = "JPEG", orientation: int = 1) -> bytes:
    """A photo that says where it was taken, in each place where that can be said."""
    exif = Image.Exif()
    exif[MAKE], exif[DESCRIPTION] = MAKER, PLACE
    exif[ORIENTATION] = orientation
    exif[GPS_IFD] = {1: "N", 2: (10.0, 29.0, 16.8), 3: "W", 4: (66.0, 52.0, 45.1)}
    more: dict[str, Any] = {"xmp": XMP} if kind in ("JPEG", "WEBP") else {}
    if kind == "JPEG":
        more["comment"] = PLACE.encode()
    return encoded(face(), kind, exif=exif.tobytes(), **more)


def empty_png(width: int, height: int) -> bytes:
    """A PNG of one colour, which is tiny however large the picture: its lines compress a thousand times."""
    line = b"\0" + bytes(width * 3)
    packer = zlib.compressobj(9)
    packed = b"".join([packer.compress(line) for _ in range(height)] + [packer.flush()])
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", packed) + _chunk(b"IEND", b"")


def announced_png(width: int, height: int) -> bytes:
    """A PNG that only says that it is so large."""
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(bytes(1000)))


def text_bomb_png() -> bytes:
    """A small picture with a text that is 20 MB long when it is unpacked."""
    good = encoded(face(), "PNG")
    packed = b"nota\0\0" + zlib.compress(bytes(20_000_000), 9)
    return good[:33] + _chunk(b"zTXt", packed) + good[33:]


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
