"""The server processes under test: started, watched and always stopped."""

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from types import FrameType

import psutil

READY = "/health/ready"
START_SECONDS = 40.0
STOP_SECONDS = 15.0


class DidNotStart(Exception):
    """A server did not become ready; the message is the end of its log."""


@dataclass(frozen=True)
class MeasuredServer:
    process: psutil.Process
    port: int

    def cpu_seconds(self) -> float:
        return cpu_seconds(self.process)

    def rss_mb(self) -> list[float]:
        """Of each of its processes, largest first."""
        return sorted((process.memory_info().rss / 1e6 for process in process_tree(self.process)), reverse=True)


def process_tree(process: psutil.Process) -> list[psutil.Process]:
    return [process, *process.children(recursive=True)]


def cpu_seconds(process: psutil.Process) -> float:
    """User and system time of the process and all its descendants, ended ones included."""
    total = 0.0
    for member in process_tree(process):
        with contextlib.suppress(psutil.NoSuchProcess):
            times = member.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


@contextlib.contextmanager
def running(command: Sequence[str], environment: Mapping[str, str], folder: Path) -> Iterator[MeasuredServer]:
    """Runs a server in a session of its own, so that Ctrl-C reaches only this process, which then stops it."""
    port = int(environment["FICHA_PORT"])
    log = folder / f"{port}.log"
    with log.open("wb") as out:
        child = subprocess.Popen(
            command,
            env=environment,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    try:
        _wait_until_ready(child, port, log)
        yield MeasuredServer(psutil.Process(child.pid), port)
    finally:
        _stop(child)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def stop_on_signal() -> None:
    """Makes SIGINT and SIGTERM raise KeyboardInterrupt once, so that servers are stopped and folders removed; further
    signals do not interrupt that."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)


def _wait_until_ready(child: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and child.poll() is None:
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", READY)
            if connection.getresponse().status == 200:
                return
        except (OSError, HTTPException):
            pass
        finally:
            connection.close()
        time.sleep(0.02)
    raise DidNotStart(log.read_text(errors="replace")[-2000:] or "It said nothing.")


def _stop(child: subprocess.Popen[bytes]) -> None:
    try:
        child.terminate()
        child.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        pass
    finally:
        # Whatever is left of its session, should the first process have died without its children.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
