"""Welcome and health."""

import time
from collections.abc import Callable
from typing import Annotated, Literal

from fastapi import Request, Response
from pydantic import Field

from ficha import __version__
from ficha.api.examples import answer_example
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.core.errors import FichaError
from ficha.core.log import log
from ficha.http.alarms import Alarm, AlarmWatch
from ficha.http.dependencies import Parts, Reply
from ficha.http.envelope import Answer
from ficha.http.etags import NOT_MODIFIED, Caching
from ficha.http.limits import Limiter
from ficha.http.served_operation import ServedOperation

welcome_operations = Operations("utilities")


class ServedHealth(ServedOperation):
    takes_any_query = True


operations = Operations("utilities", prefix="/health", callers="public", served=ServedHealth)


class Welcome(DeferredModel):
    name: str = "Ficha"
    version: str
    docs: str
    message: str = "La ficha médica de emergencia detrás de un código QR."


class Part(DeferredModel):
    status: Literal["up", "down"]
    ms: float


Alarms = Annotated[
    list[Alarm], Field(description="What should worry whoever runs the service although every part answers.")
]


class LimitsStore(DeferredModel):
    """Where attempts are counted: in the memory of each process, or in a Redis or Valkey that they share. While a
    shared one is down nothing is limited and people still get in, so the service is only degraded."""

    store: Literal["memory", "redis", "off"]
    status: Literal["up", "down"]


class Health(DeferredModel):
    status: Literal["up", "degraded", "down"]
    parts: dict[str, Part]
    workers: Annotated[
        int | None,
        Field(description="Processes that run jobs and were seen alive lately; null before the first look."),
    ]
    limits: LimitsStore
    alarms: Alarms


class Live(DeferredModel):
    status: Literal["up"] = "up"


class Ready(DeferredModel):
    status: Literal["up", "degraded"]
    alarms: Alarms


class NotReady(FichaError):
    status = 503
    code = "no_listo"
    message = "El servicio no está listo. Vuelva a probar en un momento."
    headers = {"Retry-After": "2"}  # noqa: RUF012


@welcome_operations.get(
    "/welcome",
    "Welcome",
    callers="public",
    seed=True,
    example=answer_example(
        {
            "name": "Ficha",
            "version": __version__,
            "docs": "http://127.0.0.1:8000/docs",
            "message": "La ficha médica de emergencia detrás de un código QR.",
        }
    ),
    responses=NOT_MODIFIED,
    response_model=Answer[Welcome],
)
def welcome(parts: Parts, reply: Reply, caching: Caching) -> Response:
    """What this service is."""
    return caching.answer(reply(Welcome(version=__version__, docs=f"{parts.settings.public_url}/docs")))


LIVE_EXAMPLE = answer_example({"status": "up"})
READY_EXAMPLE = answer_example({"status": "up", "alarms": []})
HEALTH_EXAMPLE = answer_example(
    {
        "status": "up",
        "parts": {"database": {"status": "up", "ms": 0.4}, "jobs": {"status": "up", "ms": 0.0}},
        "workers": 1,
        "limits": {"store": "redis", "status": "up"},
        "alarms": [],
    }
)


@operations.get("", "Health", seed=True, errors=(503,), example=HEALTH_EXAMPLE)
def health(request: Request, response: Response, reply: Reply) -> "Answer[Health]":
    """Each part and how long it took to answer, what counts the limits, and the alarms. 503 when a part is down."""
    parts = {name: _measured(check) for name, check in checks_of(request).items()}
    is_up = all(part.status == "up" for part in parts.values())
    watch, limits = watch_of(request), limits_store_of(request)
    alarms = list(watch.current)
    is_degraded = bool(alarms) or limits.status == "down"
    state: Literal["up", "degraded", "down"] = "down" if not is_up else "degraded" if is_degraded else "up"
    answer = reply(Health(status=state, parts=parts, workers=watch.workers, limits=limits, alarms=alarms))
    if not is_up:
        response.status_code = answer.meta.status = 503
    return answer


@operations.get("/live", "Health: live", example=LIVE_EXAMPLE)
async def live(reply: Reply) -> "Answer[Live]":
    """The process answers. Restart it when this fails."""
    return reply(Live())


@operations.get("/ready", "Health: ready", errors=(503,), example=READY_EXAMPLE)
def ready(request: Request, parts: Parts, reply: Reply) -> "Answer[Ready]":
    """Every part works and the service is not stopping. Send it traffic only while this holds. It is `degraded` while
    there is an alarm: no worker is alive, urgent jobs wait for more than five seconds, an alert has not left after a
    minute, jobs keep failing, notifications of the platform wait for more than a minute, or a process lacks a master
    key; and while scanned stickers are answered from a replica because the database is lost."""
    if request.app.state.is_stopping:
        raise NotReady
    down = {name for name, check in checks_of(request).items() if _measured(check).status == "down"}
    replicas = parts.replicas
    if down and not (down == {"database"} and replicas is not None and replicas.is_primary_lost):
        raise NotReady
    alarms = list(watch_of(request).current)
    return reply(Ready(status="degraded" if alarms or down else "up", alarms=alarms))


def watch_of(request: Request) -> AlarmWatch:
    watch: AlarmWatch = request.app.state.alarms
    return watch


def limits_store_of(request: Request) -> LimitsStore:
    limiter: Limiter = request.app.state.limiter
    return LimitsStore.model_validate({"store": limiter.store, "status": "up" if limiter.is_store_up() else "down"})


def checks_of(request: Request) -> dict[str, Callable[[], object]]:
    checks: dict[str, Callable[[], object]] = request.app.state.checks
    return checks


def _measured(check: Callable[[], object]) -> Part:
    started = time.perf_counter()
    try:
        is_up = check() is not False
    except Exception as error:  # Whatever a part raises, it is down; the log says which kind.
        log().warning("health.part_down", error=type(error).__name__)
        is_up = False
    return Part(status="up" if is_up else "down", ms=round((time.perf_counter() - started) * 1000, 2))
