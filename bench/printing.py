"""What is printed: QR codes, a thousand stickers and a carnet, beside the bare calls of the libraries."""

import json
import statistics
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import psutil
import typst
import zxingcpp
from rich.console import Console
from rich.table import Table

from ficha.accounts.accounts import Idioma
from ficha.cards import printing
from ficha.cards.carnet_pages import CarnetForm, PrintedCarnet, drawn_carnet
from ficha.cards.printing import FileType, PrintTemplate
from ficha.cards.qr import LINK_LEVEL, link_of, symbol_of
from ficha.cards.stickers import Paper, Sticker, StickerFormat, sheet_data, sheet_pdf
from ficha.core.ids import random_code
from ficha.demo.records import PUPIL
from ficha.products.product import new_tag

T = TypeVar("T")

BASE = "https://ficha.example"
SYMBOLS = 10_000
STICKERS = 1_000
CARNETS = 20
ROUNDS = 3
# A sheet may take this many times as long as bare Typst with the same symbols.
MOST = 1.5
# As somebody would write it in a quarter of an hour: the symbol, the code and the domain, in a grid.
BARE_SHEET = b"""
#let data = json(bytes(sys.inputs.data))
#set page(width: 210mm, height: 297mm, margin: 10mm)
#grid(columns: 4, gutter: 4mm, ..data.stickers.map(one => box(width: 44mm, height: 44mm, align(center)[
  #image(bytes(one.qr), format: "svg", width: 25mm) \\ *#one.code* \\ ficha.example])))
"""
BARE_CARD = b"#let data = json(bytes(sys.inputs.data))\n#set page(width: 86mm, height: 108mm)\n*#data.name*\n"


def measure_printing(console: Console) -> bool:
    """False if a sheet takes longer than it may."""
    table = Table("what", "ours, CPU s", "bare library, CPU s", "times")
    compiler = typst.Compiler(ignore_system_fonts=True)
    now = datetime.now(UTC)

    def bare_sheet(symbols: list[str]) -> None:
        told = [{"qr": svg, "code": "K7M2QX"} for svg in symbols]
        compiler.compile(BARE_SHEET, format="pdf", sys_inputs={"data": json.dumps({"stickers": told})})

    def row(what: str, ours: float, bare: float) -> float:
        table.add_row(what, f"{ours:.3f}", f"{bare:.3f}", f"{ours / bare:.2f}")
        return ours / bare

    symbols = [_links(SYMBOLS)]
    row(
        f"{SYMBOLS:,} QR codes as SVG, each read back",
        _seconds(lambda links: [symbol_of(link, LINK_LEVEL).svg() for link in links], symbols),
        _seconds(_bare_symbols, symbols),
    )
    # New ones each time: Typst remembers what it has drawn.
    drawn = [sheet_data(_stickers(), StickerFormat.ROUND, Paper.A4, BASE, Idioma.ES) for _ in range(ROUNDS)]
    drawing = row(
        f"{STICKERS:,} stickers drawn, the same symbols given to both",
        _seconds(lambda data: printing.pdf(PrintTemplate.STICKERS, data), drawn),
        _seconds(lambda data: bare_sheet([one["qr"] for one in data["stickers"]]), drawn),
    )
    whole = row(
        f"{STICKERS:,} stickers, symbols made and read back as well",
        _seconds(
            lambda made: sheet_pdf(made, StickerFormat.ROUND, Paper.A4, BASE), [_stickers() for _ in range(ROUNDS)]
        ),
        _seconds(lambda links: bare_sheet(_bare_symbols(links)), [_links(STICKERS) for _ in range(ROUNDS)]),
    )
    cards = [
        PrintedCarnet(random_code(), new_tag(), random_code() * 2, now, now + timedelta(365), None, None, PUPIL)
        for _ in range(CARNETS)
    ]
    row(
        "one carnet as PDF/A; bare: a page with a serial",
        _seconds(lambda card: drawn_carnet(FileType.PDF, card, CarnetForm.WALLET, Idioma.ES, BASE, now), cards),
        _seconds(
            lambda card: compiler.compile(BARE_CARD, sys_inputs={"data": json.dumps({"name": card.serial})}), cards
        ),
    )
    console.print(table)
    console.print(f"Memory of this process: {psutil.Process().memory_info().rss / 1e6:.0f} MB.")
    return max(drawing, whole) <= MOST


def _links(count: int) -> list[str]:
    return [link_of(BASE, random_code(), new_tag()) for _ in range(count)]


def _stickers() -> list[Sticker]:
    return [Sticker("K7M2QX", link, has_tag=True) for link in _links(STICKERS)]


def _bare_symbols(links: list[str]) -> list[str]:
    made = (zxingcpp.create_barcode(link, zxingcpp.BarcodeFormat.QRCode, ec_level="H") for link in links)
    return [one.to_svg() for one in made]


def _seconds(run: Callable[[T], object], given: Sequence[T]) -> float:
    """CPU time, which others at work on the machine change little; the middle one, of a run with each of the given."""
    measured = []
    for each in given:
        began = time.process_time()
        run(each)
        measured.append(time.process_time() - began)
    return statistics.median(measured)
