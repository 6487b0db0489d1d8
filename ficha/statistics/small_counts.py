"""What may be published of counts of people: none below ten, and nothing from which one below ten could be computed."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

SMALLEST_COUNT = 10


class PublishedCells(NamedTuple):
    """What is published of counts that have no person in common. None stands for fewer than ten. `rest` is of all
    cells that are not published, together; None where it would say more of one of them than that."""

    published: Mapping[str, int | None]
    rest: int | None


def publishable_cells(counts: Mapping[str, int]) -> PublishedCells:
    """The cells are the same whatever was counted, those of nobody too. While the rest is within these bounds, each
    withheld cell may be any number from none to nine, whatever is known of the others."""
    withheld = [number for number in counts.values() if number < SMALLEST_COUNT]
    rest = sum(withheld)
    published = {name: number if number >= SMALLEST_COUNT else None for name, number in counts.items()}
    is_published = SMALLEST_COUNT <= rest <= (SMALLEST_COUNT - 1) * (len(withheld) - 1)
    return PublishedCells(published, rest if is_published else None)


class Withheld(StrEnum):
    """Why a number is not published, of a part of people whose whole is known."""

    FEW = "few"
    ALL_BUT_FEW = "all_but_few"


# None: it would say more of some people than what is published of them.
Published = int | Withheld | None


class Figure(NamedTuple):
    """Of how many of these people something is true."""

    number: int
    people: int


def publishable_part(part: Figure, known: int = 0) -> Published:
    """Those who are not in the part are not published either where they are fewer than ten. So many of the people have
    become known one by one since: without them, whatever is true of each, it must hold still."""
    rest = part.people - part.number
    if part.people < 2 * SMALLEST_COUNT:
        return None
    if min(part.number, rest) >= SMALLEST_COUNT + known:
        return part.number
    # That they are few tells the more of the others, the more of them are known.
    return None if known else Withheld.FEW if part.number < SMALLEST_COUNT else Withheld.ALL_BUT_FEW


class PublishedCounts(NamedTuple):
    whole: Published
    lacks: Mapping[str, Published]


def publishable_counts(whole: Figure, lacks: Mapping[str, Figure], known: int = 0) -> PublishedCounts:
    """Of one group: how many lack nothing, and how many lack what, each perhaps several."""
    published = {name: publishable_part(figure, known) for name, figure in lacks.items()}
    # Who is not whole lacks something: more of them than are published lack what fewer than ten do.
    is_left = whole.people - whole.number > sum(number for number in published.values() if isinstance(number, int))
    hides_few = any(number is None or number is Withheld.FEW for number in published.values())
    published_whole = publishable_part(whole, known)
    if isinstance(published_whole, int) and hides_few and (is_left or known):
        published_whole = None
    return PublishedCounts(published_whole, published)


class GroupChanges(NamedTuple):
    """Since a figure was counted: how many are new in the group, and how many others came, left or decided anew."""

    new: int
    others: int


def may_renew(before: Figure, now: Figure, changes: GroupChanges) -> bool:
    """Whether the difference could be published by itself. It is either of those who are new, whatever the others
    are, or of those who stayed, whatever all that changed are: of ten at least, and not of all but ten."""
    if before.people < 2 * SMALLEST_COUNT:
        return True  # Nothing was published of it.
    difference = abs(now.number - before.number)

    def is_of(group: int, blurred: int) -> bool:
        return SMALLEST_COUNT + blurred <= difference <= group - SMALLEST_COUNT - blurred

    return is_of(changes.new, changes.others) or is_of(before.people - changes.others, sum(changes))
