"""A thousand messages of ours, while the platform fails in every way it can and our worker is killed."""

import os
from collections import Counter
from contextlib import suppress
from datetime import datetime, timedelta
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from ficha.channels.messages import Template
from ficha.core.clock import SystemClock
from ficha.core.crypto import keyring_of
from ficha.core.db import Database
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.jobs.table import READY, RUNNING, LeasedJob
from ficha.messaging.messages import SEND, queue_message
from ficha.messaging.tables import Message, MessageState, Notification, Uptime
from ficha.sandbox.config import SandboxConfig
from ficha.sandbox.server import Sandbox
from ficha.sandbox.whatsapp.behaviour import Behaviour
from ficha.sandbox.whatsapp.config import WhatsAppConfig
from tests.messaging.webhook_notifications import NUMBER, WEBHOOK
from tests.processes import Server, kill, start_ficha
from tests.waiting import eventually
from tests.world import settings_for

pytestmark = pytest.mark.slow

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
    "FICHA_JOB_THREADS": "8",
    "FICHA_WHATSAPP_SECONDS": "1",
    # Longer than any status takes on a busy machine. The test does not wait for it: see `let_time_pass`.
    "FICHA_WHATSAPP_DOUBT_SECONDS": "300",
    "FICHA_WHATSAPP_PER_SECOND": "1000",
}


# Of the platform's event loop, in which it reads what has arrived.
TURNS = 9


class MoreToLearn(Exception):
    """Statuses are still to come: nothing is changed."""


def start_worker(server: Server, folder: Path) -> ForkServerProcess:
    return start_ficha("worker", env=server.env, output=folder / "worker.output")


def test_nothing_is_lost_and_nothing_accepted_is_sent_twice(database_url: str, tmp_path: Path) -> None:
    settings, clock = settings_for(database_url, tmp_path / "data"), SystemClock()
    settings.data_dir.mkdir(parents=True)
    database, keyring = Database(database_url), keyring_of(settings)
    Secrets(database, keyring, clock).ensure_root()
    behaviour = Behaviour(per_second=None, pair_burst=None, statuses="duplicates", delivered_seconds=0.1)
    with Sandbox(SandboxConfig(whatsapp=WhatsAppConfig(behaviour=behaviour, seed=20261115))) as platform:
        changes = SETTINGS | {"FICHA_WHATSAPP_BASE_URL": platform.url, "FICHA_JOBS_IN_SERVER": "false"}
        with Server(database_url, tmp_path / "data", **changes) as server:
            webhook = f"http://127.0.0.1:{server.port}{WEBHOOK}"
            platform.call(lambda platforms: setattr(platforms.whatsapp.subscription, "override", webhook))
            platform.call(lambda platforms: platforms.whatsapp.faults.set(FAULTS))
            with database.writing() as tx:
                keys = [
                    queue_message(
                        tx,
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
                    wait_until_accepted(database, platform, SENDS * part // (KILLS + 2))
                    kill(worker)
                    expire_leases(database)
                    worker = start_worker(server, tmp_path)
                wait_until_accepted(database, platform, SENDS)
                platform.wait_until_idle(60)
                eventually(lambda: states_of(database) == {MessageState.DELIVERED: SENDS})
            finally:
                kill(worker)
        # What the platform recorded decides.
        accepted = list(platform.whatsapp.journal.accepted)
        faults = Counter(getattr(entry, "fault", None) for entry in platform.whatsapp.journal.entries)
    assert Counter(one.key for one in accepted) == Counter(keys), "each of ours exactly once, and nothing else"
    # The rarest of them may be missing in a small run.
    rare = {"half_answer"} if SENDS >= 1_000 else set()
    assert {"error", "http", "drop_after", "drop_before", "timeout_after_acceptance"} | rare <= faults.keys()
    with database.reading() as tx:
        names = tx.orm.execute(select(Message.key, Message.provider_id)).all()
    assert {tuple(row) for row in names} == {(one.key, one.id) for one in accepted}
    database.close()


def states_of(database: Database) -> Counter[str]:
    with database.reading() as tx:
        return Counter(tx.orm.scalars(select(Message.state)))


def wait_until_accepted(database: Database, platform: Sandbox, count: int) -> None:
    def are_accepted() -> bool:
        let_time_pass(database, platform)
        return SENDS - states_of(database)[MessageState.QUEUED] >= count

    eventually(are_accepted, 240)


def let_time_pass(database: Database, platform: Sandbox) -> None:
    """Once all statuses were sent and processed, nothing more can be learned about the messages in doubt:
    those that wait for another try need not wait any longer. A message that is being sent is left alone."""
    platform.wait_until_idle(60)
    with suppress(MoreToLearn), database.writing() as tx:
        long_ago = SystemClock().now() - timedelta(hours=1)
        waiting = message_ids_put_to(tx, long_ago)
        doubts = update(Message).where(Message.id.in_(waiting), Message.state == MessageState.QUEUED)
        tx.orm.execute(doubts.where(Message.in_doubt_at.is_not(None)).values(in_doubt_at=long_ago))
        tx.orm.execute(doubts.where(Message.next_try_at.is_not(None)).values(next_try_at=long_ago))
        tx.orm.execute(update(Uptime).values(silent_from=long_ago, since=long_ago))
        # Asked last: a message may have been accepted and come into doubt while this transaction waited to begin.
        has_statuses = any(platform.call(lambda platforms: platforms.whatsapp.pending) for _ in range(TURNS))
        if has_statuses or tx.orm.scalar(select(func.count()).where(Notification.processed_at.is_(None))):
            raise MoreToLearn


def message_ids_put_to(tx: Transaction, at: datetime) -> set[int]:
    """Those with a job that waits, which is due at that time now. Not those that another job is sending: a process that
    was killed may have put one for later before it could end its own."""
    ours = LeasedJob.kind == SEND
    moved = update(LeasedJob).where(ours, LeasedJob.state == READY).values(run_at=at)
    waiting = tx.orm.scalars(moved.returning(LeasedJob.payload)).all()
    sending = tx.orm.scalars(select(LeasedJob.payload).where(ours, LeasedJob.state == RUNNING)).all()
    return {job["message_id"] for job in waiting} - {job["message_id"] for job in sending}


def expire_leases(database: Database) -> None:
    """Lets the jobs of killed workers be taken over at once, as if they had been dead for long."""
    long_ago = SystemClock().now() - timedelta(hours=1)
    with database.writing() as tx:
        tx.orm.execute(update(LeasedJob).where(LeasedJob.state == RUNNING).values(lease_until=long_ago))
