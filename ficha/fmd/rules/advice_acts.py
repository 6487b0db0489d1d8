"""What a line of advice asks for, as data: acts that it demands or forbids, each under conditions, and when two acts
contradict each other."""

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple

from ficha.fmd.rules.rule_files import acts_table


class Act(NamedTuple):
    """`when` are conditions that all hold: none means always. What is for professionals only stands apart in the line;
    a professional reads everything, so acts for either reader may contradict each other."""

    act: str
    is_demand: bool
    when: frozenset[str]
    is_for_anybody: bool

    def __str__(self) -> str:
        kind = "demand" if self.is_demand else "forbid"
        reader = "" if self.is_for_anybody else " (professionals)"
        return f"{kind} {self.act}{reader}{' if ' + ' and '.join(sorted(self.when)) if self.when else ''}"


def act_from(row: Mapping[str, Any]) -> Act:
    return Act(row["act"], row["is"] == "demand", frozenset(row["when"]), row["reader"] == "anybody")


def contradictions(acts: Iterable[Act], others: Iterable[Act]) -> list[tuple[Act, Act]]:
    others = tuple(others)
    return [(one, other) for one in acts for other in others if contradict(one, other)]


@cache
def contradict(one: Act, other: Act) -> bool:
    """Whether one demands what the other forbids, or both demand what excludes each other, while all conditions of
    both can hold together; or both demand what every line must demand under the same conditions, and do not: whoever
    reads the narrower one would leave out what the other demands."""
    if one.is_demand and other.is_demand and one.act == other.act and one.act in acts_table()["same_everywhere"]:
        return one.when != other.when
    if not (one.is_demand or other.is_demand) or not _can_hold_together(one.when | other.when):
        return False
    if one.is_demand and other.is_demand:
        return any(
            frozenset((first, second)) in _excluding_acts()
            for first in implied(one.act)
            for second in implied(other.act)
        )
    demand, forbid = (one, other) if one.is_demand else (other, one)
    return forbid.act in implied(demand.act)


@cache
def implied(act: str) -> frozenset[str]:
    """The act itself and what cannot be left out of it: whoever gives CPR lays the person on the back."""
    further = acts_table()["implies"].get(act, ())
    return frozenset((act,)).union(*map(implied, further))


@cache
def _can_hold_together(conditions: frozenset[str]) -> bool:
    return not any(pair <= conditions for pair in _excluding_conditions())


@cache
def _excluding_acts() -> frozenset[frozenset[str]]:
    return _pairs(acts_table()["excluding_acts"])


@cache
def _excluding_conditions() -> frozenset[frozenset[str]]:
    return _pairs(acts_table()["excluding_conditions"])


def _pairs(groups: Iterable[Iterable[str]]) -> frozenset[frozenset[str]]:
    """Of each group, any two exclude each other."""
    return frozenset(frozenset(pair) for group in groups for pair in combinations(group, 2))
