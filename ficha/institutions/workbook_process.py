"""A workbook is read in a process of its own that then ends: a file of some kilobytes can be made to fill gigabytes."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

from ficha.core.process import on_all_cores
from ficha.institutions import workbook_worker
from ficha.institutions.workbook_worker import DAMAGED, DONE, SUSPICIOUS, TOO_LARGE, TOO_MANY_ROWS

COMMAND = (sys.executable, "-I", str(Path(workbook_worker.__file__).resolve()))
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
