"""The sandbox as a process: started alone, started with the service, and ended with it."""

import json
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import psutil
import pytest

from ficha.core.settings import Settings
from ficha.sandbox.config import SandboxConfig
from ficha.sandbox.platform_config import webhook_of
from ficha.sandbox.process import start_sandbox_process
from ficha.sandbox.server import Sandbox
from tests import local_http
from tests.processes import environment, errors_of, family, ficha, kill, python, start, start_ficha, start_python, stop
from tests.sandbox.whatsapp.conftest import ANA
from tests.sandbox.whatsapp.receiver import Receiver
from tests.waiting import eventually


@contextmanager
def started(process: ForkServerProcess, output: Path) -> Iterator[str]:
    """The address of a sandbox, read from what it says."""
    said = errors_of(output)
    try:
        eventually(lambda: said.exists() and "http://127.0.0.1:" in said.read_text().rpartition("\n")[0])
        yield said.read_text().partition("http://")[2].split()[0].rstrip(",")
    finally:
        kill(process)


def addresses_of(process: psutil.Process) -> list[str]:
    return [each.laddr.ip for each in process.net_connections() if each.status == psutil.CONN_LISTEN]


def test_it_starts_notifies_and_stops(tmp_path: Path) -> None:
    output = tmp_path / "sandbox.output"
    with Receiver() as receiver:
        base = receiver.url.removesuffix("/v2/webhook/whatsapp")
        values = {"FICHA_SANDBOX_PORT": "0", "FICHA_BASE_URL": base, "FICHA_WHATSAPP_APP_SECRET": "otro"}
        process = start_python("-m", "ficha.sandbox", env=environment("", tmp_path, **values), output=output)
        with started(process, output) as address:
            with local_http.client() as client:
                written = client.post(f"http://{address}/_sandbox/messages", json={"from": ANA, "text": "Hola"})
            assert written.status_code == 201
            receiver.wait_for(1)
            assert receiver.notifications[0].is_signed_with("otro")
            assert stop(process) == 0


def test_it_listens_to_this_machine_only(tmp_path: Path) -> None:
    output = tmp_path / "sandbox.output"
    process = start_python("-m", "ficha.sandbox", "--port", "0", env=environment("", tmp_path), output=output)
    with started(process, output):
        assert addresses_of(psutil.Process(process.pid)) == ["127.0.0.1"]
        os.kill(process.pid or 0, signal.SIGINT)
        process.join(60)
        assert process.exitcode == 0


@pytest.mark.slow
def test_a_taken_port_or_a_webhook_elsewhere_is_reported_in_a_sentence(tmp_path: Path) -> None:
    with Sandbox() as sandbox:
        port = sandbox.url.rpartition(":")[2]
        for words in (("--port", port), ("--webhook", "https://ejemplo.com/hook")):
            asked = python("-m", "ficha.sandbox", *words, env=environment("", tmp_path))
            assert asked.returncode == 2 and "cannot start" in asked.stderr and "Traceback" not in asked.stderr


def start_and_wait(data_dir: Path) -> None:
    """What `ficha serve` does: starts a sandbox process and goes on."""
    start_sandbox_process(Settings(_env_file=None, sandbox_port=0, data_dir=data_dir))
    threading.Event().wait()


@pytest.mark.slow
def test_it_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    """The service is killed and cannot stop its sandbox, which notices and ends."""
    service = start(start_and_wait, tmp_path)
    try:
        eventually(lambda: len(family(service)) == 2)
        _, sandbox = family(service)
        eventually(lambda: addresses_of(sandbox))
    finally:
        service.kill()
        service.join()
    # Nobody may be left to take note of its end: a zombie is gone too.
    eventually(lambda: not sandbox.is_running() or sandbox.status() == psutil.STATUS_ZOMBIE)


def test_the_command_says_how_to_use_it(tmp_path: Path) -> None:
    env, output = environment("", tmp_path), tmp_path / "sandbox.output"
    asked = ficha("sandbox", "--help", env=env)
    assert "Example: ficha sandbox" in asked.stdout and "--webhook" in asked.stdout
    process = start_ficha("sandbox", "--port", "0", env=env, output=output)
    with started(process, output) as address:
        assert local_http.get(f"http://{address}/_sandbox/state").json()["chats"] == []
        assert stop(process) == 0
    refused = ficha("sandbox", "--webhook", "http://ejemplo.com", env=env, check=False)
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
def test_its_configuration_comes_from_the_settings(settings: Settings, webhook: str) -> None:
    assert webhook_of(settings, settings.messaging_channel) == webhook
    config = SandboxConfig.of(settings)
    assert config.whatsapp.base_url == settings.public_url
    assert SandboxConfig.from_json(json.loads(json.dumps(config.as_json()))) == config
