"""Files as people and attackers write them: read alike, or refused with a sentence."""

import resource
import threading
import tracemalloc
import zipfile
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest

from ficha.core.phones import to_e164
from ficha.institutions import workbook_worker
from ficha.institutions.person_to_enrol import phone_of
from ficha.institutions.roster_columns import column_named, is_formula, person_of
from ficha.institutions.roster_files import RosterFile, RosterUnreadable, workbook_rows
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


@pytest.mark.parametrize(
    "cell",
    [
        "0412-555-1000",
        "(0412) 555.10.00",
        "04125551000",
        "4125551000",
        "584125551000",
        "00584125551000",
        "+58 412 555 1000",
        "+58\u2011412\u2011555\u20111000",
    ],
)
@pytest.mark.parametrize("prefix", ["", "58", "+58", "0058"])
def test_a_phone_is_read_as_people_write_it(cell: str, prefix: str) -> None:
    cells = {"nombre": "Ana", "telefono": cell, "representante_nombre": "María", "representante_telefono": cell}
    if prefix:
        cells |= {"cod_telefono": prefix, "representante_cod_telefono": prefix}
    person = person_of(cells, "VE")
    guardian = person.documents["representante"]
    assert phone_of(person) == "+584125551000"
    assert to_e164(guardian["cod_telefono"], guardian["telefono"]) == "+584125551000"


def test_a_phone_of_nobody_knows_where_is_not_guessed() -> None:
    """Colombian, in a file of a school in Venezuela, and where no country is known."""
    abroad = person_of({"nombre": "Ana", "telefono": "301 123 4567"}, "VE")
    assert (abroad.cod_telefono, abroad.telefono) == (None, "3011234567")
    nowhere = person_of({"nombre": "Ana", "telefono": "0412-555-1000"})
    assert (nowhere.cod_telefono, nowhere.telefono) == (None, "04125551000")


def test_a_prefix_without_a_number_is_no_phone() -> None:
    person = person_of({"nombre": "Ana", "representante_nombre": "María", "representante_cod_telefono": "+58"})
    assert "cod_telefono" not in person.documents["representante"]


@pytest.mark.parametrize("cell", ["=cmd|' /C calc'!A0", "@SUM(A1)", "+cmd|'x'!A0", "-2+3+cmd|' /C calc'!A0"])
def test_a_formula_is_known_and_a_phone_is_none(cell: str) -> None:
    assert is_formula(cell)
    assert not any(map(is_formula, ["+58 (412) 555-1111", "Ana", "a=b", "-5"]))


def bomb(file: Path, size: int) -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as book, book.open("xl/worksheets/sheet1.xml", "w") as part:
        for _ in range(size // 1_000_000):
            part.write(bytes(1_000_000))
    return file


def changed(file: Path, contents: Mapping[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> Path:
    """A workbook with these parts in place of its own, or beside them."""
    write_xlsx(file, PEOPLE)
    with zipfile.ZipFile(file) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in parts.items():
            book.writestr(name, contents.get(name, content))
        for name in contents.keys() - parts.keys():
            book.writestr(name, contents[name], compression)
    return file


LAUGHS = '<!DOCTYPE a [<!ENTITY b "cccccccc"><!ENTITY d "&b;&b;&b;&b;">]><a>&d;</a>'
SHEET = "xl/worksheets/sheet1.xml"
TEXTS_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"


@pytest.mark.slow
def test_hostile_and_broken_files_are_refused_with_a_sentence_in_little_memory(tmp_path: Path) -> None:
    files = {
        "grande al descomprimirlo": bomb(tmp_path / "bomb.xlsx", 200_000_000),
        "no es como los que": changed(tmp_path / "laughs.xlsx", {SHEET: LAUGHS.encode()}),
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


@pytest.mark.parametrize("part", [SHEET, "docProps/app.xml", "anything/at.all"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("before", [0, 5_000, workbook_worker.PIECE - 5])
def test_no_part_of_a_workbook_may_define_words(tmp_path: Path, part: str, encoding: str, before: int) -> None:
    """However late it begins to: a reader that looked at the first page of each part let a comment hide it."""
    comment = f"<!--{' ' * before}-->" if before else ""
    file = changed(tmp_path / "a.xlsx", {part: f'<?xml version="1.0"?>{comment}{LAUGHS}'.encode(encoding)})
    assert file.stat().st_size < 14_000
    with pytest.raises(RosterUnreadable, match="no es como los que"):
        cells(file)


def test_a_part_that_is_packed_as_no_workbook_is_packed_is_not_opened(tmp_path: Path) -> None:
    """Of such a part the zip library unpacks four kilobytes at once, into gigabytes, whatever size is said and asked
    for."""
    file = changed(tmp_path / "a.xlsx", {"xl/media/a.xml": bytes(40_000_000)}, zipfile.ZIP_BZIP2)
    assert file.stat().st_size < 7_000
    with pytest.raises(RosterUnreadable, match="no es como los que"):
        cells(file)


def test_texts_count_wherever_they_are(tmp_path: Path) -> None:
    """The workbook says itself in which part its texts are; they are held in memory as a whole."""
    named = f'<Override PartName="/xl/other.name" ContentType="{TEXTS_TYPE}"/></Types>'.encode()
    small = write_xlsx(tmp_path / "a.xlsx", PEOPLE)
    with zipfile.ZipFile(small) as book:
        types = book.read(workbook_worker.CONTENT_TYPES).replace(b"</Types>", named)
    content = {workbook_worker.CONTENT_TYPES: types, "xl/other.name": b"<si/>" * 11_000_000}
    file = changed(tmp_path / "b.xlsx", content)
    assert file.stat().st_size < 100_000
    with pytest.raises(RosterUnreadable, match="demasiado grande"):
        cells(file)


@pytest.mark.slow
def test_a_workbook_gets_no_more_memory_than_its_process_may_have(tmp_path: Path) -> None:
    """One cell, a hundred thousand times as large as the file: with one odd letter each of its letters takes four
    bytes, and the parser holds it several times."""
    file = write_xlsx(tmp_path / "a.xlsx", [])
    with zipfile.ZipFile(file) as book:
        parts = {name: book.read(name) for name in book.namelist() if name != SHEET}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in parts.items():
            book.writestr(name, content)
        with book.open(SHEET, "w") as sheet:
            namespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
            sheet.write(f'<worksheet xmlns="{namespace}"><sheetData><row><c t="inlineStr"><is><t>😀'.encode())
            for _ in range(145):
                sheet.write(b"a" * 1_000_000)
            sheet.write(b"</t></is></c></row></sheetData></worksheet>")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(RosterUnreadable, match="demasiado grande"):
        cells(file)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


def test_the_process_ends_with_whoever_reads(tmp_path: Path) -> None:
    def children() -> set[str]:
        return set(Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split())

    others = children()
    rows = workbook_rows(write_xlsx(tmp_path / "a.xlsx", [pupil(number) for number in range(5_000)]))
    assert next(rows)[0] == 1
    assert len(started := children() - others) == 1
    rows.close()
    assert not started & children()


def test_a_row_of_a_csv_that_never_ends_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("external_id,nombre\n1," + '"a\n",' * 30_000)
    with pytest.raises(RosterUnreadable, match="comillas"):
        cells(file)
