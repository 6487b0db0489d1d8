"""create_app: joins operations, pages, the fast lane and the frame into the application that the server runs."""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

from ficha.api.catalog import operation_routes
from ficha.api.fmd.lane_reads import LaneReads
from ficha.api.messaging.webhook_intake import WebhookIntake
from ficha.asgi.application import Application
from ficha.asgi.bodies import UnfinishedBodies
from ficha.asgi.frame import Frame
from ficha.asgi.stop_signal import StopSignal
from ficha.core.db import RESERVED_CONNECTIONS
from ficha.core.live_processes import BEAT_SECONDS, Heartbeat, ProcessRole
from ficha.core.log import configure_logs, log
from ficha.core.master_keys import keys_to_tell
from ficha.core.process import MEMORY_SECONDS, SETTLED_SECONDS, give_memory_back, stay_on_one_core
from ficha.core.settings import Settings
from ficha.core.systemd import tell_systemd_of_this_loop
from ficha.core.traces import start_traces, stop_traces
from ficha.fastlane import store_for, watch_of
from ficha.fastlane.envelope_bytes import EnvelopeBytes
from ficha.fastlane.lane import FastLane, LaneHandler
from ficha.http.alarms import AlarmWatch
from ficha.http.change_cookie import with_change_cookie
from ficha.http.client_address import TrustedProxies
from ficha.http.kept_answers import IdempotencyStore
from ficha.http.limits import Limiter, limit_headers
from ficha.http.metrics import Metrics
from ficha.http.open_origins import OpenOrigins
from ficha.http.openapi import install_openapi
from ficha.http.service_metrics import ServiceMetrics
from ficha.http.streams import OpenStreams, StreamRules
from ficha.jobs.periodic_tasks import PeriodicTasks, Task
from ficha.jobs.runner import Runner
from ficha.messaging.uptime import UPTIME_SECONDS, UptimeBeat
from ficha.parts import Parts, build_parts
from ficha.web.pages import page_routes
from ficha.web.sticker.offline_viewer import OfflineFiles
from ficha.web.sticker.scanned_page import LaneScans
from ficha.web.sticker.unavailable_page import sticker_or_other_error

# How often it is written when tokens were last used, and looked for what should worry somebody.
LAST_USED_SECONDS = 30
ALARM_SECONDS = 10
# What a script of another origin may send, and what it may read.
SENT = (
    *("Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "Last-Event-ID"),
    *("X-XSRF-TOKEN", "X-CSRF-TOKEN"),
)
EXPOSED = (
    *("Deprecation", "ETag", "Ficha-Dudoso", "Idempotency-Replayed", "Link", "Location", "RateLimit"),
    *("RateLimit-Policy", "Retry-After", "Sunset", "X-Request-Id"),
)


def create_app(
    parts: Parts, *, run_jobs: bool = False, checks_answers: bool = False, on_one_core: bool = False
) -> Application:
    """`run_jobs`: whether this process runs jobs too. `checks_answers`: whether every answer is held against what its
    operation promises, as in tests. `on_one_core`: whether its threads stay on one core (core/process.py)."""
    settings = parts.settings
    parts.database.answer_seconds = settings.database_answer_seconds
    limiter = Limiter(settings, parts.clock)
    service = ServiceMetrics(parts.database, parts.clock)
    metrics = Metrics(os.environ.get("PROMETHEUS_MULTIPROC_DIR"), service)
    trusted, envelope, bodies = TrustedProxies.of(settings), EnvelopeBytes(settings), UnfinishedBodies()
    intake = WebhookIntake(parts, envelope)
    lane = (
        LaneReads(parts, limiter, store_for(parts.database, settings.database_pool), envelope, trusted),
        # With connections of its own: however many records are being read, the stranger's page finds one.
        LaneScans(parts, store_for(parts.database, RESERVED_CONNECTIONS), trusted, watch_of(parts)),
        intake,
    )
    frame = Middleware(
        Frame,
        settings=settings,
        bodies=bodies,
        count=metrics.count_request,
        more_headers=limit_headers if parts.replicas is None else with_change_cookie(settings, limit_headers),
        most_bytes={intake.path: settings.webhook_bytes},
    )
    cors = Middleware(
        CORSMiddleware,
        allow_origins=list(settings.cors_origins),
        allow_credentials=True,
        allow_methods=["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
        allow_headers=list(SENT),
        expose_headers=list(EXPOSED),
    )
    app = Application(
        sticker_or_other_error,
        checks_answers=checks_answers,
        takes_one_writer=parts.database.is_sqlite,
        routes=[*operation_routes(settings), *page_routes()],
        middleware=[
            frame,
            Middleware(OpenOrigins),
            *([cors] if settings.cors_origins else []),
            Middleware(FastLane, handlers=lane),
        ],
        lifespan=_lifespan(parts, lane, run_jobs, on_one_core),
    )
    app.state.parts = parts
    app.state.idempotency = IdempotencyStore(parts.database, parts.secrets)
    app.state.limiter = limiter
    app.state.metrics = metrics
    app.state.trusted_proxies = trusted
    app.state.checks = {"database": parts.database.ping, "keys": lambda: parts.keyring.can_wrap}
    app.state.alarms = AlarmWatch(parts.database, parts.clock, parts.keyring)
    app.state.offline_files = OfflineFiles(parts)
    app.state.is_stopping = False
    app.state.bodies = bodies
    app.state.streams = OpenStreams(
        parts, StreamRules(settings.events_beat_seconds, settings.events_per_account, settings.events_per_process)
    )
    install_openapi(app, settings)
    return app


def _lifespan(parts: Parts, lane: Sequence[LaneHandler], run_jobs: bool, on_one_core: bool):  # type: ignore[no-untyped-def]
    @asynccontextmanager
    async def lifespan(app: Application) -> AsyncIterator[None]:
        write_last_used = Task(lambda: _write_last_used(parts), LAST_USED_SECONDS)
        uptime = Task(UptimeBeat(parts.database, parts.clock).write, UPTIME_SECONDS)
        memory = Task(give_memory_back, MEMORY_SECONDS)
        parts.read_log.start()
        stop_signal = StopSignal(lambda: _end_what_never_ends(app))
        stop_signal.start()
        app.state.checks["reads"] = lambda: parts.read_log.can_note
        runner: Runner | None = None
        if run_jobs:
            from ficha.worker import start_jobs  # noqa: PLC0415  Jobs of all kinds: megabytes, where others run them.

            runner = await run_in_threadpool(start_jobs, parts, app.state.metrics)
            app.state.checks["jobs"] = lambda: runner.is_alive
        heartbeat = Heartbeat(
            parts.database,
            ProcessRole.SERVER,
            runs_jobs=lambda: runner is not None and runner.is_alive,
            key_ids=lambda: keys_to_tell(parts.database, parts.keyring),
        )
        look = Task(lambda: app.state.metrics.look_at_process(parts.database), BEAT_SECONDS)
        tasks = [Task(heartbeat.beat, BEAT_SECONDS), look, uptime, write_last_used, memory]
        # The alarms last: where this process runs the jobs, its own heartbeat counts.
        periodic_tasks = PeriodicTasks([*tasks, Task(app.state.alarms.check, ALARM_SECONDS)], "server-housekeeper")
        if on_one_core:
            asyncio.get_running_loop().call_later(SETTLED_SECONDS, stay_on_one_core)
        for handler in lane:
            await handler.open()
        log().info("server.started")
        systemd = asyncio.create_task(tell_systemd_of_this_loop())
        yield
        systemd.cancel()
        app.state.is_stopping = True
        stop_signal.stop()
        await app.state.streams.stop()
        await parts.chatwoot.close()
        if runner is not None:
            await run_in_threadpool(runner.stop, parts.settings.stop_seconds)
        await run_in_threadpool(periodic_tasks.stop)
        await run_in_threadpool(heartbeat.end)
        await run_in_threadpool(write_last_used.run)
        await run_in_threadpool(parts.read_log.stop)
        await run_in_threadpool(parts.end_processes)
        for handler in lane:
            await handler.close()
        parts.database.close()
        await run_in_threadpool(stop_traces)
        if parts.replicas is not None:
            parts.replicas.close()
        log().info("server.stopped")

    return lifespan


def _end_what_never_ends(app: Application) -> None:
    """What the server would wait for in vain when it stops."""
    app.state.streams.hub.end_all()
    app.state.bodies.end_all()


def _write_last_used(parts: Parts) -> None:
    try:
        parts.last_used.write(parts.database, parts.settings.session_minutes)
    except Exception as error:  # These times are lost; the next round writes newer ones.
        log().warning("usage.not_written", error=type(error).__name__)


def from_environment() -> ASGIApp:
    """What the server loads in each of its processes."""
    settings = Settings()
    configure_logs(settings)
    parts = build_parts(settings)
    parts.secrets.ensure_root()
    start_traces(settings, ProcessRole.SERVER)
    return create_app(parts, run_jobs=settings.runs_jobs_in_server, on_one_core=settings.one_core)
