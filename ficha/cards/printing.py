"""Pages by Typst: fixed templates, data only as an input, never put into a template's source.

Nothing is taken from the machine or the network: the fonts are ours, and no package is ever fetched.
"""

import json
import unicodedata
from base64 import b64encode
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typst import Compiler

HERE = Path(__file__).parent
# For archives, and for people who have a page read to them.
PDF_STANDARDS = ["a-2a", "ua-1"]
# One at a time: a thousand stickers take 150 MB while they are drawn. Python's own lock is free meanwhile.
_one_at_a_time = Lock()


class FileType(StrEnum):
    """What stickers, sheets, QR codes and carnets are offered as; the value is the media type."""

    PDF = "application/pdf"
    PNG = "image/png"
    SVG = "image/svg+xml"

    def data_uri(self, content: bytes) -> str:
        return f"data:{self};base64,{b64encode(content).decode()}"


class PrintTemplate(StrEnum):
    STICKERS = "stickers"
    CARNET = "carnet"
    SHEET = "sheet"
    SCREEN = "screen"
    SUMMARY = "summary"


def pdf(template: PrintTemplate, data: Mapping[str, Any]) -> bytes:
    """To be printed and thrown away."""
    return _compiled(template, data, format="pdf")[0]


def archive_pdf(template: PrintTemplate, data: Mapping[str, Any], now: datetime) -> bytes:
    """PDF/A, to be kept, and readable aloud."""
    return _compiled(template, data, format="pdf", pdf_standards=PDF_STANDARDS, timestamp=int(now.timestamp()))[0]


def svg(template: PrintTemplate, data: Mapping[str, Any]) -> list[bytes]:
    """One for each page."""
    return _compiled(template, data, format="svg")


def png(template: PrintTemplate, data: Mapping[str, Any], dots_per_inch: int) -> list[bytes]:
    """One for each page."""
    return _compiled(template, data, format="png", ppi=dots_per_inch)


# Of the signs that our own texts have and the fonts do not. A blood group must not end in a question mark.
STAND_INS = str.maketrans({"−": "-", "₂": "2", "✓": ""})


def printable(text: str) -> str:
    """The text in letters that our fonts have. Others become a question mark: a page is better than none."""
    composed = " ".join(unicodedata.normalize("NFC", text).translate(STAND_INS).split())
    return "".join(letter if ord(letter) in _letters() else "?" for letter in composed)


@cache
def _letters() -> frozenset[int]:
    """What `fonts/` was made with."""
    ranges = ((0x20, 0x7E), (0xA0, 0x24F), (0x370, 0x3FF), (0x400, 0x52F), (0x1E00, 0x1EFF), (0x2010, 0x2027))
    return frozenset(
        letter
        for first, last in ranges
        for letter in range(first, last + 1)
        if unicodedata.category(chr(letter)) not in ("Cn", "Cc", "Cf", "Zl", "Zp")
    )


def _compiled(template: PrintTemplate, data: Mapping[str, Any], **options: Any) -> list[bytes]:
    inputs = {"data": json.dumps(data, ensure_ascii=False)}
    with _one_at_a_time:
        made = _compiler(template).compile(sys_inputs=inputs, **options)
    assert made is not None
    return made if isinstance(made, list) else [made]


@cache
def _compiler(template: PrintTemplate) -> "Compiler":
    """Kept: it has read fonts and template."""
    import typst  # noqa: PLC0415  Only what is printed needs it, and a start should not wait for it.

    return typst.Compiler(
        HERE / "templates" / f"{template}.typ",
        root=HERE / "templates",
        font_paths=[HERE / "fonts"],
        ignore_system_fonts=True,
    )
