"""Our store of counts does what the library's own does, and forgets what no longer counts."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter

from ficha.http.limit_windows import FEWEST, Limit, MemoryWindows
from ficha.http.limits import limit_in

SECOND = 1_000_000


@dataclass
class Moment:
    """A clock, in whole microseconds: the library's time and ours are the same number then."""

    microseconds: int = 1_794_744_000 * SECOND

    def now(self) -> datetime:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=self.microseconds)


@contextmanager
def moving_time() -> Iterator[Moment]:
    """The library asks the system's clock and no other."""
    moment = Moment()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "time", lambda: moment.microseconds / SECOND)
        yield moment


hits = st.lists(
    st.tuples(st.integers(0, 70 * SECOND), st.sampled_from(["ana", "eva"]), st.booleans()), min_size=1, max_size=60
)


@given(steps=hits, limit=st.sampled_from(["3/minute", "10/minute", "2/second", "5/hour", "4/15 minutes"]))
def test_every_hit_gets_the_answer_of_the_librarys_own_store(steps: list[tuple[int, str, bool]], limit: str) -> None:
    theirs, item = SlidingWindowCounterRateLimiter(MemoryStorage()), parse(limit)
    own_limit = Limit(item.amount, item.get_expiry())
    with moving_time() as moment:
        ours = MemoryWindows(moment)
        for microseconds, who, forgets in steps:
            moment.microseconds += microseconds
            counted = ours.hit(own_limit, "login", who)
            assert counted.allowed == theirs.hit(item, who)
            stats = theirs.get_window_stats(item, who)
            assert counted.remaining == stats.remaining
            assert abs(moment.now().timestamp() + counted.reset - stats.reset_time) < 1e-3
            if forgets:
                ours.forget(own_limit, "login", who)
                theirs.clear(item, who)


def test_the_same_person_is_counted_apart_for_each_limit() -> None:
    windows = MemoryWindows(Moment())
    assert windows.hit(Limit(1, 60), "login", "ana").allowed
    assert windows.hit(Limit(1, 60), "code", "ana").allowed
    assert not windows.hit(Limit(1, 60), "login", "ana").allowed


def test_counts_of_windows_that_are_over_are_forgotten() -> None:
    with moving_time() as moment:
        windows = MemoryWindows(moment)
        for number in range(FEWEST):
            windows.hit(Limit(5, 60), "login", f"old {number}")
        moment.microseconds += 121 * SECOND
        windows.hit(Limit(5, 60), "login", "new")
    assert len(windows) == 1


def test_counts_that_still_count_stay() -> None:
    many = range(FEWEST + 10)
    with moving_time() as moment:
        windows = MemoryWindows(moment)
        assert all(windows.hit(Limit(1, 3600), "login", f"{number}").allowed for number in many)
        moment.microseconds += 59 * SECOND
        assert not any(windows.hit(Limit(1, 3600), "login", f"{number}").allowed for number in many)


@pytest.mark.parametrize("text", ["5/minute", "10/15 minutes", "600/minute", "20/day", "6/hour", "3 / 2 seconds"])
def test_a_limit_is_read_as_the_library_reads_it(text: str) -> None:
    item = parse(text)
    assert limit_in(text) == Limit(item.amount, item.get_expiry())


@pytest.mark.parametrize("text", ["", "5", "0/minute", "5/", "5/week", "five/minute", "5/minute; 10/hour", "-1/minute"])
def test_what_is_no_limit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="5/minute"):
        limit_in(text)
