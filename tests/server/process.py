"""A real server process, started as an operator would."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import psutil

START_SECONDS = 60


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def environment(database_url: str, data_dir: Path, **changes: str) -> dict[str, str]:
    """The machine's own, without its FICHA_* variables, and with bytecode kept as an installed program has it."""
    unwanted = ("FICHA_", "PYTHONDONTWRITEBYTECODE")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    return inherited | {
        "FICHA_DATABASE_URL": database_url,
        "FICHA_DATA_DIR": str(data_dir),
        "FICHA_RATE_LIMITS": "off",
        "FICHA_LOG_FORMAT": "json",
        **changes,
    }


def ficha(*words: str, env: dict[str, str], check: bool = True) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ficha", *words], env=env, capture_output=True, text=True, check=check, timeout=120
    )


class Server:
    def __init__(self, database_url: str, data_dir: Path, *words: str, **changes: str) -> None:
        """`words` go to `ficha serve`; without any, no messaging sandbox is started beside it."""
        self.port = free_port()
        ports = {"FICHA_PORT": str(self.port), "FICHA_SANDBOX_PORT": str(free_port())}
        self.env = environment(database_url, data_dir, **ports | changes)
        self.log = data_dir.parent / f"server-{self.port}.log"
        self._stream = self.log.open("w")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ficha", "serve", *(words or ("--no-sandbox",))],
            env=self.env,
            stdout=self._stream,
            stderr=self._stream,
        )
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=30, verify=False)
        self._wait_until_ready()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def get(self, path: str, token: str | None = None) -> httpx.Response:
        return self.client.get(path, headers={"Authorization": f"Bearer {token}"} if token else {})

    def post(self, path: str, json: Any = None, token: str | None = None) -> httpx.Response:
        return self.client.post(path, json=json, headers={"Authorization": f"Bearer {token}"} if token else {})

    def family(self) -> list[psutil.Process]:
        """The process that was started and those it started."""
        parent = psutil.Process(self.process.pid)
        return [parent, *parent.children(recursive=True)]

    def stop(self) -> int:
        self.client.close()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(40)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        self._stream.close()
        return code

    def kill(self) -> None:
        """All of it, at once, as a power cut would."""
        for member in self.family():
            member.kill()
        self.process.wait()
        self.client.close()
        self._stream.close()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise AssertionError(f"the server stopped: {self.log.read_text()}")
            try:
                if self.client.get("/health/ready").status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.1)
        self.kill()
        raise AssertionError(f"the server did not start: {self.log.read_text()}")
