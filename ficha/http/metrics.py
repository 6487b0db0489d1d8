"""Counters for Prometheus. Labels hold a route's path, never the request's, so no code or id becomes a label."""

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from ficha.asgi.request_counts import RequestCounts, SharedRequestCounts


class Metrics:
    """`shared_folder` is where several server processes write their numbers, to be added up."""

    def __init__(self, shared_folder: str | None = None) -> None:
        self._shared = shared_folder
        self.registry = CollectorRegistry()
        requests = RequestCounts(self.registry) if shared_folder is None else SharedRequestCounts(self.registry)
        # Called with the method, the route, the status and the seconds that it took.
        self.count_request = requests.add
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
        self.unreadable = Counter(
            "ficha_unreadable_events_total",
            "Signed events of a platform that we could not read.",
            ["platform"],
            registry=self.registry,
        )

    def count_job(self, kind: str, outcome: str) -> None:
        self.jobs.labels(kind, outcome).inc()

    def count_guessing(self, kind: str) -> None:
        self.guesses.labels(kind).inc()

    def count_unreadable(self, platform: str) -> None:
        self.unreadable.labels(platform).inc()

    def text(self) -> bytes:
        if self._shared is None:
            return generate_latest(self.registry)
        registry = CollectorRegistry()
        MultiProcessCollector(registry, path=self._shared)  # type: ignore[no-untyped-call]
        return generate_latest(registry)
