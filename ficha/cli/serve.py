"""ficha serve: the server."""

import os
import resource
import signal
from pathlib import Path
from typing import Annotated

import typer

from ficha.cli.faults import faults_as_sentences
from ficha.cli.opened_parts import NotMigrated, is_migrated, working_settings
from ficha.cli.port_owner import owned_port
from ficha.cli.signals import end_starting_processes_at_once
from ficha.cli.start_checks import refuse_unfit, warn_without_worker
from ficha.core.process import end_with_parent
from ficha.core.settings import Settings
from ficha.core.systemd import tell_systemd_of_stop_signals

Host = Annotated[str | None, typer.Option(help="Address to listen on (FICHA_HOST).")]
Port = Annotated[int | None, typer.Option(min=1, max=65535, help="Port to listen on (FICHA_PORT).")]
Demo = Annotated[bool, typer.Option("--demo", help="Fill an empty database with demo people first.")]
WithSandbox = Annotated[bool, typer.Option("--sandbox/--no-sandbox", help="Start the messaging sandbox beside it.")]


def serve(host: Host = None, port: Port = None, demo: Demo = False, sandbox: WithSandbox = True) -> None:
    """Start the server.

    Ctrl-C (or SIGTERM) finishes what is under way and stops. Without FICHA_WHATSAPP_BASE_URL, the messaging sandbox
    is started beside it and ends with it.

    Example: ficha serve --port 8080
    """
    # The server's processes read the environment again, so that is where the options go.
    for name, value in (("FICHA_HOST", host), ("FICHA_PORT", port)):
        if value is not None:
            os.environ[name] = str(value)
    settings = working_settings()
    refuse_unfit(settings)
    with owned_port(settings.host, settings.port):
        _prepare_in_child(settings, demo=demo)
        _serve(settings, demo=demo, sandbox=sandbox)


def _serve(settings: Settings, *, demo: bool, sandbox: bool) -> None:
    if settings.workers > 1:
        _share_metrics(settings.data_dir / "metrics")
    from granian.constants import Interfaces, Loops
    from granian.http import HTTP1Settings
    from granian.log import LogLevels
    from granian.server import Server

    server = Server(
        "ficha.cli.server_process:load",
        factory=True,
        address=settings.host,
        port=settings.port,
        interface=Interfaces.ASGI,
        loop=Loops.auto,
        workers=settings.workers,
        websockets=False,
        # As many connections as a process keeps open. Each takes a place, also one that sends nothing, or a stream.
        backpressure=possible_connections(settings.connections),
        # The time for all headers, and for a connection that asks for nothing; what is read ahead of each.
        http1_settings=HTTP1Settings(header_read_timeout=10_000, max_buffer_size=65_536),
        log_level=LogLevels.warning,
        workers_kill_timeout=settings.stop_seconds + 10,
        respawn_failed_workers=True,
    )
    if sandbox and settings.uses_sandbox:
        from ficha.sandbox.process import start_sandbox_process

        start_sandbox_process(settings, is_demo=demo)
    _print_addresses(settings)
    warn_without_worker(settings)
    _print_what_is_missing()
    end_starting_processes_at_once()
    server.on_startup(tell_systemd_of_stop_signals)  # By then the server's own handlers are there.
    server.serve()


def _prepare_in_child(settings: Settings, *, demo: bool) -> None:
    """Makes the keys, the tables and the demo people, in a child process so that what this takes does not stay in the
    server's memory. Most starts find nothing to do, and start no child."""
    if not demo and settings.key_path.exists() and is_migrated(settings.database):
        return
    import multiprocessing

    # It ends with this process, also when that is interrupted.
    spawn = multiprocessing.get_context("spawn")
    child = spawn.Process(target=_prepare_database, args=(settings, demo, os.getpid()), daemon=True)
    child.start()
    child.join()
    if child.exitcode:
        raise typer.Exit(child.exitcode)


def _prepare_database(settings: Settings, demo: bool, parent: int) -> None:
    """Prints why and exits with 1 or 2 if the service cannot start."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent too, which speaks for both.
    end_with_parent(parent)
    with faults_as_sentences():
        _make_database(settings, demo=demo)


def _make_database(settings: Settings, *, demo: bool) -> None:
    from ficha.migrations import migrate as run
    from ficha.parts import build_parts

    parts = build_parts(settings)
    if not is_migrated(settings.database):
        if not settings.migrates_on_start:
            raise NotMigrated
        run(parts.database)
    if demo and not settings.in_production:
        from ficha.demo.people import ensure_demo

        first = ensure_demo(parts)[0]
        typer.echo(f"\nA demo sticker, as a stranger opens it ({first.nombre}):\n  {first.responder_url}", err=True)


def _share_metrics(folder: Path) -> None:
    """Lets several processes count together, in files of this folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.db"):
        old.unlink()
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)


def _print_addresses(settings: Settings) -> None:
    url = settings.public_url
    lines = [
        f"\n{typer.style('Ficha', bold=True)} ({settings.env.value}) is starting. Open:",
        f"  {url}/          what this is, and where a new user begins",
        f"  {url}/login     owners to their family, staff to the console at /admin",
        f"  {url}/docs      the API, with examples to try",
    ]
    if not settings.in_production:
        lines += [f"  {url}/sandbox   what was sent to people", "People to log in as: ficha demo\n"]
    typer.echo("\n".join(lines), err=True)


def _print_what_is_missing() -> None:
    from ficha.photos.picture_messages import can_remove_backgrounds

    if not can_remove_backgrounds():
        typer.echo("Backgrounds of photos are not removed here: install `ficha[pictures]` for that.", err=True)


# For the databases, logs and listening sockets of a process.
OTHER_FILES = 512


def possible_connections(wanted: int) -> int:
    """`wanted`, or as many as the system allows. The limit of this process and its children is raised as far as that
    needs; without it, connections that send nothing would leave no file for the database."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    possible = wanted if soft == resource.RLIM_INFINITY else min(wanted, max(soft - OTHER_FILES, soft // 2))
    if possible < wanted:
        typer.echo(f"Only {possible} connections at once: the system allows {soft} open files (ulimit -n).", err=True)
    return possible
