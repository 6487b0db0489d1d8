"""The counts of one process read like those that the library adds up for several."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, generate_latest

from ficha.asgi.request_counts import BUCKETS, RequestCounts, SharedRequestCounts

SECONDS = st.sampled_from(BUCKETS) | st.floats(0, 20)
ANSWERS = st.tuples(
    st.sampled_from(["GET", "POST"]),
    st.sampled_from(["/v2/auth/me", "/e/{code}"]),
    st.sampled_from([200, 404, 503]),
    SECONDS,
)


def values_of(registry: CollectorRegistry) -> dict[str, float]:
    """Without the moment at which each began, which only the library's own counters tell."""
    lines = (line.rsplit(" ", 1) for line in generate_latest(registry).decode().splitlines() if line[0] != "#")
    return {name: float(value) for name, value in lines if "_created" not in name}


@given(st.lists(ANSWERS))
def test_both_say_the_same(answers: list[tuple[str, str, int, float]]) -> None:
    own, shared = CollectorRegistry(), CollectorRegistry()
    counts, shared_counts = RequestCounts(own), SharedRequestCounts(shared)
    for answer in answers:
        counts.add(*answer)
        shared_counts.add(*answer)
    assert values_of(own) == pytest.approx(values_of(shared))  # Seconds are added up in another order.
