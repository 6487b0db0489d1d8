"""Welcome and health."""

import time
from collections.abc import Callable
from typing import Literal

from fastapi import Request, Response

from ficha import __version__
from ficha.api.examples import answer_example
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.core.errors import FichaError
from ficha.core.log import log
from ficha.http.dependencies import Parts, Reply
from ficha.http.envelope import Answer

welcome_operations = Operations("utilities")
health_operations = Operations("utilities", prefix="/health")


class Welcome(DeferredModel):
    name: str = "Ficha"
    version: str
    docs: str
    message: str = "La ficha médica de emergencia detrás de un código QR."


class Part(DeferredModel):
    status: Literal["up", "down"]
    ms: float


class Health(DeferredModel):
    status: Literal["up", "down"]
    parts: dict[str, Part]


class Live(DeferredModel):
    status: Literal["up"] = "up"


class NotReady(FichaError):
    status = 503
    code = "no_listo"
    message = "El servicio no está listo. Vuelva a probar en un momento."
    headers = {"Retry-After": "2"}  # noqa: RUF012


@welcome_operations.get(
    "/welcome",
    "Welcome",
    door="public",
    seed="Welcome",
    example=answer_example(
        {
            "name": "Ficha",
            "version": __version__,
            "docs": "http://127.0.0.1:8000/docs",
            "message": "La ficha médica de emergencia detrás de un código QR.",
        }
    ),
)
def welcome(parts: Parts, reply: Reply) -> Answer[Welcome]:
    """What this service is."""
    return reply(Welcome(version=__version__, docs=f"{parts.settings.public_url}/docs"))


LIVE_EXAMPLE = answer_example({"status": "up"})
HEALTH_EXAMPLE = answer_example(
    {"status": "up", "parts": {"database": {"status": "up", "ms": 0.4}, "jobs": {"status": "up", "ms": 0.0}}}
)


@health_operations.get("", "Health", door="public", seed="Health", errors=(503,), example=HEALTH_EXAMPLE)
def health(request: Request, response: Response, reply: Reply) -> Answer[Health]:
    """Each part and how long it took to answer. 503 when one is down."""
    parts = {name: _measured(check) for name, check in checks_of(request).items()}
    is_up = all(part.status == "up" for part in parts.values())
    answer = reply(Health(status="up" if is_up else "down", parts=parts))
    if not is_up:
        response.status_code = answer.meta.status = 503
    return answer


@health_operations.get("/live", "Health: live", door="public", example=LIVE_EXAMPLE)
async def live(reply: Reply) -> Answer[Live]:
    """The process answers. Restart it when this fails."""
    return reply(Live())


@health_operations.get("/ready", "Health: ready", door="public", errors=(503,), example=LIVE_EXAMPLE)
def ready(request: Request, reply: Reply) -> Answer[Live]:
    """Every part works and the service is not stopping. Send it traffic only while this holds."""
    if request.app.state.is_stopping:
        raise NotReady
    if any(_measured(check).status == "down" for check in checks_of(request).values()):
        raise NotReady
    return reply(Live())


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
