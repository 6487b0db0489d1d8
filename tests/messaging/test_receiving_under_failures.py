"""Many notifications, each three times and in random order, while processes are killed and the database is locked."""

import os
import random
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import Connection, func, select, text
from sqlalchemy.exc import OperationalError

from ficha.channels.messages import Text
from ficha.core.clock import SystemClock
from ficha.core.crypto import keyring_of
from ficha.core.db import Database
from ficha.core.secrets import Secrets
from ficha.events.events import Event
from ficha.messaging.messages import queue_message
from ficha.messaging.tables import Message, MessageState, Notification, Thread
from tests import local_http
from tests.messaging.webhook_notifications import NUMBER, WEBHOOK, enveloped, message, signed, status, value
from tests.processes import Server, family, ficha, kill, start_ficha
from tests.world import settings_for

pytestmark = pytest.mark.slow

# A twentieth of them with the other tests; `make storm` sends all.
SCALE = float(os.environ.get("FICHA_STORM", "0.05"))
MESSAGES, SENT, COPIES = int(7_000 * SCALE), int(1_000 * SCALE), 3
SENDERS, STOPPERS = 300, 40
KILLS, LOCKS = 4, 3


class ServiceToKill:
    """The service as it runs: on PostgreSQL the jobs have a process of their own."""

    def __init__(self, url: str, folder: Path) -> None:
        self._url, self._folder = url, folder
        self._worker: ForkServerProcess | None = None
        self.server = self._start()

    def _start(self) -> Server:
        server = Server(
            self._url, self._folder, FICHA_JOB_LEASE_SECONDS="2", FICHA_WHATSAPP_BASE_URL="http://127.0.0.1:9"
        )
        if self._url.startswith("postgresql"):
            self._worker = start_ficha("worker", env=server.env, output=self._folder.parent / "worker.output")
        return server

    def kill(self) -> None:
        if self._worker is not None:
            kill(self._worker)
        self.server.kill()

    def kill_and_restart(self) -> None:
        self.kill()
        self.server = self._start()


@contextmanager
def locked(database: Database) -> Iterator[None]:
    """Locks the database, as a backup might."""
    if database.is_sqlite:
        other = sqlite3.connect(database.engine.url.database or "", isolation_level=None, timeout=30)
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")
        other.close()
    else:
        with database.engine.begin() as connection:
            # One after the other, and again after a deadlock with somebody who locked them in another order.
            for table in ("messages", "notifications"):
                _lock(connection, table)
            yield


def _lock(connection: Connection, table: str) -> None:
    while True:
        try:
            with connection.begin_nested():
                connection.execute(text(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"))
            return
        except OperationalError:
            time.sleep(0.1)


def items_of(keys: list[str], now: datetime, rng: random.Random) -> list[tuple[str, dict[str, Any]]]:
    at = int(now.timestamp())
    items: list[tuple[str, dict[str, Any]]] = []
    for number in range(MESSAGES):
        words = "BAJA" if number < STOPPERS else f"Mensaje {number}"
        items.append(
            ("messages", message(sender=f"58412{number % SENDERS:07d}", id=f"wamid.IN{number}", text=words, at=at))
        )
    for number, key in enumerate(keys):
        for word in ("sent", "delivered", "read"):
            items.append(("statuses", status(f"wamid.OUT{number}", word, at=at, biz_opaque_callback_data=key)))
    copies = items * COPIES
    rng.shuffle(copies)
    return copies


def batches_of(items: list[tuple[str, dict[str, Any]]], rng: random.Random) -> list[bytes]:
    batches = []
    while items:
        size = rng.choice((1, 1, 5, 40, 300))
        batch, items = items[:size], items[size:]
        parts = {kind: [item for which, item in batch if which == kind] for kind in ("messages", "statuses")}
        batches.append(enveloped(value(parts["messages"], parts["statuses"])))
    return batches


def send_until_accepted(service: ServiceToKill, bodies: list[bytes], lock: threading.Lock) -> None:
    """As the platform does: whatever is not answered with 200 is sent again."""
    with local_http.client() as platform:
        while True:
            with lock:
                if not bodies:
                    return
                body = bodies.pop()
            while not accepts(platform, service, body):
                time.sleep(0.1)


def accepts(platform: httpx.Client, service: ServiceToKill, body: bytes) -> bool:
    url = f"http://127.0.0.1:{service.server.port}{WEBHOOK}"
    try:
        return platform.post(url, content=body, headers=signed(body)).status_code == 200
    except httpx.TransportError:
        return False


def wait_until_processed(database: Database, seconds: float = 240) -> None:
    deadline = time.monotonic() + seconds
    left = -1
    while time.monotonic() < deadline:
        with database.reading() as tx:
            left = tx.orm.scalar(select(func.count()).where(Notification.processed_at.is_(None))) or 0
        if left == 0:
            return
        time.sleep(0.3)
    raise AssertionError(f"{left} notifications were not processed")


def test_each_message_and_each_effect_exactly_once(database_url: str, tmp_path: Path) -> None:
    rng = random.Random(20261115)
    clock = SystemClock()
    settings = settings_for(database_url, tmp_path / "data")
    settings.data_dir.mkdir(parents=True)
    database, keyring = Database(database_url), keyring_of(settings)
    Secrets(database, keyring, clock).ensure_root()
    with database.writing() as tx:
        # Queued and in doubt: only their statuses will tell that they were accepted.
        ours = [
            queue_message(tx, keyring, NUMBER, f"+58424{number:07d}", Text("Hola"), clock.now())
            for number in range(SENT)
        ]
        for one in ours:
            one.in_doubt_at = clock.now()
        keys = [one.key for one in ours]
    batches = batches_of(items_of(keys, clock.now(), rng), rng)
    total = len(batches)

    service = ServiceToKill(database_url, tmp_path / "data")
    try:
        lock = threading.Lock()
        senders = [threading.Thread(target=send_until_accepted, args=(service, batches, lock)) for _ in range(6)]
        for sender in senders:
            sender.start()
        failures = ["kill"] * KILLS + ["lock"] * LOCKS
        rng.shuffle(failures)
        for number, failure in enumerate(failures, start=1):
            while len(batches) > total * (1 - number / (len(failures) + 1)):
                time.sleep(0.05)
            if failure == "kill":
                service.kill_and_restart()
            else:
                with locked(database):
                    time.sleep(1.5)
        for sender in senders:
            sender.join()
        wait_until_processed(database)
    finally:
        service.kill()

    with database.reading() as tx:
        theirs = tx.orm.scalars(select(Message.provider_id).where(Message.is_ours.is_(False))).all()
        assert Counter(theirs) == Counter(f"wamid.IN{number}" for number in range(MESSAGES))
        states = tx.orm.execute(
            select(Message.key, Message.provider_id, Message.state).where(Message.key.in_(keys))
        ).all()
        assert {(key, name) for key, name, _ in states} == {(key, f"wamid.OUT{n}") for n, key in enumerate(keys)}
        assert {state for *_, state in states} == {MessageState.READ}
        published = Counter(
            event.payload["id"]
            for event in tx.orm.scalars(
                select(Event).where(Event.kind == "message.received", Event.account_id.is_(None))
            )
        )
        assert len(published) == MESSAGES and set(published.values()) == {1}
        state_changes = Counter(
            (event.payload["id"], event.payload["state"])
            for event in tx.orm.scalars(select(Event).where(Event.kind == "message.state"))
        )
        assert set(state_changes.values()) == {1}
        answers = tx.orm.scalars(select(Message).where(Message.about == "baja")).all()
        assert len(answers) == STOPPERS
        stopped = tx.orm.scalars(select(Thread).where(Thread.stopped_at.is_not(None))).all()
        assert len(stopped) == STOPPERS
        assert tx.orm.scalar(select(func.sum(Notification.unreadable))) == 0
    database.close()
    assert ficha("jobs", "list", env=service.server.env, check=False).returncode in (0, 1)
    assert family(service.server.process) == []
