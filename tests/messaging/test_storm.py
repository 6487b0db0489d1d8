"""A storm of notifications: each three times, shuffled, in batches, amid killed processes and a locked database."""

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
from sqlalchemy import Connection, func, select, text
from sqlalchemy.exc import OperationalError

from ficha.channels.messages import Text
from ficha.core.clock import SystemClock
from ficha.core.db import Database
from ficha.core.secrets import Secrets
from ficha.events.events import Event
from ficha.messaging.message_states import MessageState
from ficha.messaging.messages import Message, queue_message
from ficha.messaging.notifications import Notification
from ficha.messaging.threads import Thread
from ficha.parts import keyring_of
from tests.messaging.notifying import NUMBER, WEBHOOK, enveloped, message, signed, status, value
from tests.processes import Server, family, ficha, kill, start_ficha
from tests.world import settings_for

# A twentieth of the storm with the other tests; `make storm` lets it blow whole.
SCALE = float(os.environ.get("FICHA_STORM", "0.05"))
MESSAGES, SENT, COPIES = int(7_000 * SCALE), int(1_000 * SCALE), 3
SENDERS, STOPPERS = 300, 40
KILLS, LOCKS = 4, 3


class House:
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

    def die_and_come_back(self) -> None:
        self.kill()
        self.server = self._start()


@contextmanager
def locked(database: Database) -> Iterator[None]:
    """Somebody holds the database, as a backup or a careless hand would."""
    if database.is_sqlite:
        holder = sqlite3.connect(database.engine.url.database or "", isolation_level=None, timeout=30)
        holder.execute("BEGIN IMMEDIATE")
        yield
        holder.execute("ROLLBACK")
        holder.close()
    else:
        with database.engine.begin() as connection:
            # One after the other, and again if somebody holds them the other way round.
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


def items_of(keys: list[str], now: datetime, dice: random.Random) -> list[tuple[str, dict[str, Any]]]:
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
    storm = items * COPIES
    dice.shuffle(storm)
    return storm


def batches_of(storm: list[tuple[str, dict[str, Any]]], dice: random.Random) -> list[bytes]:
    batches = []
    while storm:
        size = dice.choice((1, 1, 5, 40, 300))
        batch, storm = storm[:size], storm[size:]
        parts = {kind: [item for which, item in batch if which == kind] for kind in ("messages", "statuses")}
        batches.append(enveloped(value(parts["messages"], parts["statuses"])))
    return batches


def insist(house: House, bodies: list[bytes], lock: threading.Lock) -> None:
    """As the platform does: whatever is not answered with 200 is sent again."""
    with httpx.Client(timeout=20, verify=False) as platform:
        while True:
            with lock:
                if not bodies:
                    return
                body = bodies.pop()
            while not accepts(platform, house, body):
                time.sleep(0.1)


def accepts(platform: httpx.Client, house: House, body: bytes) -> bool:
    url = f"http://127.0.0.1:{house.server.port}{WEBHOOK}"
    try:
        return platform.post(url, content=body, headers=signed(body)).status_code == 200
    except httpx.TransportError:
        return False


def wait_until_processed(database: Database, seconds: float = 240) -> None:
    deadline = time.monotonic() + seconds
    left = -1
    while time.monotonic() < deadline:
        with database.reading() as session:
            left = session.scalar(select(func.count()).where(Notification.processed_at.is_(None))) or 0
        if left == 0:
            return
        time.sleep(0.3)
    raise AssertionError(f"{left} notifications were not dealt with")


def test_each_message_and_each_effect_exactly_once(database_url: str, tmp_path: Path) -> None:
    dice = random.Random(20261115)
    clock = SystemClock()
    settings = settings_for(database_url, tmp_path / "data")
    settings.data_dir.mkdir(parents=True)
    database, keyring = Database(database_url), keyring_of(settings)
    Secrets(database, keyring, clock).ensure_root()
    with database.writing() as session:
        # Asked for, and in doubt: only their statuses will tell that they were accepted.
        ours = [
            queue_message(session, keyring, NUMBER, f"+58424{number:07d}", Text("Hola"), clock.now())
            for number in range(SENT)
        ]
        for one in ours:
            one.in_doubt_at = clock.now()
        keys = [one.key for one in ours]
    batches = batches_of(items_of(keys, clock.now(), dice), dice)
    total = len(batches)

    house = House(database_url, tmp_path / "data")
    try:
        lock = threading.Lock()
        senders = [threading.Thread(target=insist, args=(house, batches, lock)) for _ in range(6)]
        for sender in senders:
            sender.start()
        troubles = ["kill"] * KILLS + ["lock"] * LOCKS
        dice.shuffle(troubles)
        for number, trouble in enumerate(troubles, start=1):
            while len(batches) > total * (1 - number / (len(troubles) + 1)):
                time.sleep(0.05)
            if trouble == "kill":
                house.die_and_come_back()
            else:
                with locked(database):
                    time.sleep(1.5)
        for sender in senders:
            sender.join()
        wait_until_processed(database)
    finally:
        house.kill()

    with database.reading() as session:
        theirs = session.scalars(select(Message.provider_id).where(Message.is_ours.is_(False))).all()
        assert Counter(theirs) == Counter(f"wamid.IN{number}" for number in range(MESSAGES))
        states = session.execute(
            select(Message.key, Message.provider_id, Message.state).where(Message.key.in_(keys))
        ).all()
        assert {(key, name) for key, name, _ in states} == {(key, f"wamid.OUT{n}") for n, key in enumerate(keys)}
        assert {state for *_, state in states} == {MessageState.READ}
        told = Counter(
            event.payload["id"]
            for event in session.scalars(
                select(Event).where(Event.kind == "message.received", Event.account_id.is_(None))
            )
        )
        assert len(told) == MESSAGES and set(told.values()) == {1}
        moved = Counter(
            (event.payload["id"], event.payload["state"])
            for event in session.scalars(select(Event).where(Event.kind == "message.state"))
        )
        assert set(moved.values()) == {1}
        answers = session.scalars(select(Message).where(Message.about == "baja")).all()
        assert len(answers) == STOPPERS
        stopped = session.scalars(select(Thread).where(Thread.stopped_at.is_not(None))).all()
        assert len(stopped) == STOPPERS
        assert session.scalar(select(func.sum(Notification.unreadable))) == 0
    database.close()
    assert ficha("jobs", "list", env=house.server.env, check=False).returncode in (0, 1)
    assert family(house.server.process) == []
