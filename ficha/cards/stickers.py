"""Stickers in several formats, as pictures and as sheets to be cut. Every QR is read back before it is given out."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from io import BytesIO
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ficha.accounts.accounts import Idioma
from ficha.cards import printing
from ficha.cards.printing import PrintTemplate, printable
from ficha.cards.qr import FRAGMENT, HYBRID_LEVEL, MAX_LETTERS, QUIET, Level, NotReadable, Symbol, symbol_of
from ficha.core.errors import FichaError, Source
from ficha.fmd.rules.signs import FoundSigns
from ficha.fmd.translations import Translated

# Cheap phones read a module of this size from a hand's breadth away; a smaller one only with luck.
SMALLEST_MODULE_MM = 0.4
# Strongest first. A symbol of 20 mm holds a usual link at the strongest.
LEVELS: tuple[Level, ...] = ("H", "Q", "M")
MARGIN_MM = 10
GAP_MM = 4
DOTS_PER_INCH = 300
MOST_WORDS = 3
LETTER_WIDTH = 0.62

CALL = Translated("En emergencia, escanee", "In an emergency, scan", "Em emergência, escaneie")
TYPED = Translated(
    "Sin marca: abre la página del código.", "No tag: opens the code's page.", "Sem marca: abre a página."
)
MORE_WORDS = Translated("y {count} más", "and {count} more", "e mais {count}")
TITLE = Translated("Etiquetas", "Stickers", "Etiquetas")


class StickerFormat(StrEnum):
    ROUND = "round"
    BAND = "band"
    BIKE = "bike"
    HELMET = "helmet"
    WALLET = "wallet"


class Paper(StrEnum):
    A4 = "a4"
    LETTER = "letter"


@dataclass(frozen=True)
class StickerShape:
    """Sizes in millimetres, and of letters in points. `qr` has its quiet zone within. `offline_letters` is how much a
    QR that is read without a network may hold on it, or 0 where such a QR is not printed: it was measured which of
    them phones still read (decision 12)."""

    width: float
    height: float
    qr: float
    code_pt: float
    small_pt: float
    word_pt: float
    beside: bool = True
    round: bool = False
    offline_letters: int = 0

    @property
    def text_width(self) -> float:
        return self.width - self.qr - 3 if self.beside else self.width * (0.55 if self.round else 0.9)


SHAPES = {
    StickerFormat.ROUND: StickerShape(44, 44, 25, 9, 4.5, 4.5, beside=False, round=True),
    StickerFormat.BAND: StickerShape(90, 26, 25, 14, 6, 7),
    StickerFormat.BIKE: StickerShape(70, 32, 30, 13, 5.5, 6.5),
    StickerFormat.HELMET: StickerShape(50, 56, 34, 13, 6, 6, beside=False, offline_letters=500),
    StickerFormat.WALLET: StickerShape(85.6, 54, 42, 15, 6.5, 9, offline_letters=MAX_LETTERS),
}
PAPERS = {Paper.A4: (210.0, 297.0), Paper.LETTER: (215.9, 279.4)}


# Those on which a QR that is read without a network is printed.
OFFLINE_FORMATS = [format for format, shape in SHAPES.items() if shape.offline_letters]


class TooSmallForOffline(FichaError):
    status = 422
    code = "formato_pequeno"
    message = "En ese formato no se leería un QR con datos sin red. Elija otro: casco o billetera."
    source = Source("pointer", "/format")


class Sticker(NamedTuple):
    """Without its tag, the link leads to the door of the typed code. `words` are the owner's stop signs, if she wants
    them printed."""

    code: str
    link: str
    has_tag: bool
    words: tuple[str, ...] = ()


def printed_symbol(link: str, box_mm: float) -> Symbol:
    """The strongest symbol whose modules are large enough in a box of that size. One that holds much has the largest
    modules instead."""
    if FRAGMENT in link:
        return symbol_of(link, HYBRID_LEVEL)
    for level in LEVELS[:-1]:
        symbol = symbol_of(link, level)
        if box_mm / (len(symbol.rows) + 2 * QUIET) >= SMALLEST_MODULE_MM:
            return symbol
    return symbol_of(link, LEVELS[-1])


def offline_letters(format: StickerFormat) -> int:
    """How many letters its QR may hold to be read without a network; raises TooSmallForOffline."""
    if format not in OFFLINE_FORMATS:
        raise TooSmallForOffline
    return SHAPES[format].offline_letters


def sheet_pdf(
    stickers: Sequence[Sticker], format: StickerFormat, paper: Paper, base_url: str, idioma: Idioma = Idioma.ES
) -> bytes:
    """All stickers, on as many sheets as they take, with marks where to cut."""
    return printing.pdf(PrintTemplate.STICKERS, sheet_data(stickers, format, paper, base_url, idioma))


def sheet_data(
    stickers: Sequence[Sticker], format: StickerFormat, paper: Paper, base_url: str, idioma: Idioma
) -> dict[str, Any]:
    return _data(stickers, format, base_url, idioma) | {"sheet": _sheet(format, paper)}


def pictures(
    stickers: Sequence[Sticker], format: StickerFormat, base_url: str, idioma: Idioma = Idioma.ES
) -> list[tuple[bytes, bytes]]:
    """SVG and PNG of each; raises NotReadable if a QR on a picture does not say what it should."""
    data = _data(stickers, format, base_url, idioma) | {"sheet": None}
    pngs = printing.png(PrintTemplate.STICKERS, data, DOTS_PER_INCH)
    for sticker, drawn in zip(stickers, pngs, strict=True):
        if read_picture(drawn) != sticker.link:
            raise NotReadable
    return list(zip(printing.svg(PrintTemplate.STICKERS, data), pngs, strict=True))


def read_picture(drawn: bytes) -> str | None:
    """What the QR on a PNG says."""
    import zxingcpp  # noqa: PLC0415  As in qr.py.
    from PIL import Image  # noqa: PLC0415  Large, and only what is printed needs it here.

    with Image.open(BytesIO(drawn)) as picture:
        found = zxingcpp.read_barcode(picture.convert("L"), zxingcpp.BarcodeFormats([zxingcpp.BarcodeFormat.QRCode]))
    return None if found is None else found.text


def texts_on(drawn: bytes) -> set[str]:
    """The same where there may be several."""
    import zxingcpp  # noqa: PLC0415  As in qr.py.
    from PIL import Image  # noqa: PLC0415  Large, and only what is printed needs it here.

    with Image.open(BytesIO(drawn)) as picture:
        found = zxingcpp.read_barcodes(picture.convert("L"), zxingcpp.BarcodeFormats([zxingcpp.BarcodeFormat.QRCode]))
    return {one.text for one in found}


def sticker_words(found: FoundSigns, idioma: Idioma) -> tuple[str, ...]:
    """Of the stop signs, most dangerous first, as many as a stranger reads at a glance. Whoever reads them must not
    believe that there is nothing else, so what is left is counted: other signs, and facts that no rule has judged."""
    labels = list(dict.fromkeys(printable(sign.label.in_language(idioma)) for sign in found.all))
    left = len(labels[MOST_WORDS:]) + len(found.unjudged)
    more = [MORE_WORDS.in_language(idioma).format(count=left)] if labels and left else []
    return (*labels[:MOST_WORDS], *more)


def _data(stickers: Sequence[Sticker], format: StickerFormat, base_url: str, idioma: Idioma) -> dict[str, Any]:
    shape = SHAPES[format]
    domain = urlsplit(base_url).netloc.lower()
    points = shape.text_width / 25.4 * 72
    return {
        "title": TITLE.in_language(idioma),
        "lang": idioma.value,
        "shape": asdict(shape),
        "domain": domain,
        "domain_pt": min(shape.small_pt + 1, points / (LETTER_WIDTH * len(domain))),
        "call": CALL.in_language(idioma),
        "stickers": [
            {
                "qr": printed_symbol(one.link, shape.qr).svg(),
                "link": one.link.partition(FRAGMENT)[0],
                "code": one.code,
                "words": list(one.words),
                "notice": "" if one.has_tag else TYPED.in_language(idioma),
            }
            for one in stickers
        ],
    }


def _sheet(format: StickerFormat, paper: Paper) -> dict[str, Any]:
    """Where stickers stand on a page, from its upper left corner, and where its cut marks are."""
    shape, (width, height) = SHAPES[format], PAPERS[paper]
    xs = _starts(width, shape.width)
    ys = _starts(height, shape.height)
    return {
        "width": width,
        "height": height,
        "places": [[x, y] for y in ys for x in xs],
        "xs": [edge for x in xs for edge in (x, x + shape.width)],
        "ys": [edge for y in ys for edge in (y, y + shape.height)],
    }


def _starts(length: float, size: float) -> list[float]:
    """As many as fit, in the middle."""
    count = int((length - 2 * MARGIN_MM + GAP_MM) // (size + GAP_MM))
    first = (length - count * (size + GAP_MM) + GAP_MM) / 2
    return [round(first + index * (size + GAP_MM), 3) for index in range(count)]
