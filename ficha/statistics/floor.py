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


# None: it would say more of some people than what is told of them.
Told = int | Untold | None


class Figure(NamedTuple):
    """Of how many of these people something is true."""

    number: int
    people: int


def told_part(part: Figure, known: int = 0) -> Told:
    """Those who are not in the part are not told either where they are fewer than ten. So many of the people have
    become known one by one since: without them, whatever is true of each, it must hold still."""
    rest = part.people - part.number
    if part.people < 2 * FLOOR:
        return None
    if min(part.number, rest) >= FLOOR + known:
        return part.number
    # That they are few tells the more of the others, the more of them are known.
    return None if known else Untold.FEW if part.number < FLOOR else Untold.ALL_BUT_FEW


class ToldCounts(NamedTuple):
    whole: Told
    lacks: Mapping[str, Told]


def told_counts(whole: Figure, lacks: Mapping[str, Figure], known: int = 0) -> ToldCounts:
    """Of one group: how many lack nothing, and how many lack what, each perhaps several."""
    told = {name: told_part(figure, known) for name, figure in lacks.items()}
    # Who is not whole lacks something: more of them than are told lack what fewer than ten do.
    is_left = whole.people - whole.number > sum(number for number in told.values() if isinstance(number, int))
    hides_few = any(number is None or number is Untold.FEW for number in told.values())
    told_whole = told_part(whole, known)
    if isinstance(told_whole, int) and hides_few and (is_left or known):
        told_whole = None
    return ToldCounts(told_whole, told)


class Movers(NamedTuple):
    """Since a figure was counted: how many are new in the group, and how many others came, left or decided anew."""

    new: int
    others: int


def may_renew(before: Figure, now: Figure, movers: Movers) -> bool:
    """Whether the difference could be told by itself. It is either of those who are new, whatever the other movers
    are, or of those who stayed, whatever all movers are: of ten at least, and not of all but ten."""
    if before.people < 2 * FLOOR:
        return True  # Nothing was told of it.
    difference = abs(now.number - before.number)

    def is_of(group: int, blurred: int) -> bool:
        return FLOOR + blurred <= difference <= group - FLOOR - blurred

    return is_of(movers.new, movers.others) or is_of(before.people - movers.others, sum(movers))
