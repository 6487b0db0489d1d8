"""Reads a roster, CSV or XLSX, row by row: a file of any size takes little memory, and a hostile one is refused."""

import csv
import json
import os
import subprocess
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from ficha.core.errors import FichaError, Problem
from ficha.core.process import on_all_cores
from ficha.institutions import workbook_worker
from ficha.institutions.roster_columns import column_named
from ficha.institutions.workbook_worker import (
    DAMAGED,
    DONE,
    MOST_COLUMNS,
    MOST_ROWS,
    SUSPICIOUS,
    TOO_LARGE,
    TOO_MANY_ROWS,
)

MOST_FILE_BYTES = 50_000_000
MOST_LINE_LETTERS = 100_000
SEPARATORS = ",;\t|"
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
        lines = _ShortLines(stream)
        reader = csv.reader(lines, delimiter=separator, strict=True)
        try:
            for cells in reader:
                lines.letters = 0
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


class _ShortLines:
    """The lines of one row after the other: a quoted cell may go over several, and a hostile row over all of them."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        # Of the row so far. Whoever has got the row sets it back.
        self.letters = 0

    def __iter__(self) -> Iterator[str]:
        while line := self._stream.readline(MOST_LINE_LETTERS):
            self.letters += len(line)
            if self.letters >= MOST_LINE_LETTERS:
                raise RosterUnreadable("El CSV tiene una línea demasiado larga, o comillas que no se cierran.")
            yield line


def _workbook_lines(file: Path) -> Iterator[tuple[int, list[str]]]:
    """The first sheet. Formulas come as they are written: whoever reads the row refuses them."""
    try:
        yield from workbook_rows(file)
    except WorkbookRefused as refusal:
        raise RosterUnreadable(str(refusal)) from None


COMMAND = (sys.executable, "-I", "-m", "ficha.institutions.workbook_worker")
# A row with all its columns, each letter written as `\u0000`.
MOST_LINE_BYTES = 2 * 6 * workbook_worker.MOST_COLUMNS * (workbook_worker.MOST_CELL_LETTERS + 10)

SENTENCES = {
    DAMAGED: "El libro está dañado, tiene clave o no es XLSX. Ábralo y guárdelo de nuevo.",
    SUSPICIOUS: "El libro no es como los que escribe una hoja de cálculo. Guárdelo de nuevo.",
    TOO_LARGE: "El libro es demasiado grande al descomprimirlo. Deje solo la hoja de la nómina, o pártala en varias.",
    TOO_MANY_ROWS: f"El libro pasa de {workbook_worker.MOST_ROWS} filas. Pártalo en varios.",
}


class WorkbookRefused(Exception):
    """Its argument is a sentence for whoever sent the workbook."""


def workbook_rows(file: Path) -> Generator[tuple[int, list[str]], None, None]:
    """Number and texts of each row of the first sheet. The process waits while nobody takes the next row, and ends when
    nobody wants one any more. Raises WorkbookRefused."""
    with file.open("rb") as workbook:
        # Nothing of the service's environment: it may hold keys.
        environment = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        with on_all_cores():
            process = subprocess.Popen(  # noqa: S603  A command of our own.
                COMMAND, stdin=workbook, stdout=subprocess.PIPE, env=environment, cwd="/"
            )
    with process:
        assert process.stdout is not None
        try:
            while isinstance(said := _line(process.stdout.readline(MOST_LINE_BYTES)), list):
                number, texts = said
                yield number, texts
        finally:
            process.kill()
    if said != DONE:
        raise WorkbookRefused(SENTENCES[said])


def _line(line: bytes) -> Any:
    """A process that has died says nothing at the end: it reached the bounds of its memory or its time."""
    return json.loads(line) if line.endswith(b"\n") else TOO_LARGE
