"""ficha worker, migrate, settings and error-page: what runs jobs, and what a service needs before it starts."""

import os
import signal
import sys
import threading
from contextlib import closing
from typing import TYPE_CHECKING

from ficha import __version__
from ficha.cli.opened_parts import migrated_settings, working_settings
from ficha.cli.rich_console import AsJson, print_json, progress_bars, rich_console, tell
from ficha.cli.start_checks import refuse_unfit
from ficha.core.settings import Settings
from ficha.core.systemd import ALIVE, READY, STOPPING, seconds_between_signs_of_life, tell_systemd

if TYPE_CHECKING:
    from ficha.http.metrics import Metrics

SECONDS_ASLEEP = 1.0


def worker() -> None:
    """Run jobs, and nothing else.

    Start as many as you like, on as many machines as you like. Ctrl-C (or SIGTERM) stops it.

    Example: FICHA_DATABASE_URL=postgresql://… ficha worker
    """
    from ficha.core.live_processes import BEAT_SECONDS, Heartbeat, ProcessRole
    from ficha.core.log import configure_logs, log
    from ficha.core.master_keys import keys_to_tell
    from ficha.core.traces import start_traces, stop_traces
    from ficha.http.metrics import Metrics
    from ficha.http.service_metrics import ServiceMetrics
    from ficha.jobs.periodic_tasks import PeriodicTasks, Task
    from ficha.parts import build_parts
    from ficha.worker import start_jobs

    settings = migrated_settings()
    refuse_unfit(settings)
    configure_logs(settings)
    parts = build_parts(settings)
    parts.secrets.ensure_root()
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    metrics = Metrics(service=ServiceMetrics(parts.database, parts.clock))
    _show_metrics(settings.worker_metrics, metrics)
    start_traces(settings, ProcessRole.WORKER)
    runner = start_jobs(parts, metrics)
    heartbeat = Heartbeat(
        parts.database,
        ProcessRole.WORKER,
        runs_jobs=lambda: runner.is_alive,
        key_ids=lambda: keys_to_tell(parts.database, parts.keyring),
    )
    look = Task(lambda: metrics.look_at_process(parts.database), BEAT_SECONDS)
    periodic_tasks = PeriodicTasks([Task(heartbeat.beat, BEAT_SECONDS), look], "worker-housekeeper")
    log().info("worker.started", threads=settings.job_threads)
    tell_systemd(READY)
    # Python may hear a signal in the instant before this thread falls asleep, and would not wake it for that.
    while not stop.wait(min(SECONDS_ASLEEP, seconds_between_signs_of_life() or SECONDS_ASLEEP)):
        tell_systemd(ALIVE)  # Also while the database is away: to be started again would not help.
    tell_systemd(STOPPING)
    runner.stop(settings.stop_seconds)
    periodic_tasks.stop()
    heartbeat.end()
    stop_traces()
    parts.database.close()
    log().info("worker.stopped")
    # A job that did not finish was given back; its thread must not hold this process.
    sys.stderr.flush()
    os._exit(0)


def _show_metrics(address: str, metrics: "Metrics") -> None:
    """In a thread of the library's. Ends the command if the address cannot be listened at."""
    if not address:
        return
    import typer
    from prometheus_client import start_http_server

    host, _, port = address.rpartition(":")
    try:
        start_http_server(int(port), host.strip("[]"), metrics.registry)
    except (OSError, OverflowError) as fault:
        reason = getattr(fault, "strerror", None) or fault
        typer.secho(f"FICHA_WORKER_METRICS={address} cannot be listened at: {reason}.", fg="red", err=True)
        raise typer.Exit(2) from fault


def migrate() -> None:
    """Bring the database to the newest shape.

    Safe to run while the previous version serves, and again.

    Example: FICHA_DATABASE_URL=postgresql://… ficha migrate
    """
    from ficha.core.db import Database
    from ficha.migrations import migrate as run

    settings = working_settings()
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    with closing(Database(settings.database)) as database, progress_bars() as show:
        run(database, progress=show)
    tell("The database is up to date.")


def settings(as_json: AsJson = False) -> None:
    """Print every setting and its value.

    With the variable that sets it. Secrets are masked.

    Example: ficha settings --json
    """
    from rich.table import Table

    from ficha.core.settings import setting_rows

    found = setting_rows(Settings())
    if as_json:
        print_json([row._asdict() for row in found])
        return
    table = Table("Setting", "Value", "What it is", title=f"Ficha {__version__}", title_justify="left")
    for row in found:
        table.add_row(row.variable, row.value, row.help)
    rich_console().print(table)


def error_page() -> None:
    """Print the page that a proxy shows when no server answers.

    In three languages: the emergency number of FICHA_EMERGENCY_COUNTRY, and what to do. The configurations of nginx and
    HAProxy in docs/proxy/ show where they look for it.

    Example: ficha error-page > /etc/ficha/no-service.html
    """
    from ficha.web.sticker.unavailable_page import page_for_proxies

    sys.stdout.write(page_for_proxies(Settings().emergency_country))
