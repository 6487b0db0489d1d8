"""What may be told of counts of people, against somebody who knows the rule and takes all that is told."""

from hypothesis import given
from hypothesis import strategies as st

from ficha.statistics.small_counts import (
    SMALLEST_COUNT,
    Figure,
    GroupChanges,
    PublishedCells,
    Withheld,
    may_renew,
    publishable_cells,
    publishable_part,
)

SMALL = st.integers(0, 12)
COUNTS = st.lists(st.one_of(SMALL, SMALL, st.integers(0, 500)), min_size=1, max_size=26)


def cells_of(numbers: list[int]) -> PublishedCells:
    return publishable_cells({f"r{place}": number for place, number in enumerate(numbers)})


@given(COUNTS)
def test_nothing_below_ten_is_told_alone_or_as_a_rest(numbers: list[int]) -> None:
    cells = cells_of(numbers)
    told = [number for number in [*cells.published.values(), cells.rest] if number is not None]
    assert all(number >= SMALLEST_COUNT for number in told)
    published = [number for number in cells.published.values() if number is not None]
    assert published == [n for n in numbers if n >= SMALLEST_COUNT]
    withheld = [number for number in numbers if number < SMALLEST_COUNT]
    assert cells.rest in (None, sum(withheld))
    # Whoever does not know the rule can bound no withheld cell below ten: all of the rest might be in it.
    assert cells.rest is None or (len(withheld) > 1 and cells.rest >= SMALLEST_COUNT)


@given(COUNTS)
def test_every_untold_cell_may_be_anything_from_none_to_nine_for_who_knows_the_rule(numbers: list[int]) -> None:
    """For each cell and each number there are counts of which the very same is told."""
    cells = cells_of(numbers)
    withheld = [place for place, number in enumerate(numbers) if number < SMALLEST_COUNT]
    for place in withheld:
        for possible in range(SMALLEST_COUNT):
            others = dict.fromkeys((each for each in withheld if each != place), 0)
            left = 0 if cells.rest is None else cells.rest - possible
            for each in others:
                others[each] = min(left, SMALLEST_COUNT - 1)
                left -= others[each]
            assert left == 0, (numbers, place, possible)
            alternative = [{**others, place: possible}.get(each, number) for each, number in enumerate(numbers)]
            assert cells_of(alternative) == cells


@given(st.integers(2 * SMALLEST_COUNT, 300), st.data())
def test_of_a_part_neither_side_is_told_below_ten(people: int, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, people))
    told = publishable_part(Figure(number, people))
    if isinstance(told, Withheld):
        # The ten numbers that it may be are all of those for which the same is told.
        assert len([n for n in range(people + 1) if publishable_part(Figure(n, people)) is told]) == SMALLEST_COUNT
    else:
        assert told == number and min(number, people - number) >= SMALLEST_COUNT


@given(st.integers(0, 120), st.integers(0, 30), st.data())
def test_who_knows_some_of_them_cannot_bound_the_others_below_ten(people: int, known: int, data: st.DataObject) -> None:
    """So many of the people open their record later. For every number of them that may lack it, what is left of the
    told number is ten at least and not all but ten; of an withheld number it may be any of ten, where there are ten."""
    number = data.draw(st.integers(0, people))
    known = min(known, people)
    told = publishable_part(Figure(number, people), known)
    lacking_of_known = data.draw(st.integers(max(0, known - (people - number)), min(known, number)))
    same = [n for n in range(people + 1) if publishable_part(Figure(n, people), known) == told]
    left = {n - lacking_of_known for n in same if 0 <= n - lacking_of_known <= people - known}
    if isinstance(told, int):
        assert left == {number - lacking_of_known}
        assert SMALLEST_COUNT <= number - lacking_of_known <= people - known - SMALLEST_COUNT
    else:
        assert len(left) >= min(SMALLEST_COUNT, people - known + 1)


@given(st.integers(0, 80), st.integers(0, 40), st.integers(0, 20), st.data())
def test_who_compares_two_counts_learns_of_no_group_below_ten(
    people: int, new: int, others: int, data: st.DataObject
) -> None:
    """Nothing in the records changed, and it is known who came and went, and of all who are not new what they lack."""
    before = Figure(data.draw(st.integers(0, people)), people)
    changed_by_others = data.draw(st.integers(-others, others))
    lacking_new = data.draw(st.integers(0, new))
    now = Figure(before.number + changed_by_others + lacking_new, people + new)
    if people >= 2 * SMALLEST_COUNT and may_renew(before, now, GroupChanges(new, others)):
        assert SMALLEST_COUNT <= lacking_new <= new - SMALLEST_COUNT
