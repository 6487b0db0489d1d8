"""The sandbox as a process: started alone, started beside the service, and gone with it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
import pytest

from ficha.core.settings import Settings
from ficha.sandbox.server import Sandbox
from ficha.sandbox.whatsapp.config import SandboxConfig, webhook_of
from tests.sandbox.whatsapp.conftest import ANA
from tests.sandbox.whatsapp.receiver import Receiver

PATIENCE = 20


def environment(**values: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FICHA_")}
    return kept | values


@contextmanager
def started(*words: str, **values: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process and its address, read from what it says."""
    child = subprocess.Popen(
        [sys.executable, *words], env=environment(**values), stderr=subprocess.PIPE, text=True, cwd=Path.cwd()
    )
    try:
        assert child.stderr is not None
        said = ""
        while "http://127.0.0.1:" not in said:
            line = child.stderr.readline()
            assert line, said
            said += line
        yield child, said.partition("http://")[2].split()[0].rstrip(",")
    finally:
        if child.poll() is None:
            child.kill()
        child.wait()
        if child.stderr is not None:
            child.stderr.close()


def test_it_starts_notifies_and_stops(tmp_path: Path) -> None:
    with Receiver() as receiver:
        base = receiver.url.removesuffix("/v2/webhook/whatsapp")
        values = {"FICHA_SANDBOX_PORT": "0", "FICHA_BASE_URL": base, "FICHA_WHATSAPP_APP_SECRET": "otro"}
        with started("-m", "ficha.sandbox", **values) as (child, address):
            url = f"http://{address}"
            with httpx.Client(verify=False) as client:
                assert client.post(f"{url}/_sandbox/messages", json={"from": ANA, "text": "Hola"}).status_code == 201
            receiver.wait_for(1)
            assert receiver.notices[0].is_signed_with("otro")
            child.send_signal(signal.SIGTERM)
            assert child.wait(PATIENCE) == 0


def test_it_listens_to_this_machine_only() -> None:
    with started("-m", "ficha.sandbox", "--port", "0") as (child, _):
        listening = [each.laddr.ip for each in psutil.Process(child.pid).net_connections() if each.status == "LISTEN"]
        assert listening == ["127.0.0.1"]
        child.send_signal(signal.SIGINT)
        assert child.wait(PATIENCE) == 0


def test_a_taken_port_and_a_far_webhook_are_said_plainly() -> None:
    with Sandbox() as sandbox:
        port = sandbox.url.rpartition(":")[2]
        for words in (("--port", port), ("--webhook", "https://ejemplo.com/hook")):
            asked = subprocess.run(
                [sys.executable, "-m", "ficha.sandbox", *words],
                env=environment(),
                capture_output=True,
                text=True,
                check=False,
                timeout=PATIENCE,
            )
            assert asked.returncode == 2 and "cannot start" in asked.stderr and "Traceback" not in asked.stderr


def test_it_goes_with_whoever_started_it() -> None:
    """The service is killed without a word; its sandbox notices."""
    code = (
        "import time; from ficha.core.settings import Settings; from ficha.sandbox.process import start_beside;"
        "child = start_beside(Settings()); print('pid', child.pid, flush=True); time.sleep(60)"
    )
    service = subprocess.Popen(
        [sys.executable, "-c", code], env=environment(FICHA_SANDBOX_PORT="0"), stdout=subprocess.PIPE, text=True
    )
    assert service.stdout is not None
    try:
        sandbox = psutil.Process(int(service.stdout.readline().split()[1]))
        time.sleep(0.5)
        assert sandbox.is_running()
    finally:
        service.kill()
        service.wait()
        service.stdout.close()
    until = time.monotonic() + PATIENCE
    # Nobody may be left to bury it: a zombie is gone too.
    while sandbox.is_running() and sandbox.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < until
        time.sleep(0.05)


def test_the_command_says_how_to_use_it(tmp_path: Path) -> None:
    code = "import typer; from ficha.cli import sandbox; app = typer.Typer(); sandbox.add_to(app); app()"
    asked = subprocess.run(
        [sys.executable, "-c", code, "--help"],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    assert "Example: ficha sandbox" in asked.stdout and "--webhook" in asked.stdout
    with started("-c", code, "--port", "0") as (child, address):
        assert httpx.get(f"http://{address}/_sandbox/state", verify=False).json()["chats"] == []
        child.send_signal(signal.SIGTERM)
        assert child.wait(PATIENCE) == 0
    refused = subprocess.run(
        [sys.executable, "-c", code, "--webhook", "http://ejemplo.com"],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert refused.returncode == 2 and "Traceback" not in refused.stderr


@pytest.mark.parametrize(
    ("settings", "webhook"),
    [
        (Settings(), "http://127.0.0.1:8000/v2/webhook/whatsapp"),
        (Settings(port=9000, v2="/api", messaging_channel="wa"), "http://127.0.0.1:9000/api/webhook/wa"),
        # A name that only others resolve: the service itself is on this machine all the same.
        (Settings(base_url="https://ficha.ejemplo.com"), "http://127.0.0.1:8000/v2/webhook/whatsapp"),
    ],
)
def test_it_is_told_everything_by_the_settings(settings: Settings, webhook: str) -> None:
    assert webhook_of(settings) == webhook
    config = SandboxConfig.of(settings)
    assert config.base_url == settings.public_url
    assert SandboxConfig(**config.plain()) == config
