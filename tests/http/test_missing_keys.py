"""A machine that lacks a master key which the others have: it says so, asks again, and answers nobody with a 500."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from ficha.core.clock import SystemClock
from ficha.core.crypto import Keyring, keyring_of
from ficha.core.db import Database
from ficha.core.key_rotation import next_key, rewrap, switch_to
from ficha.core.key_sources import BadKeys, add_key
from ficha.core.live_processes import Heartbeat, ProcessRole
from ficha.core.master_keys import forget_keys, keys_to_tell, known_keys
from ficha.core.secrets import Secrets
from ficha.http.alarms import Alarm, AlarmWatch
from ficha.messaging.notifications import seal_notification, store_notifications
from tests.emergencies.scenario import EmergencyScenario
from tests.http.test_alarms import alarm_metric, status_of
from tests.messaging.test_intake import messages
from tests.messaging.webhook_notifications import enveloped, message, value
from tests.world import World, registration, settings_for

BROWSER = {"Accept": "text/html"}


class OtherMachine:
    """It has the same database, and a key file of its own."""

    def __init__(self, world: World, folder: Path) -> None:
        folder.mkdir()
        self.file, self._theirs = folder / "keys.json", world.parts.settings.key_path
        shutil.copy2(self._theirs, self.file)
        settings = settings_for(world.parts.settings.database, folder)
        self.database, self.clock = world.parts.database, world.clock
        self.keyring = keyring_of(settings)
        Secrets(self.database, self.keyring, self.clock).ensure_root()

    def announce(self) -> str:
        return next_key(self.database, self.keyring, self.clock.now())

    def rotate(self) -> str:
        new = self.announce()
        assert not switch_to(self.database, self.keyring, new, self.clock.now())
        rewrap(self.database, self.keyring, lambda _: None)
        return new

    def give_keys(self) -> None:
        shutil.copy2(self.file, self._theirs)


@pytest.fixture
def other(world: World, tmp_path: Path) -> OtherMachine:
    return OtherMachine(world, tmp_path / "other")


def test_what_a_missing_key_closes_is_a_503_until_it_comes(world: World, other: OtherMachine) -> None:
    scenario = EmergencyScenario(world)
    sticker = scenario.sticker()
    page, api = f"/e/{sticker.code}/{sticker.tag}", f"/v2/fmd/{sticker.code}/personal"
    assert world.client.get(page, headers=BROWSER).status_code == 200
    new = other.rotate()
    refused = world.client.get(page, headers=BROWSER)
    assert refused.status_code == 503 and int(refused.headers["Retry-After"]) > 0
    assert refused.headers["content-type"].startswith("text/html") and new not in refused.text
    answer = sticker.owner.get(api)
    assert answer.status_code == 503 and answer.json()["errors"][0]["code"] == "falta_clave_maestra"
    assert scenario.press_alert(sticker).status_code == 503, "it goes to another machine"
    with capture_logs() as lines:
        world.app.state.alarms.check()
    assert {"keys.missing", "alarm.began"} <= {line["event"] for line in lines}
    assert world.client.post("/v2/auth/register", json=registration()).status_code == 503, "nor is anything wrapped"
    not_ready, health = world.client.get("/health/ready"), world.client.get("/health").json()["data"]
    assert not_ready.status_code == 503
    assert (health["parts"]["keys"]["status"], health["alarms"]) == ("down", ["no_worker", "keys_missing"])
    assert alarm_metric(world, Alarm.KEYS_MISSING) == "1.0"
    other.give_keys()
    assert sticker.owner.get(api).status_code == 200, "it was asked for again"
    assert world.client.get(page, headers=BROWSER).status_code == 200
    assert world.client.post("/v2/auth/register", json=registration()).status_code == 201
    assert status_of(world, "/health/ready") == ("degraded", ["no_worker"])


def test_what_a_person_wrote_waits_for_the_key_and_is_not_skipped(world: World, other: OtherMachine) -> None:
    def write(text: str) -> None:
        body, now = enveloped(value([message(text=text)])), world.clock.now()
        with world.parts.database.writing() as tx:
            store_notifications(tx, [seal_notification(world.parts.secrets, body, now)])
        world.run_jobs()

    write("Voy")
    other.rotate()
    write("Ya llegué")
    assert len(messages(world)) == 1
    other.give_keys()
    world.clock.move(minutes=10)
    world.run_jobs()
    assert len(messages(world)) == 2


def test_an_announced_key_that_is_missing_shows_in_health_while_all_is_served(
    world: World, other: OtherMachine
) -> None:
    new = other.announce()
    with capture_logs() as lines:
        assert status_of(world, "/health/ready") == ("degraded", ["no_worker", "keys_missing"])
    assert [line["about"] for line in lines if line.get("alarm") == Alarm.KEYS_MISSING] == [f"{new}, here"]
    assert world.client.post("/v2/auth/register", json=registration()).status_code == 201
    other.give_keys()
    assert status_of(world, "/health") == ("degraded", ["no_worker"])


def test_a_process_that_lacks_a_key_shows_in_the_health_of_the_others(world: World, other: OtherMachine) -> None:
    ours = world.parts.keyring
    worker = Heartbeat(
        world.parts.database,
        ProcessRole.WORKER,
        runs_jobs=lambda: True,
        key_ids=lambda: keys_to_tell(world.parts.database, ours),
    )
    worker.beat()
    new = other.announce()
    watch = AlarmWatch(other.database, other.clock, other.keyring)  # Of a server over there, which has the key.
    watch.check()
    assert not watch.current, "it has just been announced"
    world.clock.move(minutes=1)
    watch.check()
    assert watch.current == {Alarm.KEYS_MISSING: f"{new}, on {worker.process_id}"}
    assert switch_to(other.database, other.keyring, new, world.clock.now()) == [worker.process_id], "and nothing wraps"
    other.give_keys()
    worker.beat()
    watch.check()
    assert not watch.current
    assert switch_to(other.database, other.keyring, new, world.clock.now()) == []
    worker.beat()
    assert ours.current == other.keyring.current == new


def test_another_key_under_the_same_id_is_a_missing_one(world: World, other: OtherMachine) -> None:
    new = other.announce()
    ours = world.parts.settings.key_path
    made = add_key(ours)
    ours.write_text(ours.read_text().replace(made, new))
    with capture_logs() as lines:
        assert status_of(world, "/health") == ("degraded", ["no_worker", "keys_missing"])
    assert "keys.not_the_same" in {line["event"] for line in lines}
    other.give_keys()
    assert status_of(world, "/health") == ("degraded", ["no_worker"])


def test_a_machine_with_keys_of_its_own_does_not_start(world: World, tmp_path: Path) -> None:
    settings = settings_for(world.parts.settings.database, tmp_path / "stranger")
    with pytest.raises(BadKeys, match=f"under master key {world.parts.keyring.current}"):
        Secrets(world.parts.database, keyring_of(settings), world.clock).ensure_root()


def test_a_database_of_an_older_version_is_under_the_key_that_closes_its_root(world: World) -> None:
    parts, old = world.parts, world.parts.keyring.current
    with parts.database.writing() as tx:
        forget_keys(tx, {old})
    add_key(parts.settings.key_path)  # By a rotation of that version, which was interrupted.
    keyring = keyring_of(parts.settings)
    Secrets(parts.database, keyring, world.clock).ensure_root()
    assert keyring.current == old == keyring.ids[1]


def test_of_machines_that_start_at_once_with_different_keys_one_wins(database: Database, tmp_path: Path) -> None:
    def start(number: int) -> str | None:
        keyring = Keyring.from_file(tmp_path / str(number) / "keys.json")
        try:
            Secrets(database, keyring, SystemClock()).ensure_root()
        except BadKeys:
            return None
        return keyring.current

    with ThreadPoolExecutor(4) as pool:
        [winner] = filter(None, pool.map(start, range(4)))
    with database.reading() as tx:
        assert [key.id for key in known_keys(tx)] == [winner]
