"""What may be told of counts of people, against somebody who knows the rule and takes all that is told."""

from hypothesis import given
from hypothesis import strategies as st

from ficha.statistics.floor import (
    FLOOR,
    Cells,
    GroupCounts,
    Untold,
    counts_to_keep,
    told_cells,
    told_counts,
    told_part,
)

SMALL = st.integers(0, 12)
COUNTS = st.lists(st.one_of(SMALL, SMALL, st.integers(0, 500)), min_size=1, max_size=26)


def cells_of(numbers: list[int]) -> Cells:
    return told_cells({f"r{place}": number for place, number in enumerate(numbers)})


@given(COUNTS)
def test_nothing_below_ten_is_told_alone_or_as_a_rest(numbers: list[int]) -> None:
    cells = cells_of(numbers)
    told = [number for number in [*cells.told.values(), cells.rest] if number is not None]
    assert all(number >= FLOOR for number in told)
    assert [number for number in cells.told.values() if number is not None] == [n for n in numbers if n >= FLOOR]
    untold = [number for number in numbers if number < FLOOR]
    assert cells.rest in (None, sum(untold))
    # Whoever does not know the rule can bound no untold cell below ten: all of the rest might be in it.
    assert cells.rest is None or (len(untold) > 1 and cells.rest >= FLOOR)


@given(COUNTS)
def test_every_untold_cell_may_be_anything_from_none_to_nine_for_who_knows_the_rule(numbers: list[int]) -> None:
    """For each cell and each number there are counts of which the very same is told."""
    cells = cells_of(numbers)
    untold = [place for place, number in enumerate(numbers) if number < FLOOR]
    for place in untold:
        for possible in range(FLOOR):
            others = dict.fromkeys((each for each in untold if each != place), 0)
            left = 0 if cells.rest is None else cells.rest - possible
            for each in others:
                others[each] = min(left, FLOOR - 1)
                left -= others[each]
            assert left == 0, (numbers, place, possible)
            alternative = [{**others, place: possible}.get(each, number) for each, number in enumerate(numbers)]
            assert cells_of(alternative) == cells


@given(st.integers(2 * FLOOR, 300), st.data())
def test_of_a_part_neither_side_is_told_below_ten(whole: int, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, whole))
    told = told_part(number, whole)
    if isinstance(told, Untold):
        # The ten numbers that it may be are all of those for which the same is told.
        assert len([n for n in range(whole + 1) if told_part(n, whole) is told]) == FLOOR
    else:
        assert told == number and min(number, whole - number) >= FLOOR


NAMES = ("name", "contact", "sticker", "severity")


@st.composite
def groups(draw: st.DrawFn, most: int = 80) -> GroupCounts:
    people = [draw(st.sets(st.sampled_from(NAMES), max_size=2)) for _ in range(draw(st.integers(0, most)))]
    lacks = {name: sum(name in one for one in people) for name in NAMES}
    return GroupCounts(len(people), sum(not one for one in people), lacks)


@given(groups(), groups())
def test_whoever_knows_one_group_learns_of_the_other_nothing_below_ten(seen: GroupCounts, unseen: GroupCounts) -> None:
    """Somebody who may look at each of the first group subtracts them from what is told of all."""
    kept = counts_to_keep(seen, unseen)
    if kept == seen:
        return  # Nothing of the others is in it.
    told = told_counts(kept)
    numbers = {"whole": told.whole, **told.lacks}
    known, others = {"whole": seen.whole, **seen.lacks}, {"whole": unseen.whole, **unseen.lacks}
    for name, number in numbers.items():
        if isinstance(number, int):
            left = number - known[name]
            assert left == others[name] and min(left, unseen.people - left) >= FLOOR


def test_others_are_counted_with_them_where_nothing_can_be_subtracted() -> None:
    seen = GroupCounts(40, 20, {"contact": 15, "sticker": 5})
    assert counts_to_keep(seen, GroupCounts(30, 18, {"contact": 12, "sticker": 0})).people == 70
    for few in ({"contact": 9, "sticker": 3}, {"contact": 22, "sticker": 0}):
        assert counts_to_keep(seen, GroupCounts(30, 18, few)) == seen
    assert counts_to_keep(seen, GroupCounts(19, 9, {"contact": 10, "sticker": 0})) == seen
