"""The service on the cluster as an operator runs it: two servers, two workers, and the sandbox in the platform's place.

Whoever ends is started again, as systemd would.
"""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from urllib.request import urlopen

import psutil

from ficha.core.settings import Settings
from ficha.parts import Parts, build_parts
from proof.cluster import wait_until

SERVERS = WORKERS = 2
RESTART_SECONDS = 0.5
START_SECONDS = 120.0
READY = "/health/ready"
Started = subprocess.Popen[bytes]


class Service:
    """`ports`: of the sandbox first, and then of each server."""

    def __init__(self, folder: Path, database_url: str, ports: list[int]) -> None:
        self._folder, self._database_url = folder, database_url
        self._sandbox_port, *self._server_ports = ports
        self.sandbox_url = f"http://127.0.0.1:{self._sandbox_port}"
        self.urls = [f"http://127.0.0.1:{port}" for port in self._server_ports[:SERVERS]]
        self.processes: dict[str, Started] = {}
        self._stopping = Event()
        self._watching = Thread(target=self._watch, name="restarts", daemon=True)

    def __enter__(self) -> "Service":
        run_ficha("migrate", env=self._environment("migrate"))
        self._start("sandbox")
        wait_until(lambda: answers(f"{self.sandbox_url}/_sandbox/log"), START_SECONDS, "the sandbox did not start")
        for number in range(SERVERS):
            self._start(f"server-{number}")
        for number in range(WORKERS):
            self._start(f"worker-{number}")
        try:
            for url in self.urls:
                wait_until(lambda url=url: answers(url + READY), START_SECONDS, "a server did not start")  # type: ignore[misc]
        except BaseException:
            self.__exit__()
            raise
        self._watching.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        if self._watching.is_alive():
            self._watching.join()
        for process in self.processes.values():
            stop(process)

    def parts(self) -> Parts:
        """For what is made before the load begins, and looked at when it is over."""
        return build_parts(
            Settings(
                database_url=self._database_url,
                data_dir=self._folder / "proof",
                key_file=self._folder / "keys.json",
            )
        )

    def kill(self, name: str) -> None:
        """It and its children, as when memory runs out."""
        for process in family(self.processes[name]):
            with suppress(psutil.NoSuchProcess):
                process.kill()

    def rss_mb(self, name: str) -> float:
        """Of the process that answers requests, which is the largest."""
        with suppress(psutil.NoSuchProcess):
            return float(max(process.memory_info().rss for process in family(self.processes[name])) / 2**20)
        return 0.0

    def _start(self, name: str) -> None:
        kind, _, number = name.partition("-")
        words = {"sandbox": ("sandbox", "--port", str(self._sandbox_port)), "worker": ("worker",)}.get(
            kind, ("serve", "--no-sandbox")
        )
        env = self._environment(name)
        if kind == "server":
            env["FICHA_PORT"] = str(self._server_ports[int(number)])
        with (self._folder / f"{name}.log").open("ab") as log:
            self.processes[name] = start_ficha(*words, env=env, log=log.fileno())

    def _watch(self) -> None:
        while not self._stopping.wait(RESTART_SECONDS):
            for name, process in list(self.processes.items()):
                if process.poll() is not None:
                    self._start(name)

    def _environment(self, name: str) -> dict[str, str]:
        return environment(
            self._database_url,
            self._folder / name,
            FICHA_KEY_FILE=str(self._folder / "keys.json"),
            FICHA_WHATSAPP_BASE_URL=self.sandbox_url,
            FICHA_BASE_URL=self.urls[0],
            FICHA_PORT=str(self._server_ports[0]),
        )


def environment(database_url: str, data_dir: Path, **more: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("FICHA_")}
    return inherited | {
        "FICHA_DATABASE_URL": database_url,
        "FICHA_DATA_DIR": str(data_dir),
        "FICHA_RATE_LIMITS": "off",
        "FICHA_LOG_FORMAT": "json",
        **more,
    }


def start_ficha(*words: str, env: dict[str, str], log: int = subprocess.DEVNULL) -> Started:
    return subprocess.Popen([sys.executable, "-m", "ficha", *words], env=env, stdout=log, stderr=log)


def run_ficha(*words: str, env: dict[str, str]) -> str:
    ended = subprocess.run(
        [sys.executable, "-m", "ficha", *words], check=False, env=env, capture_output=True, text=True
    )
    if ended.returncode:
        raise RuntimeError(f"ficha {' '.join(words)} ended with {ended.returncode}: {ended.stderr[-2000:]}")
    return ended.stdout + ended.stderr


def family(process: Started) -> list[psutil.Process]:
    with suppress(psutil.NoSuchProcess):
        parent = psutil.Process(process.pid)
        return [parent, *parent.children(recursive=True)]
    return []


def stop(process: Started) -> None:
    everybody = family(process)
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(40)
    except subprocess.TimeoutExpired:
        for one in everybody:
            with suppress(psutil.NoSuchProcess):
                one.kill()
        process.wait(30)


def answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
