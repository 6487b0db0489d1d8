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


def told_part(number: int, whole: int) -> int | Untold:
    """Those who are not in the part are not told either where they are fewer than ten. The whole is twenty at least."""
    if number < FLOOR:
        return Untold.FEW
    return number if whole - number >= FLOOR else Untold.ALL_BUT_FEW


class GroupCounts(NamedTuple):
    """Of a group of people: how many they are, how many lack nothing, and how many lack what, each perhaps several."""

    people: int
    whole: int
    lacks: Mapping[str, int]

    def with_others(self, others: "GroupCounts") -> "GroupCounts":
        lacks = {name: number + others.lacks[name] for name, number in self.lacks.items()}
        return GroupCounts(self.people + others.people, self.whole + others.whole, lacks)


class ToldCounts(NamedTuple):
    whole: Told
    lacks: Mapping[str, Told]

    def tells_no_more_than(self, other: "ToldCounts") -> bool:
        """Whether each number that is told here is told there, too."""
        pairs = ((self.whole, other.whole), *((told, other.lacks[name]) for name, told in self.lacks.items()))
        return all(isinstance(there, int) or not isinstance(here, int) for here, there in pairs)


def told_counts(group: GroupCounts) -> ToldCounts:
    if group.people < 2 * FLOOR:
        return ToldCounts(None, dict.fromkeys(group.lacks))
    # A number that was not renewed may be above that of all people by now.
    lacks: dict[str, Told] = {
        name: told_part(number, group.people) if number <= group.people else None
        for name, number in group.lacks.items()
    }
    whole: Told = told_part(group.whole, group.people) if group.whole <= group.people else None
    # Who is not whole lacks something: more of them than are told lack what fewer than ten do.
    told = sum(number for number in lacks.values() if isinstance(number, int))
    if isinstance(whole, int) and group.people - whole > told and Untold.FEW in lacks.values():
        whole = None
    return ToldCounts(whole, lacks)


def counts_to_keep(seen: GroupCounts, unseen: GroupCounts) -> GroupCounts:
    """Whoever may see each person of the first group can subtract them. So the others are counted with them only if
    what is told of all could be told of these others alone."""
    both = seen.with_others(unseen)
    is_safe = unseen.people == 0 or told_counts(both).tells_no_more_than(told_counts(unseen))
    return both if is_safe else seen


def renewed(before: GroupCounts, now: GroupCounts, moved: int) -> GroupCounts:
    """What is kept of a count after another one. A number is renewed only if the difference could be told by itself: of
    those who joined, left or decided anew since then, or of all if nobody did, ten at least and not all but ten. Where
    none is, the count before stays whole."""
    if before.people < 2 * FLOOR:
        return now  # Nothing was told of it.

    def kept(old: int, new: int) -> int:
        return new if isinstance(told_part(abs(new - old), moved or now.people), int) else old

    lacks = {name: kept(before.lacks[name], number) for name, number in now.lacks.items()}
    found = GroupCounts(now.people, kept(before.whole, now.whole), lacks)
    return before if found._replace(people=before.people) == before else found
