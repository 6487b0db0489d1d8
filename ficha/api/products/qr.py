"""QR codes of a record's own stickers."""

from enum import StrEnum
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from ficha.api.operations import Operations
from ficha.cards.printing import FileType
from ficha.cards.qr import QrKind, sticker_symbol
from ficha.core.errors import GOOD_TITLES
from ficha.fmd.access import open_fmd
from ficha.fmd.offline.keys import ensure_signing_key
from ficha.http.dependencies import Address, CurrentCaller, Now, Parts, Reading
from ficha.http.fmd_dependencies import ReadingFmd

operations = Operations("products", prefix="/generators")


class QrFormat(StrEnum):
    SVG = "svg"
    PNG = "png"


# The answer is the file itself, in one of two types.
QR_FILE = {
    "description": GOOD_TITLES[200],
    "content": {
        FileType.SVG: {
            "schema": {"type": "string"},
            "example": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 45 45">…</svg>',
        },
        FileType.PNG: {"schema": {"type": "string", "format": "binary"}},
    },
}


@operations.get(
    "/qr",
    "Generators: QR",
    door="bearer",
    seed=True,
    errors=(404, 422, 503),
    responses={200: QR_FILE},
    response_class=Response,
)
def qr(
    reading: Reading,
    parts: Parts,
    caller: CurrentCaller,
    now: Now,
    address: Address,
    code: Annotated[str, Query(max_length=20, description="Any live code of the record.", examples=["K7M2QX"])],
    format: Annotated[QrFormat, Query(description="svg or png.")] = QrFormat.SVG,
    kind: Annotated[
        QrKind,
        Query(description="link: the address alone. hybrid: the emergency lines too, to be read without network."),
    ] = QrKind.LINK,
    tag: Annotated[
        str | None,
        Query(max_length=40, description="The tag in the sticker's QR: only its hash is kept, so we cannot add it."),
    ] = None,
) -> Response:
    """The QR of a sticker. Without `tag` it leads to the door of the typed code, which shows nothing clinical."""
    fmd = open_fmd(reading, parts.keyring, caller, code, now, origin=address, locks=False)
    if kind is QrKind.HYBRID and ensure_signing_key(parts.database, parts.keyring, now):
        reading.commit()  # To see the key that was made just now.
    symbol = sticker_symbol(reading, parts.keyring, fmd, parts.settings.public_url, code, now, kind=kind, tag=tag)
    ReadingFmd(fmd, parts.read_log).note(f"qr.{kind}", [code.upper()], now)
    if format is QrFormat.PNG:
        return Response(symbol.png(), media_type=FileType.PNG)
    return Response(symbol.svg(), media_type=FileType.SVG)
