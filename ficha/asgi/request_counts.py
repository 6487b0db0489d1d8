"""How many answers were given and how long they took, counted on the event loop.

The library's own counters lock, and walk through their buckets: ten microseconds beside an answer of the fast lane that
takes a hundred and fifty. Where several processes add up their numbers, they are the library's, which does that.
"""

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)
# An upper bound belongs to its bucket; the last one has none.
BOUNDS = [*map(str, map(float, BUCKETS)), "+Inf"]

ANSWERS = ("ficha_requests_total", "Answers given.", ["method", "route", "status"])
# Without labels, so that it is there before the first one.
ERRORS = ("ficha_server_errors_total", "Answers that were an error of ours: 5xx, or none at all.")
SECONDS = ("ficha_request_seconds", "Time to answer.", ["method", "route"])


def is_error(status: int) -> bool:
    return status >= 500 or status == 0


class Count:
    __slots__ = ("by_bucket", "seconds")

    def __init__(self) -> None:
        self.by_bucket = [0] * len(BOUNDS)
        self.seconds = 0.0


class RequestCounts(Collector):
    """Those of this process alone."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._counts: dict[tuple[str, str, int], Count] = {}
        registry.register(self)

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        count = self._counts.get((method, route, status))
        if count is None:
            count = self._counts[method, route, status] = Count()
        count.by_bucket[bisect_left(BUCKETS, seconds)] += 1
        count.seconds += seconds

    def collect(self) -> Iterator[Metric]:
        answers, durations = (
            CounterMetricFamily(*ANSWERS[:2], labels=ANSWERS[2]),
            HistogramMetricFamily(*SECONDS[:2], labels=SECONDS[2]),
        )
        by_route: dict[tuple[str, str], Count] = {}
        failed = 0
        for (method, route, status), count in list(self._counts.items()):
            answers.add_metric([method, route, str(status)], sum(count.by_bucket))
            failed += sum(count.by_bucket) if is_error(status) else 0
            both = by_route.setdefault((method, route), Count())
            both.by_bucket = [sum(pair) for pair in zip(both.by_bucket, count.by_bucket, strict=True)]
            both.seconds += count.seconds
        for labels, count in by_route.items():
            up_to = zip(BOUNDS, accumulate(count.by_bucket), strict=True)
            durations.add_metric(labels, list(up_to), count.seconds)
        yield answers
        yield CounterMetricFamily(*ERRORS, value=failed)
        yield durations


class SharedRequestCounts:
    """Those that the library adds up with other processes'. Looking up labels takes longer than counting, so it is done
    once for each."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._answers = Counter(*ANSWERS, registry=registry)
        self._seconds = Histogram(*SECONDS, buckets=BUCKETS, registry=registry)
        self._errors = Counter(*ERRORS, registry=registry)
        self._counters: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        found = self._counters.get((method, route, status))
        if found is None:
            found = self._answers.labels(method, route, status), self._seconds.labels(method, route)
            self._counters[method, route, status] = found
        answers, durations = found
        answers.inc()
        durations.observe(seconds)
        if is_error(status):
            self._errors.inc()
