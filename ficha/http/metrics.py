"""Counters for Prometheus. Labels hold a route's path, never the request's, so no code or id becomes a label."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)


class Metrics:
    """`shared_folder` is where several server processes write their numbers, to be added up."""

    def __init__(self, shared_folder: str | None = None) -> None:
        self._shared = shared_folder
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "ficha_requests_total", "Answers given.", ["method", "route", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "ficha_request_seconds", "Time to answer.", ["method", "route"], buckets=BUCKETS, registry=self.registry
        )
        self.jobs = Counter("ficha_jobs_total", "Jobs run.", ["kind", "outcome"], registry=self.registry)
        self.waiting = Gauge(
            "ficha_jobs_waiting", "Jobs put aside.", ["kind"], registry=self.registry, multiprocess_mode="mostrecent"
        )
        self.alarms = Gauge(
            "ficha_alarm",
            "1 while something should worry whoever runs the service.",
            ["alarm"],
            registry=self.registry,
            multiprocess_mode="mostrecent",
        )
        self.quality = Gauge(
            "ficha_whatsapp_number_flagged",
            "1 while the platform has flagged our number; its limit is a label.",
            ["number", "limit"],
            registry=self.registry,
            multiprocess_mode="mostrecent",
        )
        self.guesses = Counter(
            "ficha_guessing_alarms_total", "Alarms about somebody who guesses codes.", ["kind"], registry=self.registry
        )

        # Looking up labels takes longer than counting, so it is done once for each.
        self._counts: dict[tuple[str, str, int], tuple[Callable[[], None], Callable[[float], None]]] = {}

    def count_request(self, method: str, route: str, status: int, seconds: float) -> None:
        counts = self._counts.get((method, route, status))
        if counts is None:
            counts = self.requests.labels(method, route, status).inc, self.seconds.labels(method, route).observe
            self._counts[method, route, status] = counts
        count, observe = counts
        count()
        observe(seconds)

    def count_job(self, kind: str, outcome: str) -> None:
        self.jobs.labels(kind, outcome).inc()

    def count_guessing(self, kind: str) -> None:
        self.guesses.labels(kind).inc()

    def text(self) -> bytes:
        if self._shared is None:
            return generate_latest(self.registry)
        registry = CollectorRegistry()
        MultiProcessCollector(registry, path=self._shared)  # type: ignore[no-untyped-call]
        return generate_latest(registry)
