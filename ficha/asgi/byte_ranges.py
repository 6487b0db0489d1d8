"""`Range`: a part of a file instead of all of it, for downloads that were interrupted."""

import re
from collections.abc import Iterable, Iterator

from ficha.core.errors import FichaError, Source

ONE_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")


class RangeNotSatisfiable(FichaError):
    status = 416
    code = "rango_fuera_del_archivo"
    message = "Esa parte no existe: el archivo es más corto."
    source = Source("header", "Range")

    def __init__(self, size: int) -> None:
        super().__init__(self.message)
        self.headers = {"Content-Range": f"bytes */{size}"}


def asked_range(header: str | None, size: int) -> range | None:
    """The positions that were asked for; None for the whole file, also where the header means nothing or asks for
    several parts, as the standard allows. Raises RangeNotSatisfiable."""
    found = ONE_RANGE.fullmatch((header or "").replace(" ", ""))
    if found is None or not (found[1] or found[2]):
        return None
    if not found[1]:
        first, last = max(0, size - int(found[2])), size - 1
    else:
        first, last = int(found[1]), min(int(found[2] or size), size - 1)
        if found[2] and int(found[2]) < first:
            return None
    if first > last:
        raise RangeNotSatisfiable(size)
    return range(first, last + 1)


def cut(pieces: Iterable[bytes], skip: int, length: int) -> Iterator[bytes]:
    """`length` bytes of these, after the first `skip`."""
    for piece in pieces:
        part = piece[skip : skip + length]
        skip, length = max(0, skip - len(piece)), length - len(part)
        if part:
            yield part
        if not length:
            return
