"""Why a row of a roster is refused, in words: which column, what is wrong with it, and how it is written."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ficha.core.errors import FichaError
from ficha.fmd.faults import InvalidDocument, pointer
from ficha.fmd.translations import Translated
from ficha.institutions.roster_columns import column_at
from ficha.institutions.roster_words import WORDS

MOST_REASONS = 20
MISSING = "Este campo es obligatorio."
REPEATS = Translated("Repite el de la fila {row}.", "It repeats that of row {row}.", "Repete o da linha {row}.")
OF_COLUMN = Translated("Columna «{title}»: {detail}", "Column “{title}”: {detail}", "Coluna «{title}»: {detail}")
WRITTEN = Translated("{detail} Dice «{cell}».", "{detail} It says “{cell}”.", "{detail} Está escrito «{cell}».")


class RowReason(NamedTuple):
    """`column` is empty where it is about the row as a whole. `detail` is Spanish, like that of every error."""

    column: str
    detail: str
    # What stands in the cell, and the number of the row that says the same.
    cell: str = ""
    first_row: int = 0

    def in_words(self, language: str = "es", detail: str = "") -> str:
        """`detail` is what it says in this language, where that is not Spanish."""
        said, words = detail or self.detail, WORDS.get(self.column)
        if self.first_row:
            said = REPEATS.in_language(language).format(row=self.first_row)
        elif self.cell:
            said = WRITTEN.in_language(language).format(detail=said, cell=self.cell)
        if words is None:
            return said
        how = f" {words.how.in_language(language)}" if words.how and not self.first_row else ""
        return OF_COLUMN.in_language(language).format(title=words.title.in_language(language), detail=said) + how


class RowRefused(Exception):
    def __init__(self, reason: RowReason) -> None:
        super().__init__(reason.in_words())
        self.reason = reason


def reasons_for(error: Exception) -> tuple[RowReason, ...]:
    """One for each field that is wrong."""
    if isinstance(error, InvalidDocument):
        return tuple(_of_fault(fault) for fault in error.faults[:MOST_REASONS])
    if isinstance(error, RowRefused):
        return (error.reason,)
    if isinstance(error, FichaError):
        return tuple(
            RowReason(column_at(problem.source.name) if problem.source else "", problem.detail)
            for problem in error.problems[:MOST_REASONS]
        )
    return (RowReason("", str(error)),)


def _of_fault(fault: Mapping[str, Any]) -> RowReason:
    [problem] = InvalidDocument([fault]).problems
    return RowReason(column_at(pointer(fault["loc"])), MISSING if fault["type"] == "missing" else problem.detail)
