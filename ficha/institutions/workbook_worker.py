"""What runs in the process that reads a workbook: `python -m ficha.institutions.workbook_worker`, with the workbook as
standard input.

It loads nothing of the service but `core/process.py` and has neither its database nor a key; what it can use of the
machine is bounded, whatever the workbook does. It writes a line of JSON for each row, and last a line that says how it
ended.
"""

import json
import resource
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from typing import IO, Any
from xml.etree import ElementTree

from ficha.core.process import set_up_reading_process

# Address space. A million texts take less than half of it.
MOST_MEMORY = 600_000_000
MOST_SECONDS = 300

MOST_ROWS = 200_000
MOST_COLUMNS = 100
# Whoever reads the row refuses cells that are longer than far less.
MOST_CELL_LETTERS = 2_000
MOST_PARTS = 500
# What a workbook may take when it is unpacked, and of that everything but its sheets: it is held in memory as a whole.
MOST_BYTES = 150_000_000
MOST_HELD_BYTES = 50_000_000
PIECE = 1 << 18

CONTENT_TYPES = "[Content_Types].xml"
MOST_CONTENT_TYPES_BYTES = 1_000_000
OVERRIDE = "{http://schemas.openxmlformats.org/package/2006/content-types}Override"
SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
# The two that workbooks are made of. One piece of the others can swell a millionfold before anybody counts.
COMPRESSION = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# XML that defines words of its own can be made to swell, and no program that writes workbooks does. The parser reads
# what is written in a superset of ASCII, and UTF-16.
SIGNS = tuple(sign.encode(code) for sign in ("<!DOCTYPE", "<!ENTITY") for code in ("ascii", "utf-16-le", "utf-16-be"))
LONGEST_SIGN = max(map(len, SIGNS))

# How it ended. The service has a sentence for each.
DONE, DAMAGED, SUSPICIOUS, TOO_LARGE, TOO_MANY_ROWS = "done", "damaged", "suspicious", "too_large", "too_many_rows"


class BadWorkbook(Exception):
    """Its argument says why."""


def rows_of(file: IO[bytes]) -> Iterator[tuple[int, list[str]]]:
    """The rows of the first sheet. Formulas come as they are written. Raises BadWorkbook."""
    try:
        check_parts(file)
        import openpyxl  # noqa: PLC0415  Nothing of a file that is refused before reaches it.

        book = openpyxl.load_workbook(file, read_only=True, keep_links=False)
        sheet = book.worksheets[0]
        for number, cells in enumerate(sheet.iter_rows(max_col=MOST_COLUMNS, values_only=True), 1):
            if number > MOST_ROWS + 1:
                raise BadWorkbook(TOO_MANY_ROWS)
            yield number, _texts(cells)
    except BadWorkbook:
        raise
    except MemoryError:
        raise BadWorkbook(TOO_LARGE) from None
    except Exception:  # The library raises whatever it stumbles over: KeyError, ParseError, TypeError, BadZipFile.
        raise BadWorkbook(DAMAGED) from None


def check_parts(file: IO[bytes]) -> None:
    """By what is really in the parts: neither their names nor what the zip says of their size counts. Raises
    BadWorkbook, and what a damaged zip raises."""
    with zipfile.ZipFile(file) as book:
        parts = book.infolist()
        names = {part.filename for part in parts}
        if len(parts) > MOST_PARTS:
            raise BadWorkbook(TOO_LARGE)
        if len(names) < len(parts) or any(part.compress_type not in COMPRESSION for part in parts):
            raise BadWorkbook(SUSPICIOUS)
        sizes = {part.filename: _checked_size(book, part) for part in parts}
        sheets = _sheets(book) if sizes.get(CONTENT_TYPES, 0) <= MOST_CONTENT_TYPES_BYTES else set()
    if sum(size for name, size in sizes.items() if name not in sheets) > MOST_HELD_BYTES:
        raise BadWorkbook(TOO_LARGE)
    if sum(sizes.values()) > MOST_BYTES:
        raise BadWorkbook(TOO_LARGE)


def _checked_size(book: zipfile.ZipFile, part: zipfile.ZipInfo) -> int:
    """How many bytes the part has once it is unpacked."""
    size, end = 0, b""
    with book.open(part) as stream:
        while piece := stream.read(PIECE):
            size += len(piece)
            if size > MOST_BYTES:
                raise BadWorkbook(TOO_LARGE)
            joined = end + piece
            if any(sign in joined for sign in SIGNS):
                raise BadWorkbook(SUSPICIOUS)
            end = joined[-LONGEST_SIGN:]
    return size


def _sheets(book: zipfile.ZipFile) -> set[str]:
    """The parts that the library will read as sheets, and as nothing else."""
    kinds: dict[str, set[str]] = {}
    for part in ElementTree.fromstring(book.read(CONTENT_TYPES)).iter(OVERRIDE):  # noqa: S314  It defines no words.
        kinds.setdefault(part.get("PartName", "").removeprefix("/"), set()).add(part.get("ContentType", ""))
    return {name for name, types in kinds.items() if types == {SHEET_TYPE}}


def _texts(cells: Iterable[Any]) -> list[str]:
    texts = [_text(cell) for cell in cells]
    while texts and not texts[-1]:
        texts.pop()
    return texts


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, datetime):
        return cell.date().isoformat()
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)[: MOST_CELL_LETTERS + 1]


def main() -> None:
    set_up_reading_process()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # A dump would hold the roster.
    warnings.simplefilter("ignore")
    end = DONE
    with open(0, "rb") as file, open(1, "w", encoding="utf-8") as answer:
        try:
            for row in rows_of(file):
                answer.write(json.dumps(row) + "\n")
        except BadWorkbook as refusal:
            end = str(refusal)
        answer.write(json.dumps(end) + "\n")


if __name__ == "__main__":
    main()
