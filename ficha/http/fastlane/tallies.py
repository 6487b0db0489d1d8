"""What is counted and logged of each answer."""

from prometheus_client import Counter, Histogram

from ficha.core.log import log
from ficha.core.settings import Settings
from ficha.http.fastlane.paths import Read
from ficha.http.metrics import Metrics

# Expired tokens and unknown codes are everyday answers too.
EVERYDAY = frozenset({200, 304, 401, 404})


class Tallies:
    def __init__(self, metrics: Metrics, settings: Settings) -> None:
        self._metrics = metrics
        self._prefix = settings.v2
        self._logs_all = settings.log_level == "debug"
        # Looking up a label takes longer than counting, so it is done once for each.
        self._seconds: dict[tuple[str, Read], Histogram] = {}
        self._requests: dict[tuple[str, Read, int], Counter] = {}

    def answered(self, method: str, read: Read, status: int, seconds: float, request_id: bytes) -> None:
        histogram = self._seconds.get((method, read))
        if histogram is None:
            histogram = self._seconds[method, read] = self._metrics.seconds.labels(method, self._route(read))
        counter = self._requests.get((method, read, status))
        if counter is None:
            counter = self._requests[method, read, status] = self._metrics.requests.labels(
                method, self._route(read), status
            )
        histogram.observe(seconds)
        counter.inc()
        # A line for each read would cost more than the read, and who saw what is in the record's own log;
        # what went wrong is worth a line.
        if status not in EVERYDAY or self._logs_all:
            log().info(
                "request",
                method=method,
                route=self._route(read),
                status=status,
                ms=round(seconds * 1000, 1),
                request_id=request_id.decode(),
            )

    def _route(self, read: Read) -> str:
        return f"{self._prefix}{read}"
