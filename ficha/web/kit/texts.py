"""The texts of the pages, from the tables of `ficha/web/texts/`: a file for each folder of pages, a row for a phrase.

A row names the pages that say it, its key, and its words in each language; `note` is for who translates. A file with a
mistake is refused when it is read, which is when the service starts."""

import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

FOLDER = Path(__file__).parents[1] / "texts"
COLUMNS = ["pages", "key", *Translated._fields, "note"]


class TextsFaulty(Exception):
    """A file of texts cannot be used as it is: its name, the line, and why."""


def page_texts(folder: str, page: str) -> Phrases:
    """Those of one page: `page_texts("portal", "login")` has the rows of `portal.csv` whose pages name `login`."""
    return texts_of_file(FOLDER / f"{folder}.csv")[page]


@cache
def texts_of_file(file: Path) -> Mapping[str, Phrases]:
    """By page. Raises TextsFaulty."""
    found: defaultdict[str, dict[str, Translated]] = defaultdict(dict)
    for line, (pages, key, *words, _note) in _rows(file):
        phrase = Translated(*words)
        for page in pages.split():
            if key in found[page]:
                raise TextsFaulty(f"{file.name}, line {line}: the page {page} has the key {key} twice")
            found[page][key] = phrase
    return dict(found)


def _rows(file: Path) -> Iterator[tuple[int, list[str]]]:
    # Spreadsheets put a mark before the first letter of what they save as UTF-8.
    with file.open(encoding="utf-8-sig", newline="") as opened:
        rows = csv.reader(opened, strict=True)
        if next(rows, None) != COLUMNS:
            raise TextsFaulty(f"{file.name}, line 1: must be {','.join(COLUMNS)}")
        for cells in rows:
            if len(cells) != len(COLUMNS):
                raise TextsFaulty(f"{file.name}, line {rows.line_num}: {len(cells)} cells, not {len(COLUMNS)}")
            if not all(cell.strip() for cell in cells[:-1]):
                raise TextsFaulty(f"{file.name}, line {rows.line_num}: an empty cell; only the note may be empty")
            yield rows.line_num, cells
