"""The threads of a server process that run Python stay on one core; what works beside Python has all of them."""

import os
import subprocess
import sys
import threading
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

import psutil
import pytest

from ficha.core.process import EVERY, on_all_cores, stay_on_one_core, use_all_cores
from tests.processes import Server, start
from tests.waiting import eventually
from tests.world import registration

pytestmark = pytest.mark.skipif(len(EVERY) < 2, reason="this machine has one core, or does not say which a thread uses")


def cores_of(process: psutil.Process) -> list[int]:
    """How many cores each thread may use, the first thread first."""
    return [len(os.sched_getaffinity(thread.id)) for thread in sorted(process.threads())]


def serving_process(server: Server) -> psutil.Process:
    [worker] = [member for member in server.family()[1:] if member.status() != psutil.STATUS_ZOMBIE]
    return worker


@pytest.mark.slow
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_event_loop_stays_claves_are_hashed_and_cards_drawn_anywhere(database_url: str, tmp_path: Path) -> None:
    with Server(database_url, tmp_path / "data") as server:
        worker = serving_process(server)
        eventually(lambda: cores_of(worker)[0] == 1)
        before = cores_of(worker)
        assert before.count(len(EVERY)) >= 1, "those that carry bytes to the sockets"
        registered = server.post("/v2/auth/register", registration())
        assert registered.status_code == 201
        after = cores_of(worker)
        assert after.count(len(EVERY)) > before.count(len(EVERY)), "the one that hashed"
        assert after.count(1) > before.count(1), "the one that the request ran in"
        person = registered.json()["data"]["attributes"]
        drawn = server.get(f"/v2/carnet/{person['product_codes'][0]}.pdf", person["token"])
        assert drawn.status_code == 409, "nobody issued it: the thread that would draw it says so"
        assert cores_of(worker).count(len(EVERY)) > after.count(len(EVERY)), "that one"


@pytest.mark.slow
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_whoever_runs_it_can_leave_it_to_the_system(database_url: str, tmp_path: Path) -> None:
    with Server(database_url, tmp_path / "data", FICHA_ONE_CORE="false") as server:
        assert server.post("/v2/auth/register", registration()).status_code == 201
        assert set(cores_of(serving_process(server))) == {len(EVERY)}


def report(answers: Connection) -> None:
    """In a process of its own: what is said there holds for all its threads."""
    is_over = threading.Event()
    other = threading.Thread(target=is_over.wait)
    other.start()
    stay_on_one_core()
    asked = [sys.executable, "-c", "import os; print(len(os.sched_getaffinity(0)))"]
    here = os.sched_getaffinity(0)
    answers.send(("itself and another", len(here | os.sched_getaffinity(other.native_id or 0))))
    answers.send(("a process", int(subprocess.check_output(asked))))
    with on_all_cores():
        answers.send(("a process that was let go", int(subprocess.check_output(asked))))
    answers.send(("afterwards", len(here | os.sched_getaffinity(0))))
    use_all_cores()
    answers.send(("at last", len(os.sched_getaffinity(0))))
    is_over.set()


def test_what_one_thread_starts_stays_with_it_unless_it_is_let_go() -> None:
    ours, theirs = Pipe()
    process = start(report, theirs)
    said = dict(ours.recv() for _ in range(5))
    process.join()
    every = len(EVERY)
    assert said == {
        "itself and another": 1,
        "a process": 1,
        "a process that was let go": every,
        "afterwards": 1,
        "at last": every,
    }
