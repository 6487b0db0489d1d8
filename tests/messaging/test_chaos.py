"""A thousand messages of ours while the platform fails in every way it knows, and our worker dies now and then."""

import os
import time
from collections import Counter
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from sqlalchemy import func, select

from ficha.channels.messages import Template
from ficha.core.clock import SystemClock
from ficha.core.db import Database
from ficha.core.secrets import Secrets
from ficha.messaging.message_states import MessageState
from ficha.messaging.messages import Message, queue_message
from ficha.parts import keyring_of
from ficha.sandbox.config import SandboxConfig
from ficha.sandbox.server import Sandbox
from ficha.sandbox.whatsapp.behaviour import Behaviour
from ficha.sandbox.whatsapp.config import WhatsAppConfig
from tests.messaging.notifying import NUMBER, WEBHOOK
from tests.processes import Server, kill, start_ficha
from tests.world import settings_for

# A twentieth with the other tests; `make storm` sends them all.
SENDS, KILLS = int(1_000 * float(os.environ.get("FICHA_STORM", "0.05"))), 2
FAULTS = [
    {"match": {"type": "template"}, "probability": 0.08, "action": "error", "code": 131016},
    {"match": {"type": "template"}, "probability": 0.08, "action": "error", "code": 130429, "status": 429},
    {"match": {"type": "template"}, "probability": 0.05, "action": "http", "status": 500},
    {"match": {"type": "template"}, "probability": 0.05, "action": "timeout_after_acceptance"},
    {"match": {"type": "template"}, "probability": 0.05, "action": "drop_after"},
    {"match": {"type": "template"}, "probability": 0.05, "action": "drop_before"},
    {"match": {"type": "template"}, "probability": 0.03, "action": "half_answer"},
]
SETTINGS = {
    "FICHA_JOB_LEASE_SECONDS": "3",
    "FICHA_JOB_THREADS": "8",
    "FICHA_WHATSAPP_SECONDS": "1",
    # Long enough for a status to come on a busy machine, short enough for a test.
    "FICHA_WHATSAPP_DOUBT_SECONDS": "15",
    "FICHA_WHATSAPP_PER_SECOND": "1000",
}


def start_worker(server: Server, folder: Path) -> ForkServerProcess:
    return start_ficha("worker", env=server.env, output=folder / "worker.output")


def test_nothing_is_lost_and_nothing_accepted_is_sent_twice(database_url: str, tmp_path: Path) -> None:
    settings, clock = settings_for(database_url, tmp_path / "data"), SystemClock()
    settings.data_dir.mkdir(parents=True)
    database, keyring = Database(database_url), keyring_of(settings)
    Secrets(database, keyring, clock).ensure()
    behaviour = Behaviour(per_second=None, pair_burst=None, statuses="duplicates", delivered_seconds=0.1)
    with Sandbox(SandboxConfig(whatsapp=WhatsAppConfig(behaviour=behaviour, seed=20261115))) as platform:
        changes = SETTINGS | {"FICHA_WHATSAPP_BASE_URL": platform.url, "FICHA_JOBS_IN_SERVER": "false"}
        with Server(database_url, tmp_path / "data", **changes) as server:
            webhook = f"http://127.0.0.1:{server.port}{WEBHOOK}"
            platform.call(lambda platforms: setattr(platforms.whatsapp.subscription, "override", webhook))
            platform.call(lambda platforms: platforms.whatsapp.faults.set(FAULTS))
            with database.writing() as session:
                keys = [
                    queue_message(
                        session,
                        keyring,
                        NUMBER,
                        f"+58412{number:07d}",
                        Template("mensaje_pendiente", "es", body=[f"Mensaje {number}"]),
                        clock.now(),
                    ).key
                    for number in range(SENDS)
                ]
            worker = start_worker(server, tmp_path)
            try:
                for part in range(1, KILLS + 1):
                    wait_until_accepted(database, SENDS * part // (KILLS + 2))
                    kill(worker)
                    worker = start_worker(server, tmp_path)
                wait_until_accepted(database, SENDS)
                platform.wait_until_idle(60)
                wait_until(database, MessageState.DELIVERED, SENDS)
            finally:
                kill(worker)
        # What the platform itself wrote down decides.
        accepted = list(platform.whatsapp.journal.accepted)
        faults = Counter(getattr(entry, "fault", None) for entry in platform.whatsapp.journal.entries)
    assert Counter(one.key for one in accepted) == Counter(keys), "each of ours exactly once, and nothing else"
    # The rarest of them may stay away from a small run.
    rare = {"half_answer"} if SENDS >= 1_000 else set()
    assert {"error", "http", "drop_after", "drop_before", "timeout_after_acceptance"} | rare <= faults.keys()
    with database.reading() as session:
        states = Counter(session.scalars(select(Message.state)))
        names = session.execute(select(Message.key, Message.provider_id)).all()
    assert states == {MessageState.DELIVERED: SENDS}
    assert {tuple(row) for row in names} == {(one.key, one.id) for one in accepted}
    database.close()


def wait_until_accepted(database: Database, count: int, seconds: float = 240) -> None:
    deadline = time.monotonic() + seconds
    found = 0
    while time.monotonic() < deadline:
        with database.reading() as session:
            found = session.scalar(select(func.count()).where(Message.state != MessageState.QUEUED)) or 0
        if found >= count:
            return
        time.sleep(0.2)
    raise AssertionError(f"{found} of {count} were accepted")


def wait_until(database: Database, state: MessageState, count: int, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    states: Counter[str] = Counter()
    while time.monotonic() < deadline:
        with database.reading() as session:
            states = Counter(session.scalars(select(Message.state)))
        if states[state] >= count:
            return
        time.sleep(0.2)
    raise AssertionError(f"{dict(states)}")
