"""What is counted and logged of each answer."""

from ficha.core.log import log
from ficha.core.settings import Settings
from ficha.http.metrics import Metrics

# Expired tokens and unknown codes are everyday answers too.
EVERYDAY = frozenset({200, 304, 401, 404})


class RequestMetrics:
    """A route is written with its parameters' names: a path may carry a code."""

    def __init__(self, metrics: Metrics, settings: Settings) -> None:
        self._metrics = metrics
        self._logs_all = settings.log_level == "debug"

    def answered(self, method: str, route: str, status: int, seconds: float, request_id: bytes) -> None:
        self._metrics.count_request(method, route, status, seconds)
        # A line for each read would cost more than the read, and who saw what is in the record's own log;
        # what went wrong is worth a line.
        if status not in EVERYDAY or self._logs_all:
            log().info(
                "request",
                method=method,
                route=route,
                status=status,
                ms=round(seconds * 1000, 1),
                request_id=request_id.decode(),
            )
