"""People and agents write to each other while our processes are killed and the platform goes away and comes back."""

import os
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from httpx import TransportError
from sqlalchemy import select, update

from ficha.conversations.desk_conversations import SWEEP, DeskConversation
from ficha.core.clock import SystemClock
from ficha.core.crypto import keyring_of
from ficha.core.db import Database
from ficha.core.secrets import Secrets
from ficha.jobs.queue import put
from ficha.jobs.table import READY, LeasedJob
from ficha.sandbox.chatwoot.records import EVENTS, INCOMING, OUTGOING, Conversation, Message, Sender, Webhook
from ficha.sandbox.config import SandboxConfig
from ficha.sandbox.server import Sandbox
from ficha.sandbox.whatsapp.behaviour import Behaviour
from ficha.sandbox.whatsapp.config import WhatsAppConfig
from tests.conversations.conftest import SECRET
from tests.messaging.test_sending_under_failures import expire_leases
from tests.messaging.webhook_notifications import WEBHOOK
from tests.processes import Server, kill, start_ficha
from tests.waiting import eventually
from tests.world import settings_for

pytestmark = pytest.mark.slow

# A few with the other tests; `make storm` sends a thousand each way.
MESSAGES = int(1_000 * float(os.environ.get("FICHA_STORM", "0.016")))
# So many that none gets more than the platform lets one person get in a short time.
PEOPLE = 2 + MESSAGES // 40
# So often each of the three happens, at random moments.
TIMES = MESSAGES // 100 or 1
SETTINGS = {
    "FICHA_JOBS_IN_SERVER": "false",
    "FICHA_CHATWOOT_BRIDGE": "true",
    "FICHA_CHATWOOT_SECONDS": "2",
    "FICHA_WHATSAPP_SECONDS": "2",
    # Longer than any status takes on a busy machine: whether a call was heard is learned, not guessed.
    "FICHA_WHATSAPP_DOUBT_SECONDS": "3600",
}
# Those that a worker is just taking are left alone: it and we would wait for each other.
WAITING = select(LeasedJob.id).where(LeasedJob.state == READY).with_for_update(skip_locked=True)
AWAY = [{"action": "drop_after", "probability": 0.5}, {"action": "drop_before"}]


@dataclass
class RestartedDesk:
    """The two processes of ours, and a platform that both WhatsApp and the desk are at."""

    database: Database
    platform: Sandbox
    server: Server
    folder: Path

    def __post_init__(self) -> None:
        self.worker = self._start("worker")

    def _start(self, *words: str) -> Any:
        return start_ficha(*words, env=self.server.env, output=self.folder / f"{words[0]}.output")

    def restart_worker(self) -> None:
        kill(self.worker)
        expire_leases(self.database)
        with self.database.writing() as tx:
            tx.orm.execute(update(DeskConversation).values(busy_until=None))
        self.worker = self._start("worker")

    def restart_server(self) -> None:
        """What was told to it meanwhile is told again by WhatsApp, and never by the desk."""
        kill(self.server.process)
        self.server.process = self._start("serve", "--no-sandbox")
        eventually(self._is_heard)
        self.platform.wait_until_idle(60)

    def _is_heard(self) -> bool:
        try:
            return self.server.get("/health/ready").status_code == 200
        except TransportError:
            return False

    def platform_leaves(self) -> None:
        self.platform.call(lambda platforms: platforms.chatwoot.faults.set(AWAY))
        self.platform.call(lambda platforms: platforms.chatwoot.webhooks.clear())

    def platform_returns(self) -> None:
        webhook = Webhook(1, f"http://127.0.0.1:{self.server.port}/v2/webhook/chatwoot", list(EVENTS), SECRET)
        self.platform.call(lambda platforms: platforms.chatwoot.webhooks.update({1: webhook}))
        self.platform.call(lambda platforms: platforms.chatwoot.faults.set([]))

    def conversations(self) -> dict[str | None, Conversation]:
        """By the number of the person."""
        return {each.contact.phone_number: each for each in self.platform.chatwoot.conversations.values()}

    def answer(self, phone: str, words: str) -> None:
        """An agent writes."""

        def write(platforms: Any) -> None:
            chatwoot = platforms.chatwoot
            message = Message(next(chatwoot.ids["message"]), words, OUTGOING, chatwoot.now(), Sender("user", 2))
            chatwoot.add_message(self.conversations()[phone], message)

        self.platform.call(write)

    def at_the_desk(self) -> dict[str | None, list[str | None]]:
        return {
            phone: [each.content for each in found.messages if each.type == INCOMING]
            for phone, found in self.conversations().items()
        }

    def on_the_phones(self) -> dict[str, list[str]]:
        found = defaultdict(list)
        for each in self.platform.whatsapp.journal.accepted:
            found[f"+{each.to.lstrip('+')}"].append(each.text)
        return found

    def hurry(self) -> None:
        """What waits for another try need not wait, and the sweep looks now rather than in a minute."""
        long_ago = SystemClock().now() - timedelta(hours=1)
        with self.database.writing() as tx:
            put(tx, SWEEP, {}, key=f"{SWEEP}:now")
            waiting = tx.orm.scalars(WAITING).all()
            tx.orm.execute(update(LeasedJob).where(LeasedJob.id.in_(waiting)).values(run_at=long_ago))

    def wait_for(self, found: Callable[[], Mapping[Any, Sequence[Any]]], count: int) -> None:
        """Until so many are there, or for a minute none came: what waits for another try is hurried meanwhile."""
        seen, idle = -1, 0
        while counts(found()) < count and idle < 30:
            with suppress(AssertionError):
                eventually(lambda: counts(found()) >= count, 2)
            seen, idle = counts(found()), 0 if counts(found()) > seen else idle + 1
            self.hurry()


def test_each_arrives_once_and_in_order(database_url: str, tmp_path: Path) -> None:
    settings, clock = settings_for(database_url, tmp_path / "data"), SystemClock()
    settings.data_dir.mkdir(parents=True)
    database = Database(database_url)
    Secrets(database, keyring_of(settings), clock).ensure_root()
    behaviour = Behaviour(per_second=None, pair_burst=None, delivered_seconds=0.05)
    with Sandbox(SandboxConfig(whatsapp=WhatsAppConfig(behaviour=behaviour, seed=20261116))) as platform:
        unlimited = {"messages_per_minute": None, "requests_per_minute": None}
        platform.call(lambda platforms: platforms.chatwoot.change_behaviour(unlimited))
        changes = {"FICHA_WHATSAPP_BASE_URL": platform.url, "FICHA_CHATWOOT_BASE_URL": platform.url}
        with Server(database_url, tmp_path / "data", **SETTINGS | changes) as server:
            hook = f"http://127.0.0.1:{server.port}{WEBHOOK}"
            platform.call(lambda platforms: setattr(platforms.whatsapp.subscription, "override", hook))
            desk = RestartedDesk(database, platform, server, tmp_path)
            try:
                written, answered = write_amid_restarts(desk)
                desk.wait_for(desk.at_the_desk, counts(written))
                desk.wait_for(desk.on_the_phones, counts(answered))
            finally:
                kill(desk.worker)
        assert desk.at_the_desk() == written, "each of theirs once and in order"
        assert desk.on_the_phones() == answered, "each of the agents' once and in order"
    database.close()


def write_amid_restarts(desk: RestartedDesk) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """What each person wrote, and what each was answered."""
    chance = random.Random(20261116)
    acts = [desk.restart_worker, desk.restart_server, desk.platform_leaves] * TIMES
    at = dict(zip(chance.sample(range(PEOPLE, MESSAGES - 1), len(acts)), acts, strict=True))
    phones = [f"+58412555{number:04d}" for number in range(PEOPLE)]
    written: dict[str, list[str]] = {phone: [] for phone in phones}
    answered: dict[str, list[str]] = {phone: [] for phone in phones}
    desk.platform_returns()
    for number in range(MESSAGES):
        if number == PEOPLE:
            desk.wait_for(desk.at_the_desk, PEOPLE)
        if at.get(number) == desk.restart_server:
            # At most one message of a person is on its way then: several that are told again come in no order.
            desk.platform.wait_until_idle(60)
        phone = phones[number % PEOPLE]
        written[phone].append(f"m{number}")
        desk.platform.receive(from_=phone, text=f"m{number}")
        if number >= PEOPLE:
            answered[phone].append(f"r{number}")
            desk.answer(phone, f"r{number}")
        if number in at:
            at[number]()
        elif number - 3 in at:
            desk.platform_returns()
    desk.platform_returns()
    return written, answered


def counts(found: Mapping[Any, Sequence[Any]]) -> int:
    return sum(map(len, found.values()))
