"""create_app: joins operations, pages and middleware into the application that the server runs."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

from ficha import __version__
from ficha.api.catalog import join_operations
from ficha.core.cores import stay_on_one_core
from ficha.core.log import configure_logs, log
from ficha.core.settings import Settings
from ficha.fastlane import FastLane
from ficha.fastlane.response_headers import EXPOSED
from ficha.http.address import TrustedProxies
from ficha.http.alarms import AlarmWatch
from ficha.http.application import Application
from ficha.http.bodies import UnfinishedBodies
from ficha.http.errors import install_error_handlers
from ficha.http.frame import Frame
from ficha.http.idempotency import IdempotencyStore
from ficha.http.limits import Limiter
from ficha.http.metrics import Metrics
from ficha.http.openapi import install_openapi
from ficha.http.stop_signal import StopSignal
from ficha.http.streams import OpenStreams
from ficha.http.streams.open_streams import StreamRules
from ficha.jobs.housekeeper import Housekeeper, Task
from ficha.jobs.runner import Runner
from ficha.messaging.hearing import BEAT_SECONDS, HearingBeat
from ficha.parts import Parts, build_parts
from ficha.web import pages

# How often it is written when tokens were last used, and looked for what should worry somebody.
LAST_USED_SECONDS = 30
ALARM_SECONDS = 15
# When the server has started the threads that carry bytes to its sockets and back. These work beside Python: would they
# stay on its core, the fast lane would lose a tenth of its speed.
SETTLED_SECONDS = 1.0


def create_app(
    parts: Parts, *, run_jobs: bool = False, checks_answers: bool = False, on_one_core: bool = False
) -> Application:
    """`run_jobs`: whether this process runs jobs too. `checks_answers`: whether every answer is held against what its
    operation promises, as in tests. `on_one_core`: whether its threads stay on one core (core/cores.py)."""
    settings = parts.settings
    app = Application(
        title="Ficha",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        lifespan=_lifespan(parts, run_jobs, on_one_core),
    )
    app.state.parts = parts
    app.state.idempotency = IdempotencyStore(parts.database, parts.secrets)
    app.state.limiter = Limiter(settings, parts.clock)
    app.state.metrics = Metrics(os.environ.get("PROMETHEUS_MULTIPROC_DIR"))
    app.state.trusted_proxies = TrustedProxies.of(settings)
    app.state.checks = {"database": parts.database.ping, "keys": lambda: parts.keyring.current}
    app.state.alarms = AlarmWatch(parts.database, parts.clock)
    app.state.is_stopping = False
    app.state.checks_answers = checks_answers
    app.state.takes_one_writer = parts.database.is_sqlite
    app.state.bodies = UnfinishedBodies()
    app.state.streams = OpenStreams(
        parts, StreamRules(settings.events_beat_seconds, settings.events_per_account, settings.events_per_process)
    )

    join_operations(app, settings)
    pages.install(app)
    install_error_handlers(app)
    install_openapi(app, settings)

    if settings.cors_origins:
        app.front = CORSMiddleware(
            app.front,
            allow_origins=list(settings.cors_origins),
            allow_credentials=True,
            allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
            allow_headers=[
                "Authorization",
                "Content-Type",
                "Idempotency-Key",
                "If-Match",
                "Last-Event-ID",
                "X-XSRF-TOKEN",
                "X-CSRF-TOKEN",
            ],
            expose_headers=list(EXPOSED),
        )
    app.front = Frame(app.front, settings=settings, metrics=app.state.metrics, bodies=app.state.bodies)
    return app


def _lifespan(parts: Parts, run_jobs: bool, on_one_core: bool):  # type: ignore[no-untyped-def]
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        write_last_used = Task(lambda: _write_last_used(parts), LAST_USED_SECONDS)
        hearing = Task(HearingBeat(parts.database, parts.clock).write, BEAT_SECONDS)
        tasks = [hearing, write_last_used, Task(app.state.alarms.check, ALARM_SECONDS)]
        housekeeper = Housekeeper(tasks, "server-housekeeper")
        parts.read_log.start()
        stop_signal = StopSignal(lambda: _end_what_never_ends(app))
        stop_signal.start()
        app.state.checks["reads"] = lambda: parts.read_log.is_alive
        runner: Runner | None = None
        if run_jobs:
            from ficha.worker import start_jobs  # noqa: PLC0415  Jobs of all kinds: megabytes, where others run them.

            runner = await run_in_threadpool(start_jobs, parts, app.state.metrics.count_job)
            app.state.checks["jobs"] = lambda: runner.is_alive
        if on_one_core:
            asyncio.get_running_loop().call_later(SETTLED_SECONDS, stay_on_one_core)
        log().info("server.started")
        yield
        app.state.is_stopping = True
        stop_signal.stop()
        await app.state.streams.stop()
        await parts.chatwoot.close()
        if runner is not None:
            await run_in_threadpool(runner.stop, parts.settings.stop_seconds)
        await run_in_threadpool(housekeeper.stop)
        await run_in_threadpool(write_last_used.run)
        await run_in_threadpool(parts.read_log.stop)
        await run_in_threadpool(parts.end_processes)
        parts.database.close()
        log().info("server.stopped")

    return lifespan


def _end_what_never_ends(app: FastAPI) -> None:
    """What the server would wait for in vain when it stops."""
    app.state.streams.hub.end_all()
    app.state.bodies.end_all()


def _write_last_used(parts: Parts) -> None:
    try:
        parts.last_used.write(parts.database, parts.settings.session_minutes)
    except Exception as error:  # These times are lost; the next round writes newer ones.
        log().warning("usage.not_written", error=type(error).__name__)


def create_service(parts: Parts, *, run_jobs: bool = False, on_one_core: bool = False) -> FastLane:
    """The application with the fast lane in front of it: what the server serves."""
    app = create_app(parts, run_jobs=run_jobs, on_one_core=on_one_core)
    state = app.state
    return FastLane(app, parts, state.limiter, state.metrics, state.trusted_proxies, state.bodies)


def from_environment() -> ASGIApp:
    """What the server loads in each of its processes."""
    settings = Settings()
    configure_logs(settings)
    parts = build_parts(settings)
    parts.secrets.ensure_root()
    return create_service(parts, run_jobs=settings.runs_jobs_in_server, on_one_core=settings.one_core)
