"""Files as people and attackers write them: read alike, or refused with a sentence."""

import tracemalloc
import zipfile
from datetime import date
from pathlib import Path

import pytest

from ficha.institutions.roster_columns import column_named, is_formula, person_of
from ficha.institutions.roster_files import RosterFile, RosterUnreadable
from tests.institutions.roster_files import TITLES, pupil, write_csv, write_xlsx

PEOPLE = [pupil(number) for number in range(3)]


def cells(file: Path) -> list[dict[str, str]]:
    return [row.cells for row in RosterFile(file).rows()]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_every_encoding_and_separator_reads_alike(tmp_path: Path, encoding: str, separator: str) -> None:
    expected = cells(write_xlsx(tmp_path / "roster.xlsx", PEOPLE))
    assert expected[0]["apellidos"] == "Pérez" and expected[0]["representante_relacion"] == "madre"
    assert cells(write_csv(tmp_path / "roster.csv", PEOPLE, encoding=encoding, separator=separator)) == expected


def test_numbers_and_dates_of_a_workbook_are_what_they_show(tmp_path: Path) -> None:
    file = write_xlsx(tmp_path / "a.xlsx", [(7.0, date(2012, 5, 3)), (None, None), (8, None)], ("id", "nacimiento"))
    assert [(row.number, row.cells) for row in RosterFile(file).rows()] == [
        (2, {"external_id": "7", "fecha_nacimiento": "2012-05-03"}),
        (4, {"external_id": "8"}),
    ]


def test_columns_that_are_not_known_are_told(tmp_path: Path) -> None:
    roster = RosterFile(write_csv(tmp_path / "a.csv", [("1", "asma")], ("ID", "Diagnóstico")))
    assert roster.columns == ["external_id"] and roster.ignored == ["Diagnóstico"]
    assert column_named("  Correo Electrónico ") == "correo"


def test_a_row_becomes_a_person() -> None:
    person = person_of(
        {
            "external_id": "A-1",
            "nombres": "Ana",
            "sexo": "F",
            "fecha_nacimiento": "3-5-2012",
            "telefono": "+58 412 5551111",
            "representante_nombre": "María",
        }
    )
    assert person.documents["personal"] == {"nombres": "Ana", "sexo": "femenino", "fecha_nacimiento": "2012-05-03"}
    assert (person.cod_telefono, person.telefono) == ("+58", "4125551111")
    assert person.documents["representante"]["relacion"] == "representante"


@pytest.mark.parametrize("cell", ["=cmd|' /C calc'!A0", "@SUM(A1)", "+cmd|'x'!A0", "-2+3+cmd|' /C calc'!A0"])
def test_a_formula_is_known_and_a_phone_is_none(cell: str) -> None:
    assert is_formula(cell)
    assert not any(map(is_formula, ["+58 (412) 555-1111", "Ana", "a=b", "-5"]))


def bomb(file: Path, size: int) -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as book, book.open("xl/worksheets/sheet1.xml", "w") as part:
        for _ in range(size // 1_000_000):
            part.write(bytes(1_000_000))
    return file


def with_doctype(file: Path) -> Path:
    write_xlsx(file, PEOPLE)
    with zipfile.ZipFile(file) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    laughs = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "cccc">]>'
    with zipfile.ZipFile(file, "w") as book:
        for name, content in parts.items():
            is_sheet = name == "xl/worksheets/sheet1.xml"
            book.writestr(name, laughs + content if is_sheet else content)
    return file


@pytest.mark.slow
def test_hostile_and_broken_files_are_refused_with_a_sentence_in_little_memory(tmp_path: Path) -> None:
    files = {
        "grande al descomprimirlo": bomb(tmp_path / "bomb.xlsx", 200_000_000),
        "no es como los que": with_doctype(tmp_path / "laughs.xlsx"),
        "dañado": tmp_path / "broken.xlsx",
        "antiguo": tmp_path / "old.xls",
        "UTF-16": tmp_path / "utf16.csv",
        "demasiado larga": tmp_path / "line.csv",
        "comillas": tmp_path / "quotes.csv",
        "nombres de las columnas": tmp_path / "nothing.csv",
        "dos columnas": write_csv(tmp_path / "twice.csv", [], ("id", "external_id")),
    }
    (tmp_path / "broken.xlsx").write_bytes(b"PK\x03\x04 and nothing else")
    (tmp_path / "old.xls").write_bytes(b"\xd0\xcf\x11\xe0 and more")
    (tmp_path / "utf16.csv").write_text("external_id,nombre\n1,Ana\n", encoding="utf-16")
    (tmp_path / "line.csv").write_text("external_id,nombre\n1," + "a" * 5_000_000)
    (tmp_path / "quotes.csv").write_text('external_id,nombre\n1,"Ana"x\n')
    (tmp_path / "nothing.csv").write_text("")
    tracemalloc.start()
    try:
        for sentence, file in files.items():
            with pytest.raises(RosterUnreadable, match=sentence):
                list(RosterFile(file).rows())
        assert tracemalloc.get_traced_memory()[1] < 30_000_000
    finally:
        tracemalloc.stop()


def test_a_workbook_that_claims_a_million_columns_is_read_as_far_as_it_is_sensible(tmp_path: Path) -> None:
    file = write_xlsx(tmp_path / "wide.xlsx", [(*PEOPLE[0], *["x"] * 500)])
    assert cells(file) == cells(write_csv(tmp_path / "a.csv", [PEOPLE[0]], TITLES))
