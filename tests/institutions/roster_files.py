"""Rosters as a school's office writes them."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

import openpyxl

TITLES = (
    "external_id",
    "Nombres",
    "Apellidos",
    "Cédula",
    "Fecha de nacimiento",
    "Grado",
    "Representante",
    "Parentesco",
    "representante_correo",
    "representante_telefono",
)


def pupil(number: int) -> tuple[str, ...]:
    return (
        f"A-{number}",
        f"Ana {number}",
        "Pérez",
        f"V-31.{number:06}",
        "03/05/2012",
        "3.er año",
        "María Rojas",
        "madre",
        f"maria{number}@ejemplo.com",
        f"+58 412 55{number % 100000:05}",
    )


def write_csv(
    file: Path,
    rows: Iterable[Sequence[str]],
    titles: Sequence[str] = TITLES,
    encoding: str = "utf-8",
    separator: str = ",",
) -> Path:
    with file.open("w", encoding=encoding, newline="") as stream:
        csv.writer(stream, delimiter=separator).writerows([titles, *rows])
    return file


def write_xlsx(file: Path, rows: Iterable[Sequence[object]], titles: Sequence[str] = TITLES) -> Path:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    for row in (titles, *rows):
        sheet.append(list(row))
    book.save(file)
    return file
