"""Stickers as they are printed: every QR on a page is read, also turned, blurred and partly covered."""

import os
import shutil
import subprocess
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFilter

from ficha.accounts.accounts import Idioma
from ficha.cards import printing
from ficha.cards.printing import PrintTemplate, printable
from ficha.cards.qr import QUIET, NotReadable, Symbol, link_of
from ficha.cards.stickers import (
    SHAPES,
    SMALLEST_MODULE_MM,
    Paper,
    Sticker,
    StickerFormat,
    pictures,
    printed_symbol,
    sheet_data,
    sheet_pdf,
)
from ficha.core.ids import random_code
from ficha.products.product import new_tag
from tests.qr_reader import read_all_qr

BASE = "https://ficha.example"
COUNT = 1000 if os.environ.get("FICHA_STORM") else 14
WORDS = ("Alergia grave", "Anticoagulado", "Insulina")
# A sheet at a fifth of what a printer has.
DOTS_PER_INCH = 200
needs_poppler = pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="apt-get install poppler-utils")


def stickers(count: int, words: tuple[str, ...] = ()) -> list[Sticker]:
    codes = [random_code() for _ in range(count)]
    return [Sticker(code, link_of(BASE, code, new_tag()), has_tag=True, words=words) for code in codes]


def read_all(page: Image.Image) -> list[str]:
    return [found.text for found in read_all_qr(page)]


def turned(page: Image.Image) -> Image.Image:
    return page.rotate(17, expand=True, fillcolor=255)


def blurred(page: Image.Image) -> Image.Image:
    return page.filter(ImageFilter.GaussianBlur(1.2))


def covered(page: Image.Image) -> Image.Image:
    """Of each symbol a tenth, in its middle, as by mud."""
    page = page.copy()
    draw = ImageDraw.Draw(page)
    for found in read_all_qr(page):
        corners = found.position
        points = [corners.top_left, corners.top_right, corners.bottom_left, corners.bottom_right]
        middle_x, middle_y = sum(point.x for point in points) / 4, sum(point.y for point in points) / 4
        half = (corners.top_right.x - corners.top_left.x) * 0.1**0.5 / 2
        draw.rectangle((middle_x - half, middle_y - half, middle_x + half, middle_y + half), fill=128)
    return page


@pytest.mark.slow
@pytest.mark.parametrize("harm", [None, turned, blurred, covered], ids=["clean", "turned", "blurred", "covered"])
def test_every_qr_of_a_sheet_leads_where_it_should(harm: Callable[[Image.Image], Image.Image] | None) -> None:
    made = stickers(COUNT, WORDS)
    pages = printing.png(
        PrintTemplate.STICKERS, sheet_data(made, StickerFormat.ROUND, Paper.A4, BASE, Idioma.ES), DOTS_PER_INCH
    )
    read: list[str] = []
    for drawn in pages:
        page = Image.open(BytesIO(drawn)).convert("L")
        read += read_all(harm(page) if harm else page)
    assert sorted(read) == sorted(one.link for one in made)


@pytest.mark.slow
@pytest.mark.parametrize("paper", Paper)
@pytest.mark.parametrize("format", StickerFormat)
def test_every_format_fits_every_paper(format: StickerFormat, paper: Paper) -> None:
    data = sheet_data(stickers(2, WORDS), format, paper, BASE, Idioma.PT)
    shape, sheet = SHAPES[format], data["sheet"]
    assert len(sheet["places"]) >= 8
    for x, y in sheet["places"]:
        assert x >= 8 and x + shape.width <= sheet["width"] - 8
        assert y >= 8 and y + shape.height <= sheet["height"] - 8
    [page] = printing.png(PrintTemplate.STICKERS, data, DOTS_PER_INCH)
    assert len(read_all(Image.open(BytesIO(page)).convert("L"))) == 2


@pytest.mark.parametrize("format", StickerFormat)
def test_cheap_phones_read_every_format(format: StickerFormat) -> None:
    """The symbol itself has at least twenty millimetres, and each of its modules enough of one."""
    symbol = printed_symbol(link_of(BASE, "K7M2QX", new_tag()), SHAPES[format].qr)
    module = SHAPES[format].qr / (len(symbol.rows) + 2 * QUIET)
    assert module >= SMALLEST_MODULE_MM and module * len(symbol.rows) >= 20


def test_a_long_domain_gets_larger_modules_instead_of_more_correction() -> None:
    link = link_of("https://fichas-de-emergencia.hospital-universitario.example", "K7M2QX", new_tag())
    assert len(printed_symbol(link, 42).rows) > len(printed_symbol(link, 20).rows)


def test_a_picture_whose_qr_is_wrong_is_not_given_out(monkeypatch: pytest.MonkeyPatch) -> None:
    other = printed_symbol(link_of(BASE, "ZZZZZZ"), 25).svg()
    monkeypatch.setattr(Symbol, "svg", lambda _symbol: other)
    with pytest.raises(NotReadable):
        pictures(stickers(1), StickerFormat.ROUND, BASE)


@needs_poppler
@pytest.mark.parametrize("format", StickerFormat)
def test_a_sheet_opens_in_another_program(format: StickerFormat, tmp_path: Path) -> None:
    made = stickers(3, WORDS)
    file = tmp_path / "sheet.pdf"
    file.write_bytes(sheet_pdf(made, format, Paper.LETTER, BASE))
    subprocess.run(["pdftoppm", "-r", "200", "-gray", file, tmp_path / "page"], check=True)
    [page] = tmp_path.glob("page*.pgm")
    assert sorted(read_all(Image.open(page))) == sorted(one.link for one in made)


def test_letters_that_no_font_of_ours_has_do_not_spoil_a_page() -> None:
    words = printable('名前 #image("x") ☃ Ñandú')
    strange = Sticker("K7M2QX", link_of(BASE, "K7M2QX"), has_tag=False, words=(words,))
    assert "Ñandú" in strange.words[0] and "?" in strange.words[0]
    assert len(pictures([strange], StickerFormat.BAND, BASE)) == 1
