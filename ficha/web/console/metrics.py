"""/metrics for Prometheus. Who may read it is a setting."""

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.tokens import Unauthenticated, caller_with
from ficha.asgi.routes import Routes
from ficha.core.errors import NotFound
from ficha.http.alarms import Alarm
from ficha.http.callers import bearer_of
from ficha.http.client_address import is_loopback
from ficha.http.dependencies import Forbidden
from ficha.http.dependencies import Parts as AskedParts
from ficha.http.metrics import Metrics
from ficha.parts import Parts

routes = Routes(include_in_schema=False)


@routes.page("/metrics")
def read_metrics(request: Request, parts: AskedParts) -> Response:
    _check_door(request, parts)
    metrics: Metrics = request.app.state.metrics
    metrics.look_at_process(parts.database)
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
