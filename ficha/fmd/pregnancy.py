"""How far a pregnancy is, from the day on which the child is expected."""

from datetime import date

from ficha.fmd.responder.dates_and_amounts import date_text
from ficha.fmd.translations import LANGUAGE_INDEX, Translated

# A child is expected forty weeks after the last period.
WHOLE = 280
LAST_WEEK = 42


def pregnancy_text(due: date, today: date, weeks_word: Translated, due_word: Translated) -> Translated:
    """`29 semanas (parto hacia el 1 feb 2027)`; only the day where the weeks make no sense."""
    weeks = (WHOLE - (due - today).days) // 7
    days = [date_text(due.isoformat(), language) for language in LANGUAGE_INDEX]
    expected = [f"{word} {day}" for word, day in zip(due_word, days, strict=True)]
    if not 0 < weeks <= LAST_WEEK:
        return Translated(*expected)
    return Translated(*(f"{weeks} {word} ({day})" for word, day in zip(weeks_word, expected, strict=True)))
