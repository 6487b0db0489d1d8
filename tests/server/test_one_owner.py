"""A port has one server, and a server's processes end with it."""

import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.ports import ReservedPort
from tests.processes import Server, environment, errors_of, ficha, kill, start, start_ficha
from tests.waiting import eventually


def is_gone(process: psutil.Process) -> bool:
    """Nobody may be left to take note of its end: a zombie is gone too."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.mark.slow
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_second_server_at_a_port_is_told_so_and_touches_nothing(database_url: str, tmp_path: Path) -> None:
    with Server(database_url, tmp_path / "data", FICHA_WORKERS="2") as first:
        env = environment("", tmp_path / "other", FICHA_PORT=str(first.port))
        second = ficha("serve", "--no-sandbox", env=env, check=False)
        assert second.returncode == 2
        assert f"127.0.0.1:{first.port} is in use" in second.stderr and len(second.stderr.splitlines()) == 1
        everywhere = ficha("serve", "--no-sandbox", "--host", "0.0.0.0", env=env, check=False)
        assert everywhere.returncode == 2 and "in use" in everywhere.stderr
        assert not (tmp_path / "other").exists()
        assert first.get("/health/ready").status_code == 200


@pytest.mark.slow
def test_of_two_that_start_at_the_same_moment_one_serves(tmp_path: Path) -> None:
    with ReservedPort() as port:
        both = [
            start_ficha(
                "serve",
                "--no-sandbox",
                env=environment("", tmp_path / f"data{number}", FICHA_PORT=str(port)),
                output=tmp_path / f"{number}.output",
            )
            for number in range(2)
        ]
        try:
            eventually(lambda: any(one.exitcode is not None for one in both))
            assert sorted(one.exitcode or 0 for one in both) == [0, 2]
            said = [errors_of(tmp_path / f"{number}.output").read_text() for number in range(2)]
            assert sorted("in use" in one for one in said) == [False, True]
        finally:
            for one in both:
                kill(one)


def test_a_port_that_another_program_has_or_nobody_may_have_is_a_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        taken = ficha("serve", env=environment("", tmp_path, FICHA_PORT=str(port)), check=False)
    elsewhere = ficha("serve", "--host", "192.0.2.1", env=environment("", tmp_path), check=False)
    assert (taken.returncode, elsewhere.returncode) == (2, 2)
    assert "is in use" in taken.stderr and "192.0.2.1:8000" in elsewhere.stderr
    assert "Traceback" not in taken.stderr + elsewhere.stderr


@pytest.mark.slow
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_after_a_killed_parent_nobody_serves_and_it_can_be_started_again(database_url: str, tmp_path: Path) -> None:
    server = Server(database_url, tmp_path / "data", "--sandbox", FICHA_WORKERS="2")
    _, *children = server.family()
    assert len(children) >= 3, "two that serve, and the sandbox"
    server.process.kill()
    try:
        eventually(lambda: all(map(is_gone, children)))
    finally:
        server.kill()
    output = tmp_path / "again.output"
    again = start_ficha("serve", "--no-sandbox", env=server.env, output=output)
    try:
        eventually(lambda: errors_of(output).exists() and "is starting" in errors_of(output).read_text())
    finally:
        kill(again)


WORKING_CHILD = """
import os
from ficha.core.process import end_with_parent
end_with_parent(os.getppid())
print(os.getpid(), flush=True)
while True: pass
"""


def test_a_process_at_work_ends_with_its_parent(tmp_path: Path) -> None:
    """As one that reads a picture, and does not look at its standard input meanwhile."""
    parent = start(run_child, WORKING_CHILD, tmp_path / "said")
    eventually(lambda: (tmp_path / "said").exists() and (tmp_path / "said").read_text().endswith("\n"))
    child = psutil.Process(int((tmp_path / "said").read_text()))
    parent.kill()
    parent.join()
    eventually(lambda: is_gone(child))


def run_child(script: str, output: Path) -> None:
    with output.open("w") as stream:
        subprocess.run([sys.executable, "-c", script], stdout=stream, check=True)
