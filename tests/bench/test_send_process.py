"""Messages are sent with the code of the other commit's folder, whatever it calls its functions."""

from pathlib import Path

import pytest

from bench.messages import Sent
from bench.messages_against import send_with
from bench.worktree import DidNotSeed

DATABASES = """
from contextlib import contextmanager

@contextmanager
def open_database(name):
    yield name
"""
MESSAGES = """
from contextlib import contextmanager
from dataclasses import dataclass

@dataclass
class Sent:
    seconds: float
    cpu_ms: float
    database_cpu_ms: float

@contextmanager
def {running}(opened):
    yield opened

def {send}(service):
    return Sent({{"sqlite": 2.5}}[service], 3.5, 0)
"""


@pytest.mark.parametrize(("running", "send"), [("running_service", "send_all"), ("_running_service", "_send")])
def test_each_commit_sends_with_its_own_code(tmp_path: Path, running: str, send: str) -> None:
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "__init__.py").touch()
    (tmp_path / "bench" / "databases.py").write_text(DATABASES)
    (tmp_path / "bench" / "messages.py").write_text(MESSAGES.format(running=running, send=send))
    assert send_with(tmp_path, "sqlite") == Sent(2.5, 3.5, 0)
    with pytest.raises(DidNotSeed, match="KeyError"):
        send_with(tmp_path, "another")
