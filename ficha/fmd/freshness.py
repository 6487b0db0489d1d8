"""How long ago a fact was confirmed, and whether it can still be trusted."""

from collections.abc import Mapping
from datetime import date, timedelta
from enum import StrEnum
from typing import NamedTuple

from ficha.fmd.base import Document
from ficha.fmd.values import first_day

GROWN_UP, SMALL_CHILD = timedelta(days=18 * 365.25), timedelta(days=2 * 365.25)
# How long a child's weight and height are hers, so that a dose may go by them; of a small child first.
SMALL_CHILD_SIZE, CHILD_SIZE = timedelta(days=31), timedelta(days=183)


class Level(StrEnum):
    GREEN = "green"
    AMBER = "amber"
    RED = "red"


class Freshness(NamedTuple):
    """`days` since the fact was confirmed; None if it never was."""

    level: Level
    days: int | None


def freshness(confirmado_en: object, fresh_days: int, today: date) -> Freshness:
    days = days_since(confirmado_en, today)
    return Freshness(level_after(days, fresh_days), days)


def days_since(confirmado_en: object, today: date) -> int | None:
    confirmed = first_day(confirmado_en) if isinstance(confirmado_en, str) else None
    return None if confirmed is None else max(0, (today - confirmed).days)


def level_after(days: int | None, fresh_days: int) -> Level:
    """Green up to `About.fresh_days` of its model, amber up to twice that, red beyond and when unknown."""
    if days is None or days > 2 * fresh_days:
        return Level.RED
    return Level.GREEN if days <= fresh_days else Level.AMBER


def is_current_size(measured: date, born: date | None, today: date) -> bool:
    """Whether a weight or height of that day is still that of the person: of a child not for long, and whoever has no
    date of birth may be one."""
    if born is not None and measured - born >= GROWN_UP:
        return True
    is_small = born is not None and measured - born < SMALL_CHILD
    return today - measured <= (SMALL_CHILD_SIZE if is_small else CHILD_SIZE)


def confirmed(document: Document, today: date, fuente: str) -> Document:
    """Every fact of the section is still true: one tap, and from then on it is the word of who tapped."""
    told = {"confirmado_en": today.isoformat(), "fuente": fuente}
    return {
        name: [{**item, **told} if "id" in item else item for item in value]
        if isinstance(value, list) and all(isinstance(item, Mapping) for item in value)
        else value
        for name, value in document.items()
    }
