"""What may be told of counts of people: none below ten, and nothing from which one below ten could be computed."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

FLOOR = 10


class Cells(NamedTuple):
    """What is published of counts that have no person in common. None stands for fewer than ten. `rest` is of all
    cells that are not told, together; None where it would say more of one of them than that."""

    told: Mapping[str, int | None]
    rest: int | None


def told_cells(counts: Mapping[str, int]) -> Cells:
    """The cells are the same whatever was counted, those of nobody too. While the rest is within these bounds, each
    untold cell may be any number from none to nine, whatever is known of the others."""
    untold = [number for number in counts.values() if number < FLOOR]
    rest = sum(untold)
    told = {name: number if number >= FLOOR else None for name, number in counts.items()}
    return Cells(told, rest if FLOOR <= rest <= (FLOOR - 1) * (len(untold) - 1) else None)


class Untold(StrEnum):
    """Why a number is not told, of a part of people whose whole is known."""

    FEW = "few"
    ALL_BUT_FEW = "all_but_few"


def told_part(number: int, whole: int) -> int | Untold:
    """Those who are not in the part are not told either where they are fewer than ten. The whole is twenty at least."""
    if number < FLOOR:
        return Untold.FEW
    return number if whole - number >= FLOOR else Untold.ALL_BUT_FEW
