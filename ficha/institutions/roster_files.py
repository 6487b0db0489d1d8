"""Reads a roster, CSV or XLSX, row by row: a file of any size takes little memory, and a hostile one is refused."""

import csv
import zipfile
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple

from ficha.core.errors import FichaError, Problem
from ficha.institutions.roster_columns import column_named

MOST_FILE_BYTES = 50_000_000
MOST_ROWS = 200_000
MOST_COLUMNS = 100
MOST_LINE_LETTERS = 100_000
MOST_CELL_LETTERS = 2_000
SEPARATORS = ",;\t|"
# What one part of a workbook may take when it is unpacked; its texts are held in memory as a whole.
MOST_SHEET_BYTES = 150_000_000
MOST_TEXTS_BYTES = 50_000_000
MOST_PARTS = 500
OLD_WORKBOOK = b"\xd0\xcf\x11\xe0"


class RosterUnreadable(FichaError):
    """The file as a whole cannot be read. `detail` says what to do."""

    status = 422
    code = "nomina_ilegible"
    message = "No se puede leer la nómina: guárdela como CSV (UTF-8) o XLSX, con los nombres de las columnas arriba."

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail

    @property
    def problems(self) -> list[Problem]:
        return [Problem(self.code, self.detail)]


class RosterRow(NamedTuple):
    """Its number as the program shows it that made the file, and its cells that are not empty, by column."""

    number: int
    cells: dict[str, str]


class RosterFile:
    """`columns` are those that we know, `ignored` the titles of the others. Raises RosterUnreadable."""

    def __init__(self, file: Path) -> None:
        with file.open("rb") as stream:
            beginning = stream.read(4)
        if file.stat().st_size > MOST_FILE_BYTES:
            raise RosterUnreadable("El archivo pasa de 50 MB. Pártalo en varios.")
        if beginning.startswith(OLD_WORKBOOK):
            raise RosterUnreadable("El libro es de un formato antiguo o tiene clave. Guárdelo como XLSX, sin clave.")
        is_workbook = beginning.startswith(b"PK")
        self._lines = _workbook_lines(file) if is_workbook else _csv_lines(file)
        _, titles = next(self._lines, (0, []))
        self._columns = [column_named(title) for title in titles]
        self.columns = [column for column in self._columns if column is not None]
        self.ignored = [title for title, column in zip(titles, self._columns, strict=True) if title and column is None]
        if not self.columns:
            raise RosterUnreadable(RosterUnreadable.message)
        twice = {column for column in self.columns if self.columns.count(column) > 1}
        if twice:
            raise RosterUnreadable(f"Hay dos columnas para lo mismo: {', '.join(sorted(twice))}. Quite una.")

    def rows(self) -> Iterator[RosterRow]:
        """Rows in which nothing is written are left out."""
        for count, (number, cells) in enumerate(self._lines):
            if count >= MOST_ROWS:
                raise RosterUnreadable(f"La nómina pasa de {MOST_ROWS:,} filas. Pártala en varias.".replace(",", "."))
            pairs = zip(self._columns, cells, strict=False)
            named = {column: cell.strip() for column, cell in pairs if column is not None and cell.strip()}
            if named:
                yield RosterRow(number, named)


def _csv_lines(file: Path) -> Iterator[tuple[int, list[str]]]:
    encoding = _encoding_of(file)
    with file.open(encoding=encoding, newline="") as stream:
        first = stream.readline(MOST_LINE_LETTERS)
        separator = max(SEPARATORS, key=first.count)
        stream.seek(0)
        reader = csv.reader(_short_lines(stream), delimiter=separator, strict=True)
        try:
            for cells in reader:
                yield reader.line_num, cells[:MOST_COLUMNS]
        except csv.Error:
            raise RosterUnreadable(
                f"La línea {reader.line_num} del CSV está mal escrita: revise las comillas."
            ) from None


def _encoding_of(file: Path) -> str:
    """UTF-8, with or without a mark at its beginning; what is not, is taken for Windows' Latin-1."""
    with file.open("rb") as stream:
        if b"\0" in stream.read(4096):
            raise RosterUnreadable("El archivo no es texto, o está en UTF-16. Guárdelo como CSV UTF-8 o XLSX.")
    try:
        with file.open(encoding="utf-8-sig") as text:
            while text.read(1 << 20):
                pass
    except UnicodeDecodeError:
        return "cp1252" if _is_decodable(file, "cp1252") else "latin-1"
    return "utf-8-sig"


def _is_decodable(file: Path, encoding: str) -> bool:
    try:
        with file.open(encoding=encoding) as text:
            while text.read(1 << 20):
                pass
    except UnicodeDecodeError:
        return False
    return True


def _short_lines(stream: Any) -> Iterator[str]:
    while line := stream.readline(MOST_LINE_LETTERS):
        if len(line) == MOST_LINE_LETTERS:
            raise RosterUnreadable("El CSV tiene una línea demasiado larga.")
        yield line


def _workbook_lines(file: Path) -> Iterator[tuple[int, list[str]]]:
    """The first sheet. Formulas come as they are written: whoever reads the row refuses them."""
    _refuse_bombs(file)
    import openpyxl  # noqa: PLC0415  Takes a third of a second to import, and the API never reads a workbook.

    try:
        book = openpyxl.load_workbook(file, read_only=True, keep_links=False)
        try:
            sheet = book.worksheets[0]
            for number, cells in enumerate(sheet.iter_rows(max_col=MOST_COLUMNS, values_only=True), 1):
                if number > MOST_ROWS + 1:
                    raise RosterUnreadable(f"El libro pasa de {MOST_ROWS} filas. Pártalo en varios.")
                yield number, _texts(cells)
        finally:
            book.close()
    except RosterUnreadable:
        raise
    except Exception:  # The library raises whatever it stumbles over: KeyError, ParseError, TypeError.
        raise RosterUnreadable("El libro está dañado o no es XLSX. Ábralo y guárdelo de nuevo.") from None


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
    return str(cell)


def _refuse_bombs(file: Path) -> None:
    """By what the zip says of itself: no more than that is unpacked. And no XML that defines words of its own, which
    can be made to swell."""
    try:
        with zipfile.ZipFile(file) as book:
            parts = book.infolist()
            if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > MOST_SHEET_BYTES:
                raise RosterUnreadable(
                    "El libro es demasiado grande al descomprimirlo. Deje solo la hoja de la nómina."
                )
            for part in parts:
                if part.filename.endswith("sharedStrings.xml") and part.file_size > MOST_TEXTS_BYTES:
                    raise RosterUnreadable("El libro tiene demasiado texto. Pártalo en varios.")
                with book.open(part) as stream:
                    beginning = stream.read(4096)
                if b"<!DOCTYPE" in beginning or b"<!ENTITY" in beginning or beginning[:2] in (b"\xff\xfe", b"\xfe\xff"):
                    raise RosterUnreadable(
                        "El libro no es como los que escribe una hoja de cálculo. Guárdelo de nuevo."
                    )
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError):
        raise RosterUnreadable("El libro está dañado o tiene clave. Ábralo y guárdelo de nuevo.") from None
