"""What the database says of the whole service, asked when the metrics are read: the queue, alerts, workers, numbers."""

from collections.abc import Iterable

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from ficha.core.clock import Clock
from ficha.core.db import Database
from ficha.core.live_processes import count_live_workers
from ficha.core.log import log
from ficha.core.transaction import Transaction
from ficha.emergencies.steps import unsent_alerts
from ficha.jobs.queue import count_due, oldest_wait
from ficha.messaging.platform_account import quality_by_number, word_in


class ServiceMetrics(Collector):
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock
        # Kinds that were due before and are not any more are told as zero.
        self._kinds: set[str] = set()

    def collect(self) -> Iterable[Metric]:
        try:
            with self._database.reading() as tx:
                return list(self._families(tx))
        except Exception as error:  # The other numbers matter most while the database is down.
            log().warning("metrics.no_queue", error=type(error).__name__)
            return ()

    def _families(self, tx: Transaction) -> Iterable[Metric]:
        now = self._clock.now()
        due = count_due(tx, now)
        self._kinds |= due.keys()
        waiting = GaugeMetricFamily("ficha_jobs_waiting", "Jobs that are due and not begun.", labels=["kind"])
        for kind in sorted(self._kinds):
            waiting.add_metric([kind], due.get(kind, 0))
        yield waiting
        oldest = GaugeMetricFamily(
            "ficha_jobs_oldest_due_seconds", "For how long the oldest job that is due waits.", labels=["urgency"]
        )
        for urgency, is_urgent in (("urgent", True), ("ordinary", False)):
            oldest.add_metric([urgency], oldest_wait(tx, now, urgent=is_urgent).total_seconds())
        yield oldest
        unsent = unsent_alerts(tx)
        age = 0.0 if unsent.since is None else max(0.0, (now - unsent.since).total_seconds())
        yield GaugeMetricFamily("ficha_alerts_unsent", "Alerts accepted that left to nobody yet.", unsent.number)
        yield GaugeMetricFamily("ficha_alerts_unsent_seconds", "Age of the oldest of them.", age)
        yield GaugeMetricFamily("ficha_workers", "Live processes that run jobs.", count_live_workers(tx))
        quality = GaugeMetricFamily(
            "ficha_whatsapp_number_flagged",
            "1 while the platform has flagged our number; its limit is a label.",
            labels=["number", "limit"],
        )
        for number, told in quality_by_number(tx).items():
            quality.add_metric([number, word_in(told, "current_limit") or ""], word_in(told, "event") == "FLAGGED")
        yield quality
