"""Somebody who may look at each record of those who consent, remembers what it lacked, knows who came and went, and
compares all that is told of the others from week to week."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from ficha.statistics.protection import COUNTED, PROTECT
from ficha.statistics.protection_counter import CountedMember, Decisions, figures_of, group_changes
from ficha.statistics.small_counts import SMALLEST_COUNT, Figure, may_renew, publishable_counts

BEGAN = datetime(2026, 9, 1, tzinfo=UTC)
LACKS = st.sets(st.sampled_from(["contact", "sticker", "severity"]), max_size=2)


@dataclass(eq=False)
class Pupil:
    lacks: set[str]
    first: datetime
    first_seen: datetime | None = None
    last: datetime = BEGAN
    is_open: bool = False
    left_at: datetime | None = None

    def decide(self, at: datetime, *, sees: bool) -> None:
        self.last, self.is_open = at, sees
        if sees and self.first_seen is None:
            self.first_seen = at

    def has(self, name: str) -> bool:
        return not self.lacks if name == PROTECT else name in self.lacks


@dataclass
class School:
    """`told` by name: the figure, since when, and of whom it is."""

    pupils: list[Pupil] = field(default_factory=list)
    told: dict[str, tuple[Figure, datetime, list[Pupil]]] = field(default_factory=dict)

    def join(self, at: datetime, lacks: set[str], *, sees: bool) -> None:
        pupil = Pupil(lacks, at)
        pupil.decide(at, sees=sees)
        self.pupils.append(pupil)

    def count(self, now: datetime) -> None:
        here = [pupil for pupil in self.pupils if pupil.left_at is None]
        members = {
            pupil: CountedMember(pupil.is_open, Decisions(pupil.first, pupil.first_seen, pupil.last), pupil.lacks)
            for pupil in here
        }
        left = [pupil.left_at for pupil in self.pupils if pupil.left_at is not None]
        group = [pupil for pupil, member in members.items() if member.is_in[False]]
        for name, figure in figures_of(members[pupil] for pupil in group).items():
            if name in self.told:
                before, since, counted = self.told[name]
                changes = group_changes(members.values(), left, False, since)
                if not may_renew(before, figure, changes):
                    continue
                if before.people >= 2 * SMALLEST_COUNT:
                    new = [pupil for pupil in group if pupil not in counted]
                    lacking = sum(pupil.has(name) for pupil in new)
                    assert SMALLEST_COUNT <= lacking <= len(new) - SMALLEST_COUNT, "of those who came"
            self.told[name] = figure, now, group

    def attack(self) -> None:
        """What is left of each told number without those who have been seen at any time."""
        oldest = min(since for _, since, _ in self.told.values())
        known = sum(
            pupil.first <= oldest and pupil.first_seen is not None and pupil.first_seen > oldest
            for pupil in self.pupils
        )
        figures = {name: figure for name, (figure, _, _) in self.told.items()}
        told = publishable_counts(figures[PROTECT], {name: figures[name] for name in COUNTED}, known)
        for name, number in {**told.lacks, PROTECT: told.whole}.items():
            if not isinstance(number, int):
                continue
            _, _, counted = self.told[name]
            seen = [pupil for pupil in counted if pupil.first_seen is not None]
            left = number - sum(pupil.has(name) for pupil in seen)
            assert SMALLEST_COUNT <= left <= len(counted) - len(seen) - SMALLEST_COUNT, name
            told_numbers[name] = told_numbers.get(name, 0) + 1


told_numbers: dict[str, int] = {}
JOINING = st.lists(st.tuples(LACKS, st.booleans()), max_size=40)
PLACES = st.lists(st.integers(0, 200), max_size=8)
WEEKS = st.lists(st.tuples(JOINING, PLACES, PLACES, PLACES), max_size=6)


@given(st.lists(st.tuples(LACKS, st.booleans()), min_size=30, max_size=80), WEEKS)
def test_what_is_told_of_who_never_consented_is_of_ten_without_those_who_were_seen(
    first: list[tuple[set[str], bool]], weeks: list[tuple[list[tuple[set[str], bool]], list[int], list[int], list[int]]]
) -> None:
    school, now = School(), BEGAN
    for lacks, sees in first:
        school.join(now, lacks, sees=sees)
    now += timedelta(days=1)
    school.count(now)
    school.attack()
    for joining, opening, closing, leaving in weeks:
        now += timedelta(days=3)
        for lacks, sees in joining:
            school.join(now, lacks, sees=sees)
        for places, sees in ((opening, True), (closing, False)):
            for place in places:
                if place < len(school.pupils):
                    school.pupils[place].decide(now, sees=sees)
            school.attack()
        for place in leaving:
            if place < len(school.pupils):
                school.pupils[place].left_at = now
        now += timedelta(days=4)
        school.count(now)
        school.attack()


def test_the_attacker_was_told_something() -> None:
    """Of a school of sixty, half of whom lack a contact: else the attack above would prove nothing."""
    school = School()
    for number in range(60):
        school.join(BEGAN, {"contact"} if number % 2 else set(), sees=False)
    school.count(BEGAN)
    told_numbers.clear()
    school.attack()
    assert told_numbers == {"contact": 1, PROTECT: 1}
