"""Counters for Prometheus. Labels hold a route's path, never the request's, so no code or id becomes a label."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, ProcessCollector, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector
from sqlalchemy import QueuePool

from ficha.asgi.request_counts import RequestCounts, SharedRequestCounts
from ficha.core.counters import ProcessCounters
from ficha.core.db import Database
from ficha.jobs.executor import JobOutcome
from ficha.products.decoys import GuessingAlarm

# Of the process, where several add up their numbers: then they are shown for each, with its id.
PROCESS_GAUGES = ("process_resident_memory_bytes", "process_cpu_seconds_total", "process_open_fds")


class Metrics:
    """`shared_folder` is where several server processes write their numbers, to be added up. `service` tells what is
    the same whichever process is asked."""

    def __init__(self, shared_folder: str | None = None, service: Collector | None = None) -> None:
        self._shared, self._service = shared_folder, service
        self.registry = CollectorRegistry()
        requests = RequestCounts(self.registry) if shared_folder is None else SharedRequestCounts(self.registry)
        # Called with the method, the route, the status and the seconds that it took.
        self.count_request = requests.add
        self.jobs = Counter("ficha_jobs_total", "Jobs run.", ["kind", "outcome"], registry=self.registry)
        self.alarms = Gauge(
            "ficha_alarm",
            "1 while something should worry whoever runs the service.",
            ["alarm"],
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
        for kind in GuessingAlarm:
            self.guesses.labels(kind)
        self.unreadable.labels("chatwoot")
        self.connections = Gauge(
            "ficha_pool_connections",
            "Connections to the database.",
            ["pool", "state"],
            registry=self.registry,
            multiprocess_mode="liveall",
        )
        if shared_folder is None:
            self.registry.register(ProcessCounters())
            ProcessCollector(registry=self.registry)
            if service is not None:
                self.registry.register(service)
        self._process = {
            name: Gauge(name, f"{name} of each process.", registry=self.registry, multiprocess_mode="liveall")
            for name in (PROCESS_GAUGES if shared_folder is not None else ())
        }

    def expect_jobs(self, kinds: Iterable[str]) -> None:
        """Their series are there before the first of them ends."""
        for kind in kinds:
            for outcome in JobOutcome:
                self.jobs.labels(kind, outcome)

    def count_job(self, kind: str, outcome: str) -> None:
        self.jobs.labels(kind, outcome).inc()

    def count_guessing(self, kind: str) -> None:
        self.guesses.labels(kind).inc()

    def count_unreadable(self, platform: str) -> None:
        self.unreadable.labels(platform).inc()

    def look_at_process(self, database: Database) -> None:
        """Its memory, CPU, files and connections at this moment."""
        for name, engine in (("ordinary", database.engine), ("reserved", database.reserved_engine)):
            if isinstance(engine.pool, QueuePool):
                self.connections.labels(name, "in_use").set(engine.pool.checkedout())
                self.connections.labels(name, "idle").set(engine.pool.checkedin())
        if self._process:
            for family in ProcessCollector(registry=None).collect():
                for sample in family.samples:
                    if sample.name in self._process:
                        self._process[sample.name].set(sample.value)

    def text(self) -> bytes:
        if self._shared is None:
            return generate_latest(self.registry)
        _forget_dead(Path(self._shared))
        registry = CollectorRegistry()
        MultiProcessCollector(registry, path=self._shared)  # type: ignore[no-untyped-call]
        if self._service is not None:
            registry.register(self._service)
        return generate_latest(registry)


def _forget_dead(folder: Path) -> None:
    """The gauges of server processes that ended."""
    for pid in {file.stem.rpartition("_")[2] for file in folder.glob("gauge_live*.db")}:
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            with suppress(OSError):  # Another process was quicker.
                mark_process_dead(int(pid), str(folder))  # type: ignore[no-untyped-call]
