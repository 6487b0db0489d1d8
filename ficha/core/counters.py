"""What is counted far from the server or worker that shows it: alerts, the steps of their ladders, and what is sent to
the outside. One set for the process. Every series is there from the start, so that the first event is seen as one."""

from collections.abc import Iterable
from datetime import timedelta
from functools import partial
from itertools import product

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from ficha.core.transaction import Transaction

SEND_CHANNELS = ("whatsapp", "mail", "push", "webhook", "chatwoot")
SEND_OUTCOMES = ("accepted", "refused", "not_sent", "unknown")
LADDER_CHANNELS = ("whatsapp", "correo", "push", "staff")
LADDER_OUTCOMES = ("queued", "skipped")
SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)

_counters = CollectorRegistry()
_sends = Counter("ficha_sends_total", "Calls that hand something over.", ["channel", "outcome"], registry=_counters)
_send_seconds = Histogram(
    "ficha_send_seconds", "Time until the other side answered.", ["channel"], registry=_counters, buckets=SECONDS
)
_alerts = Counter("ficha_alerts_total", "Alerts accepted, without drills.", registry=_counters)
_steps = Counter(
    "ficha_ladder_steps_total", "Steps taken to reach somebody.", ["channel", "outcome"], registry=_counters
)
_first_step = Histogram(
    "ficha_alert_first_step_seconds",
    "From an accepted alert to its first step, without those that were held back.",
    registry=_counters,
    buckets=SECONDS,
)
for _channel, _outcome in product(SEND_CHANNELS, SEND_OUTCOMES):
    _sends.labels(_channel, _outcome)
    _send_seconds.labels(_channel)
for _channel, _outcome in product(LADDER_CHANNELS, LADDER_OUTCOMES):
    _steps.labels(_channel, _outcome)


class ProcessCounters(Collector):
    """All of them, for whoever shows them."""

    def collect(self) -> Iterable[Metric]:
        return _counters.collect()


def count_send(channel: str, outcome: str, seconds: float) -> None:
    _sends.labels(channel, outcome).inc()
    _send_seconds.labels(channel).observe(seconds)


# What a transaction does counts once it is committed.


def count_alert(tx: Transaction) -> None:
    tx.after_commit(partial(_alerts.inc))


def count_step(tx: Transaction, channel: str, *, is_skipped: bool) -> None:
    tx.after_commit(partial(_steps.labels(channel, LADDER_OUTCOMES[is_skipped]).inc))


def note_first_step(tx: Transaction, after: timedelta) -> None:
    tx.after_commit(partial(_first_step.observe, after.total_seconds()))
