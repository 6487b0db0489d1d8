"""serve, worker, migrate: running the service."""

import os
import signal
import sys
import threading
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ficha.core.schema_version import is_schema_current
from ficha.core.settings import Settings

Host = Annotated[str | None, typer.Option(help="Address to listen on (FICHA_HOST).")]
Port = Annotated[int | None, typer.Option(help="Port to listen on (FICHA_PORT).")]
Demo = Annotated[bool, typer.Option("--demo", help="Fill an empty database with demo people first.")]
WithSandbox = Annotated[bool, typer.Option("--sandbox/--no-sandbox", help="Start the messaging sandbox beside it.")]


def add_to(app: typer.Typer) -> None:
    app.command()(serve)
    app.command()(worker)
    app.command()(migrate)


def serve(host: Host = None, port: Port = None, demo: Demo = False, sandbox: WithSandbox = True) -> None:
    """Start the server. Ctrl-C (or SIGTERM) finishes what is under way and stops.

    Without FICHA_WHATSAPP_BASE_URL, the messaging sandbox is started beside it and ends with it.

    Example: ficha serve --port 8080
    """
    # The server's processes read the environment again, so that is where the options go.
    for name, value in (("FICHA_HOST", host), ("FICHA_PORT", port)):
        if value is not None:
            os.environ[name] = str(value)
    settings = Settings()
    _prepare(settings, demo=demo)
    if settings.workers > 1:
        _share_metrics(settings.data_dir / "metrics")
    from granian.constants import Interfaces, Loops
    from granian.http import HTTP1Settings
    from granian.log import LogLevels
    from granian.server import Server

    server = Server(
        "ficha.server:load",
        factory=True,
        address=settings.host,
        port=settings.port,
        interface=Interfaces.ASGI,
        loop=Loops.auto,
        workers=settings.workers,
        websockets=False,
        # Streams of events stay open: they must not take the places of other requests.
        backpressure=settings.events_per_process + 1024,
        http1_settings=HTTP1Settings(header_read_timeout=10_000),
        log_level=LogLevels.warning,
        workers_kill_timeout=settings.stop_seconds + 10,
        respawn_failed_workers=True,
    )
    if sandbox and settings.uses_sandbox:
        from ficha.sandbox.process import start_sandbox_process

        start_sandbox_process(settings)
    _say_where(settings)
    server.serve()


def worker() -> None:
    """Run jobs, and nothing else. Start as many as you like, on as many machines as you like.

    Example: FICHA_DATABASE_URL=postgresql://… ficha worker
    """
    from ficha.core.log import configure_logs, log
    from ficha.parts import build_parts
    from ficha.worker import start_jobs

    settings = Settings()
    configure_logs(settings)
    parts = build_parts(settings)
    parts.secrets.ensure_root()
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    runner = start_jobs(parts)
    log().info("worker.started", threads=settings.job_threads)
    stop.wait()
    runner.stop(settings.stop_seconds)
    parts.database.close()
    log().info("worker.stopped")
    # A job that did not finish was given back; its thread must not hold this process.
    sys.stderr.flush()
    os._exit(0)


def migrate() -> None:
    """Bring the database to the newest shape. Safe to run while the previous version serves.

    Example: FICHA_DATABASE_URL=postgresql://… ficha migrate
    """
    from ficha.core.db import Database
    from ficha.migrations import migrate as run

    settings = Settings()
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    database = Database(settings.database)
    run(database)
    database.close()
    Console(stderr=True).print("The database is up to date.")


def _prepare(settings: Settings, *, demo: bool) -> None:
    """In a child process: what migrations and demo data need must not stay in the server's memory.
    Most starts find nothing to do, and do not pay for it."""
    if not demo and settings.key_path.exists() and is_schema_current(settings.database):
        return
    import multiprocessing

    child = multiprocessing.get_context("spawn").Process(target=_prepare_here, args=(settings, demo))
    child.start()
    child.join()
    if child.exitcode:
        raise typer.Exit(child.exitcode)


def _prepare_here(settings: Settings, demo: bool) -> None:
    from ficha.core.key_file import BadKeys
    from ficha.core.settings import InsecureSettings
    from ficha.migrations import migrate as run
    from ficha.parts import build_parts

    console = Console(stderr=True)
    try:
        parts = build_parts(settings)
    except (BadKeys, InsecureSettings) as fault:
        console.print(f"[red]{fault}[/red]", highlight=False)
        sys.exit(2)
    if settings.migrates_on_start:
        run(parts.database)
    elif not is_schema_current(settings.database):
        console.print("[red]The database is not up to date. Run `ficha migrate` first.[/red]")
        sys.exit(2)
    if demo and not settings.in_production:
        from ficha.demo import ensure_demo

        first = ensure_demo(parts)[0]
        console.print(
            f"\nA demo sticker, as a stranger opens it ({first.nombre}):\n  {first.responder_url}", highlight=False
        )


def _share_metrics(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.db"):
        old.unlink()
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)


def _say_where(settings: Settings) -> None:
    console = Console(stderr=True)
    url = settings.public_url
    console.print(f"\n[bold]Ficha[/bold] ({settings.env.value}) is starting. Open:")
    console.print(f"  {url}/          what this is")
    console.print(f"  {url}/docs      the API, with examples to try")
    if not settings.in_production:
        console.print(f"  {url}/sandbox   what was sent to people")
        console.print("People to log in as: ficha demo\n")
