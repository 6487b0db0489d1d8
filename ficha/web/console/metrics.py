"""/metrics for Prometheus. Who may read it is a setting."""

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.tokens import Unauthenticated, caller_with
from ficha.asgi.routes import Routes
from ficha.core.errors import NotFound
from ficha.core.log import log
from ficha.http.address import is_loopback
from ficha.http.alarms import Alarm
from ficha.http.callers import bearer_of
from ficha.http.dependencies import Forbidden
from ficha.http.dependencies import Parts as AskedParts
from ficha.http.metrics import Metrics
from ficha.jobs.queue import count_waiting
from ficha.messaging.platform_account import quality_by_number, word_in
from ficha.parts import Parts

routes = Routes(include_in_schema=False)


@routes.page("/metrics")
def read_metrics(request: Request, parts: AskedParts) -> Response:
    _check_door(request, parts)
    metrics: Metrics = request.app.state.metrics
    _count_waiting(metrics, parts)
    for alarm in Alarm:
        metrics.alarms.labels(alarm).set(alarm in request.app.state.alarms.current)
    return Response(metrics.text(), headers={"Content-Type": CONTENT_TYPE_LATEST})


def _check_door(request: Request, parts: Parts) -> None:
    """Raises NotFound, Unauthenticated, Forbidden or SecondFactorDemanded if the caller may not read the metrics."""
    door = parts.settings.metrics_door
    if door == "off" or (door == "local" and not _is_local(request)):
        raise NotFound
    if door == "admin":
        presented = bearer_of(request)
        with parts.database.reading() as tx:
            demanded, now = parts.settings.staff_second_factor, parts.clock.now()
            caller = caller_with(tx, presented, now, staff_second_factor=demanded) if presented else None
        if caller is None:
            raise Unauthenticated
        caller.must_act_as_admin(Forbidden)


def _is_local(request: Request) -> bool:
    """Who came over a proxy is not, whatever the proxy says."""
    if "x-forwarded-for" in request.headers or "forwarded" in request.headers:
        return False
    return request.client is not None and is_loopback(request.client.host)


def _count_waiting(metrics: Metrics, parts: Parts) -> None:
    try:
        with parts.database.reading() as tx:
            counts, quality = count_waiting(tx), quality_by_number(tx)
    except Exception as error:  # The other numbers matter most while the database is down.
        log().warning("metrics.no_queue", error=type(error).__name__)
        return
    # Kinds that were waiting before and are not any more are set to zero.
    for family in metrics.waiting.collect():
        for sample in family.samples:
            counts.setdefault(sample.labels["kind"], 0)
    for kind, count in counts.items():
        metrics.waiting.labels(kind).set(count)
    for number, told in quality.items():
        limit = word_in(told, "current_limit") or ""
        metrics.quality.labels(number, limit).set(word_in(told, "event") == "FLAGGED")
