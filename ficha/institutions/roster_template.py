"""The template of a roster, which an office fills in: the columns that are read, with an example row below."""

import csv
from io import BytesIO, StringIO
from typing import Any

from ficha.fmd.translations import Translated
from ficha.institutions.roster_columns import COLUMNS
from ficha.institutions.roster_words import WORDS

SHEETS = (Translated("Nómina", "Roster", "Lista"), Translated("Columnas", "Columns", "Colunas"))
HEADS = (
    Translated("Columna", "Column", "Coluna"),
    Translated("Qué es", "What it is", "O que é"),
    Translated("Cómo se escribe", "How it is written", "Como se escreve"),
    Translated("Ejemplo", "Example", "Exemplo"),
)
# In letters, about what most columns hold.
WIDTH = 22


def example_row() -> list[str]:
    return [WORDS[column].example for column in COLUMNS]


def csv_template() -> bytes:
    """With the mark by which spreadsheets know UTF-8."""
    text = StringIO()
    csv.writer(text).writerows([list(COLUMNS), example_row()])
    return text.getvalue().encode("utf-8-sig")


def xlsx_template(language: str) -> bytes:
    """Two sheets: the roster, whose cells are text, so that no spreadsheet makes a number of a document or moves a
    date; and what each column means, which is not read."""
    from openpyxl import Workbook  # noqa: PLC0415  Takes a tenth of a second, and few ask for it.
    from openpyxl.styles import Font  # noqa: PLC0415
    from openpyxl.utils import get_column_letter  # noqa: PLC0415

    book: Any = Workbook()
    roster, explained = book.active, book.create_sheet(SHEETS[1].in_language(language))
    roster.title = SHEETS[0].in_language(language)
    roster.append(list(COLUMNS))
    roster.append(example_row())
    roster.freeze_panes = "A2"
    for number in range(1, len(COLUMNS) + 1):
        letter = get_column_letter(number)
        roster.column_dimensions[letter].width = WIDTH
        roster.column_dimensions[letter].number_format = "@"
        roster.cell(1, number).font = Font(bold=True)
        roster.cell(2, number).number_format = "@"
    explained.append([head.in_language(language) for head in HEADS])
    for column, words in WORDS.items():
        how = words.how.in_language(language) if words.how else ""
        explained.append([column, words.title.in_language(language), how, words.example])
    for letter in "ABCD":
        explained.column_dimensions[letter].width = 2 * WIDTH
    content = BytesIO()
    book.save(content)
    return content.getvalue()
