"""Alerts from the button to the family while the worker is killed: each contact gets one by WhatsApp, and however often
a mail is sent, it has one Message-ID for each alert and contact."""

import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass
from email import message_from_bytes
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import pytest
from sqlalchemy import func, select

from ficha.audit.verify_entries import verify_all
from ficha.emergencies.channels.channel import UNSENT
from ficha.emergencies.steps import STAFF_CHANNEL
from ficha.jobs.queue import dead_jobs
from ficha.messaging.tables import Notification
from ficha.sandbox.config import SandboxConfig
from ficha.sandbox.server import Sandbox
from ficha.sandbox.whatsapp.behaviour import Behaviour
from ficha.sandbox.whatsapp.config import WhatsAppConfig
from tests.emergencies.scenario import HERE, AlertSticker, EmergencyScenario, contact, father
from tests.mail_server import MailServer, running_mail_server
from tests.messaging.webhook_notifications import WEBHOOK
from tests.processes import Server, kill, start_ficha
from tests.waiting import eventually
from tests.world import World

pytestmark = [pytest.mark.slow, pytest.mark.oldest_postgresql]

# A few with the other tests; `make storm` raises them all.
IS_STORM = "FICHA_STORM" in os.environ
ALERTS, KILLS = (200, 20) if IS_STORM else (12, 3)
# What is in doubt is said again once the platform tells of a later message: further alerts are raised until it was.
MOST_LATER = 6
# Both take what is sent at once, and say so this much later: whoever is killed meanwhile never hears it.
ANSWER_SECONDS = 0.4
LATE = [{"match": {"type": "template"}, "action": "late_answer", "ms": int(1000 * ANSWER_SECONDS)}]
SETTINGS = {
    "FICHA_JOBS_IN_SERVER": "false",
    "FICHA_JOB_LEASE_SECONDS": "2",
    "FICHA_WHATSAPP_DOUBT_SECONDS": "3",
    "FICHA_LADDER_WHATSAPP_SECONDS": "1",
    "FICHA_LADDER_MAIL_SECONDS": "1",
}


@dataclass
class KilledWorker:
    """The server that takes the alerts, the worker that is killed and started again, and the platform and the mail
    server that remember what reached them."""

    scenario: EmergencyScenario
    platform: Sandbox
    mail_server: MailServer
    server: Server
    folder: Path

    def __post_init__(self) -> None:
        self.worker = self._start()

    def _start(self) -> ForkServerProcess:
        return start_ficha("worker", env=self.server.env, output=self.folder / "worker.output")

    def press_alert(self, sticker: AlertSticker) -> None:
        answer = self.server.post("/v2/emergencies", {"code": sticker.code, "tag": sticker.tag, "position": HERE})
        assert answer.status_code == 201, answer.text

    def kill_amid(self, reached: Sized) -> None:
        """Once one more has reached the platform or the mail server, which has not answered yet."""
        before = len(reached)
        eventually(lambda: len(reached) > before)
        kill(self.worker)
        self.worker = self._start()

    def mails(self) -> dict[str, list[str]]:
        """The Message-ID of each mail that a mailbox got."""
        found = defaultdict(list)
        for mail in map(message_from_bytes, list(self.mail_server.received)):
            found[mail["To"]].append(mail["Message-ID"])
        return found

    def wait_for_ladders(self, count: int) -> None:
        eventually(lambda: Counter(step.channel for step in self.scenario.steps())[STAFF_CHANNEL] == count, 240)

    def raise_more(self, stickers: Sequence[AlertSticker]) -> int:
        """One alert more, until each contact of all was told. How many there were in all."""
        for count, sticker in enumerate(stickers, ALERTS + 1):
            self.press_alert(sticker)
            self.wait_for_ladders(count)
            try:
                eventually(lambda: len(self.platform.whatsapp.journal.accepted) >= 2 * count, 20)  # noqa: B023
            except AssertionError:  # It was too early for what is in doubt.
                continue
            return count
        raise AssertionError("what was in doubt was never said again")

    def wait_for_the_end(self) -> None:
        """Of all mails, and of all that the platform has to tell."""
        eventually(lambda: all(step.state not in UNSENT for step in self.scenario.steps() if step.channel == "correo"))
        self.platform.wait_until_idle(60)
        eventually(self._has_heard_all)

    def _has_heard_all(self) -> bool:
        with self.scenario.database.reading() as tx:
            return not tx.orm.scalar(select(func.count()).where(Notification.processed_at.is_(None)))


@contextmanager
def running_worker(scenario: EmergencyScenario, database_url: str, folder: Path) -> Iterator[KilledWorker]:
    data = scenario.world.parts.settings.data_dir
    behaviour = Behaviour(per_second=None, sent_seconds=0.01, delivered_seconds=0.02)
    config = SandboxConfig(whatsapp=WhatsAppConfig(behaviour=behaviour, seed=20261118))
    with Sandbox(config) as platform, running_mail_server(ANSWER_SECONDS) as (mail_server, port):
        platform.call(lambda platforms: platforms.whatsapp.faults.set(LATE))
        places = {"FICHA_WHATSAPP_BASE_URL": platform.url, "FICHA_SMTP_URL": f"smtp://127.0.0.1:{port}"}
        with Server(database_url, data, **SETTINGS | places) as server:
            webhook = f"http://127.0.0.1:{server.port}{WEBHOOK}"
            platform.call(lambda platforms: setattr(platforms.whatsapp.subscription, "override", webhook))
            killed = KilledWorker(scenario, platform, mail_server, server, folder)
            try:
                yield killed
            finally:
                kill(killed.worker)


def sticker_of_family(scenario: EmergencyScenario, number: int) -> AlertSticker:
    """The mother has a phone and a mailbox, the father a phone, and nobody else has these."""
    mother = contact(telefono=f"412555{number:04d}", correo=f"madre{number}@ejemplo.com")
    return scenario.sticker(mother, father(telefono=f"414555{number:04d}", canales=["whatsapp"]))


def test_one_message_each_and_one_message_id_for_each_mail(world: World, database_url: str, tmp_path: Path) -> None:
    world.clock.catch_up()
    scenario = EmergencyScenario(world)
    stickers = [sticker_of_family(scenario, number) for number in range(ALERTS + MOST_LATER)]
    with running_worker(scenario, database_url, tmp_path) as killed:
        for place in range(KILLS):
            for sticker in stickers[place * ALERTS // KILLS : (place + 1) * ALERTS // KILLS]:
                killed.press_alert(sticker)
            killed.kill_amid(killed.mail_server.received if place % 2 else killed.platform.whatsapp.journal.accepted)
        killed.wait_for_ladders(ALERTS)
        alerts = killed.raise_more(stickers[ALERTS:])
        killed.wait_for_the_end()
    assert len(scenario.emergencies()) == alerts
    ways = [step.channel for step in scenario.steps()]
    assert ways == ["whatsapp", "correo", "whatsapp", STAFF_CHANNEL] * alerts, "every way of every contact, in order"
    assert_one_message_each(killed, alerts)
    assert_one_message_id_each(killed, alerts)
    with scenario.database.reading() as tx:
        assert dead_jobs(tx) == []
        assert verify_all(tx, lambda _: None) == []


def assert_one_message_each(killed: KilledWorker, alerts: int) -> None:
    """By WhatsApp, as the platform counts."""
    got = Counter(each.wa_id for each in killed.platform.whatsapp.journal.accepted)
    assert got == {f"58{way}555{number:04d}": 1 for way in (412, 414) for number in range(alerts)}


def assert_one_message_id_each(killed: KilledWorker, alerts: int) -> None:
    mails = killed.mails()
    ids = {mailbox: set(found) for mailbox, found in mails.items() if mailbox.startswith("madre")}
    assert ids.keys() == {f"madre{number}@ejemplo.com" for number in range(alerts)}, "each got one"
    assert {len(each) for each in ids.values()} == {1}, "however often it was sent"
    assert len(set.union(*ids.values())) == alerts, "and each alert has another"
    stored = {step.provider_id for step in killed.scenario.steps() if step.channel == "correo"}
    assert stored == set.union(*ids.values())
    again = sum(len(found) - 1 for mailbox, found in mails.items() if mailbox in ids)
    assert again, "none was killed before it heard that the mail was taken"
