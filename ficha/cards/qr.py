"""QR codes: drawn from their modules as SVG and PNG, and read back before they are given to anybody."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from io import BytesIO
from typing import Any, Literal

from ficha.core.crypto import Keyring
from ficha.core.errors import FichaError, Source
from ficha.core.transaction import Transaction
from ficha.exchange.health_cards.writing import qr_text
from ficha.fmd.access import OpenFmd
from ficha.fmd.offline.summary import offline_fragment
from ficha.products.product import Product, tag_matches

# What scanners need around a symbol, in modules.
QUIET = 4
PNG_SCALE = 8
READING_SCALE = 3
DARK_RUN = re.compile(b"\x01+")

# H can still be read from a scratched helmet. M is for symbols that hold much: H would need smaller modules.
Level = Literal["L", "M", "Q", "H"]
LINK_LEVEL: Level = "H"
HYBRID_LEVEL: Level = "M"
# Health Cards want L. Nothing larger is still read where it is shown 4 cm wide or printed 48 mm wide.
HEALTH_CARD_LEVEL: Level = "L"
MOST_HEALTH_CARD_VERSION = 22

# Beyond this, link included, the modules get too small for an old phone: it is version 16 at level M.
MAX_LETTERS = 600
# Where the lines begin that a QR holds to be read without a network.
FRAGMENT = "#"


class QrKind(StrEnum):
    LINK = "link"
    HYBRID = "hybrid"


class TagWrong(FichaError):
    status = 422
    code = "tag_incorrecto"
    message = "Ese no es el tag de la etiqueta con ese código. Está en su QR, después del código."
    source = Source("parameter", "tag")


class NotReadable(Exception):
    """The symbol cannot be read back as what was put into it: a bug."""


@dataclass(frozen=True)
class Symbol:
    """Rows of modules, true where dark, without the quiet zone."""

    rows: tuple[tuple[bool, ...], ...]

    @property
    def version(self) -> int:
        return (len(self.rows) - 17) // 4

    def svg(self) -> str:
        """One path of horizontal runs, which scales to any size."""
        side = len(self.rows) + 2 * QUIET
        path = "".join(f"M{x} {y}h{length}v1h-{length}z" for x, y, length in self._runs())
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" shape-rendering="crispEdges">'
            f'<path fill="#fff" d="M0 0h{side}v{side}h-{side}z"/><path d="{path}"/></svg>'
        )

    def png(self, scale: int = PNG_SCALE) -> bytes:
        from PIL import Image  # noqa: PLC0415  Large, and only what is printed needs it here.

        side, out = (len(self.rows) + 2 * QUIET) * scale, BytesIO()
        Image.frombytes("L", (side, side), self.pixels(scale).tobytes()).convert("1").save(out, "PNG", optimize=True)
        return out.getvalue()

    def pixels(self, scale: int) -> memoryview:
        """One byte a pixel, quiet zone included."""
        side = (len(self.rows) + 2 * QUIET) * scale
        dark, light = bytes(scale), b"\xff" * scale
        edge, quiet = light * (side // scale) * scale * QUIET, light * QUIET
        lines = [(quiet + b"".join(dark if one else light for one in row) + quiet) * scale for row in self.rows]
        return memoryview(b"".join([edge, *lines, edge])).cast("B", (side, side))

    def _runs(self) -> list[tuple[int, int, int]]:
        return [
            (QUIET + run.start(), y, run.end() - run.start())
            for y, row in enumerate(self.rows, QUIET)
            for run in DARK_RUN.finditer(bytes(row))
        ]


def side_of(version: int) -> int:
    """In modules, without the quiet zone."""
    return 17 + 4 * version


def symbol_of(text: str, level: Level) -> Symbol:
    """The smallest symbol that holds the text; raises NotReadable if it cannot be read back."""
    import zxingcpp  # noqa: PLC0415  Only QR codes need it, and a start should not wait for it.

    made = zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.QRCode, ec_level=level)
    # The library's types do not say that its image is a buffer.
    image: Any = made.to_image(scale=1, add_quiet_zones=False)
    values: Any = memoryview(image).tolist()
    symbol = Symbol(tuple(tuple(value == 0 for value in row) for row in values))
    read = zxingcpp.read_barcode(symbol.pixels(READING_SCALE), zxingcpp.BarcodeFormats([zxingcpp.BarcodeFormat.QRCode]))
    # The library ignores options that it does not know without an error, so the level is checked as well.
    if read is None or read.text != text or read.ec_level != level:
        raise NotReadable
    return symbol


def sticker_symbol(
    tx: Transaction,
    keyring: Keyring,
    fmd: OpenFmd,
    base_url: str,
    code: str,
    now: datetime,
    *,
    kind: QrKind,
    tag: str | None = None,
) -> Symbol:
    """The QR of one of the record's stickers; raises TagWrong if the tag is given and not the sticker's own."""
    code = code.upper()
    if tag is not None and not tag_matches(tx.orm.get_one(Product, code).tag_hash, tag):
        raise TagWrong
    link = link_of(base_url, code, tag)
    if kind is QrKind.HYBRID:
        return symbol_of(offline_link(tx, keyring, fmd, link, code, now), HYBRID_LEVEL)
    return symbol_of(link, LINK_LEVEL)


def offline_link(
    tx: Transaction,
    keyring: Keyring,
    fmd: OpenFmd,
    link: str,
    code: str,
    now: datetime,
    *,
    max_letters: int = MAX_LETTERS,
) -> str:
    """The link and, after it, the emergency lines: whoever reads the QR reads them, without a network and for ever."""
    left = max_letters - len(link) - len(FRAGMENT)
    return f"{link}{FRAGMENT}{offline_fragment(tx, keyring, fmd, code, now, max_letters=left)}"


def link_of(base_url: str, code: str, tag: str | None = None) -> str:
    """The sticker's link, in capitals, which a QR holds in few modules. Without a tag it is that of the typed code."""
    return "/".join([f"{base_url.upper()}/E", code.upper(), *([tag.upper()] if tag else [])])


def health_card_symbol(signed: str) -> Symbol:
    """A Health Card in two segments: the scheme as bytes, all else as digits. Raises NotReadable, which is a bug."""
    symbol = symbol_of(qr_text(signed), HEALTH_CARD_LEVEL)
    if symbol.version > MOST_HEALTH_CARD_VERSION:
        raise NotReadable
    return symbol
