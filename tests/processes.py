"""Real processes of the service: started, waited for, stopped, killed.

Each is forked from a process that has imported the service already, which saves it two seconds of work. What a test
says of starting itself it says of a fresh interpreter.
"""

import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

import httpx
import psutil

from ficha.cli import main
from ficha.core.crypto import Keyring
from tests import local_http
from tests.light_claves import use_light_claves
from tests.ports import ReservedPort
from tests.waiting import eventually

START_SECONDS = 60
RUN_SECONDS = 120
STOP_SECONDS = 120
_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(
    [
        "tests.processes",
        "ficha.cli.app",
        "ficha.server",
        "ficha.demo.people",
        "ficha.migrations",
        "granian.server",
        # What a service loads when somebody comes who needs it.
        "asyncpg",
        "email_validator",
        "ficha.api.accounts",
        "ficha.api.administration",
        "ficha.api.conversations",
        "ficha.api.fmd",
        "ficha.api.messaging",
        "ficha.api.products",
        "ficha.backup",
        "ficha.core.key_rotation",
        "ficha.tables",
        "ficha.web.console.pages",
        "ficha.web.portal.pages",
        "ficha.worker",
        "httpcore",
        "httpx",
        "jinja2",
        "phonenumbers",
        "typer.rich_utils",
        # What the children of the tests run.
        "tests.world",
        "tests.emergencies.process",
        "tests.messaging.killed_sender",
        # The last: it leaves what all of them made as it is.
        "tests.fork_warmup",
    ]
)


def start(function: Callable[..., object], *arguments: Any) -> ForkServerProcess:
    """Another process, in which this function of a module runs. Whoever starts it sees that it ends."""
    process = _forks.Process(target=function, args=arguments)
    process.start()
    return process


def start_ficha(*words: str, env: dict[str, str], output: Path, is_full_price: bool = False) -> ForkServerProcess:
    """`ficha` with these words. What it prints is in the file `output`, its errors in the one beside it. Claves are
    light in it, unless they are to be hashed at their full price."""
    return start(_ficha, words, env, output, is_full_price)


def start_python(*words: str, env: dict[str, str], output: Path) -> ForkServerProcess:
    """A fresh interpreter with these words."""
    return start(_python, words, env, output)


def _ficha(words: tuple[str, ...], env: dict[str, str], output: Path, is_full_price: bool) -> None:
    _print_to(output)
    if not is_full_price:
        use_light_claves()
    os.environ.clear()
    os.environ.update(env)
    sys.argv = ["ficha", *words]
    multiprocessing.set_start_method("fork", force=True)  # As everywhere but in the child of a fork server.
    main()


def _python(words: tuple[str, ...], env: dict[str, str], output: Path) -> None:
    _print_to(output)
    os.execve(sys.executable, [sys.executable, *words], env)  # The same process, begun anew.


def _print_to(output: Path) -> None:
    for number, file in ((1, output), (2, errors_of(output))):
        with file.open("ab") as stream:
            os.dup2(stream.fileno(), number)


def errors_of(output: Path) -> Path:
    return output.with_suffix(".errors")


def kill(process: ForkServerProcess) -> None:
    """This one and those it started, at once, as a power cut would."""
    for member in family(process):
        member.kill()
    process.join()


def family(process: ForkServerProcess) -> list[psutil.Process]:
    """The process that was started and those it started."""
    try:
        parent = psutil.Process(process.pid)
        return [parent, *parent.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def stop(process: ForkServerProcess, seconds: float = STOP_SECONDS) -> int:
    """Asked to end, and given this long to do so. Its exit code."""
    process.terminate()
    process.join(seconds)
    if process.exitcode is None:
        kill(process)
        raise AssertionError(f"it did not stop within {seconds} s")
    return process.exitcode


def environment(database_url: str, data_dir: Path, **changes: str) -> dict[str, str]:
    """The machine's own, without its FICHA_* variables, and with bytecode kept as an installed program has it."""
    # A command that ran in this process has said whose its connections are.
    unwanted = ("FICHA_", "PGAPPNAME", "PYTHONDONTWRITEBYTECODE")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    return inherited | {
        "FICHA_DATABASE_URL": database_url,
        "FICHA_DATA_DIR": str(data_dir),
        "FICHA_RATE_LIMITS": "off",
        "FICHA_LOG_FORMAT": "json",
        **changes,
    }


def ficha(*words: str, env: dict[str, str], check: bool = True) -> subprocess.CompletedProcess[str]:
    """The command, run to its end."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "output"
        ended = until_end(start_ficha(*words, env=env, output=output), output)
    assert ended.returncode == 0 or not check, f"ficha {words} ended with {ended.returncode}: {ended.stderr}"
    return ended


def python(*words: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter with these words, run to its end."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "output"
        return until_end(start_python(*words, env=env, output=output), output)


def until_end(process: ForkServerProcess, output: Path) -> subprocess.CompletedProcess[str]:
    process.join(RUN_SECONDS)
    is_over = process.exitcode is not None
    kill(process)
    assert is_over and process.exitcode is not None, f"it did not end within {RUN_SECONDS} s"
    return subprocess.CompletedProcess((), process.exitcode, output.read_text(), errors_of(output).read_text())


class Server:
    """`ficha serve`, ready when the test gets it, and so is its sandbox if it has one."""

    is_fresh = False
    is_full_price = False

    def __init__(self, database_url: str, data_dir: Path, *words: str, **changes: str) -> None:
        """`words` go to `ficha serve`; without any, no messaging sandbox is started beside it."""
        self._ports = ReservedPort(), ReservedPort()
        self.port, sandbox_port = (reserved.number for reserved in self._ports)
        ports = {"FICHA_PORT": str(self.port), "FICHA_SANDBOX_PORT": str(sandbox_port)}
        self.env = environment(database_url, data_dir, **ports | changes)
        has_sandbox = bool(words) and "FICHA_WHATSAPP_BASE_URL" not in changes
        self.sandbox_url = f"http://127.0.0.1:{sandbox_port}" if has_sandbox else None
        if database_url and not self.is_fresh:
            # It is migrated. With its keys there, a start has nothing to make, for which it would run a child.
            data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            Keyring.from_file(data_dir / "keys.json")
        self._output = data_dir.parent / f"server-{self.port}.output"
        command = ("serve", *(words or ("--no-sandbox",)))
        if self.is_fresh:
            self.process = start_python("-m", "ficha", *command, env=self.env, output=self._output)
        else:
            price = self.is_full_price
            self.process = start_ficha(*command, env=self.env, output=self._output, is_full_price=price)
        self.client = local_http.client(base_url=f"http://127.0.0.1:{self.port}")
        self._wait_until_ready()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def log(self) -> str:
        return self._output.read_text() + errors_of(self._output).read_text()

    def get(self, path: str, token: str | None = None) -> httpx.Response:
        return self.client.get(path, headers={"Authorization": f"Bearer {token}"} if token else {})

    def post(self, path: str, json: Any = None, token: str | None = None) -> httpx.Response:
        return self.client.post(path, json=json, headers={"Authorization": f"Bearer {token}"} if token else {})

    def family(self) -> list[psutil.Process]:
        return family(self.process)

    def stop(self) -> int:
        self._let_go()
        return stop(self.process)

    def kill(self) -> None:
        kill(self.process)
        self._let_go()

    def _let_go(self) -> None:
        self.client.close()
        for reserved in self._ports:
            reserved.release()

    def _wait_until_ready(self) -> None:
        try:
            eventually(self._is_ready, START_SECONDS)
        except AssertionError as error:
            self.kill()
            raise AssertionError(f"the server did not start: {self.log}") from error

    def _is_ready(self) -> bool:
        assert self.process.exitcode is None, f"it ended with {self.process.exitcode}"
        try:
            # The sandbox is a process of its own: its starting has nothing to do with when the server is ready.
            if self.sandbox_url is not None:
                self.client.get(self.sandbox_url)
            return self.client.get("/health/ready").status_code == 200
        except httpx.TransportError:
            return False


class FreshServer(Server):
    """In an interpreter of its own, as an operator starts it."""

    is_fresh = True


class FullPriceServer(Server):
    """It hashes claves as the service does: a request that brings one is under way for a while."""

    is_full_price = True
