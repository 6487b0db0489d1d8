"""What should worry whoever runs the service shows in its health, its metrics, its log and on the command line."""

import re
from datetime import timedelta

import pytest
from starlette.testclient import TestClient
from structlog.testing import capture_logs

from ficha.core.live_processes import Heartbeat, ProcessRole
from ficha.core.transaction import Transaction
from ficha.http.alarms import Alarm
from ficha.jobs.kinds import Job, Kind
from ficha.jobs.queue import MANY_ATTEMPTS, put
from ficha.messaging.notifications import seal_notification, store_notifications
from tests.emergencies.scenario import EmergencyScenario, contact
from tests.run_due import run_due
from tests.source_code import PACKAGE
from tests.world import World

PAGE = PACKAGE.parent / "docs" / "alarms.md"


def status_of(world: World, path: str) -> tuple[str, list[str]]:
    world.app.state.alarms.check()
    answer = world.client.get(path)
    assert answer.status_code == 200, answer.text
    data = answer.json()["data"]
    return data["status"], data["alarms"]


def alarm_metric(world: World, alarm: Alarm) -> str:
    text = TestClient(world.app, client=("127.0.0.1", 5000)).get("/metrics").text
    [line] = [line for line in text.splitlines() if line.startswith(f'ficha_alarm{{alarm="{alarm}"}}')]
    return line.split()[-1]


def metric(world: World, series: str) -> float:
    text = TestClient(world.app, client=("127.0.0.1", 5000)).get("/metrics").text
    [line] = [line for line in text.splitlines() if line.startswith(f"{series} ")]
    return float(line.split()[-1])


@pytest.fixture(autouse=True)
def worker(world: World) -> Heartbeat:
    """One that runs elsewhere, and is alive."""
    keys = ",".join(world.parts.keyring.ids)
    heartbeat = Heartbeat(world.parts.database, ProcessRole.WORKER, runs_jobs=lambda: True, key_ids=lambda: keys)
    heartbeat.beat()
    return heartbeat


@pytest.mark.parametrize("path", ["/health", "/health/ready"])
def test_a_healthy_service_has_no_alarm(world: World, path: str) -> None:
    assert status_of(world, path) == ("up", [])
    assert {alarm_metric(world, alarm) for alarm in Alarm} == {"0.0"}


@pytest.mark.parametrize("path", ["/health", "/health/ready"])
def test_no_worker_is_alive(world: World, worker: Heartbeat, path: str) -> None:
    assert metric(world, "ficha_workers") == 1
    worker.end()
    with capture_logs() as lines:
        assert status_of(world, path) == ("degraded", ["no_worker"])
    [began] = [line for line in lines if line["event"] == "alarm.began"]
    assert began["alarm"] == "no_worker" and "FICHA_JOBS_IN_SERVER" in began["about"], "it says what to do"
    assert alarm_metric(world, Alarm.NO_WORKER) == "1.0" and metric(world, "ficha_workers") == 0
    assert world.client.get("/health").json()["data"]["workers"] == 0
    worker.beat()
    assert status_of(world, path) == ("up", [])
    assert world.client.get("/health").json()["data"]["workers"] == 1


def test_an_urgent_job_that_nobody_begins(world: World) -> None:
    """The worker is alive, but its threads do something else."""
    urgent, ordinary = (f'ficha_jobs_oldest_due_seconds{{urgency="{word}"}}' for word in ("urgent", "ordinary"))
    with world.parts.database.writing() as tx:
        put(tx, "prueba.pronto", {}, urgent=True)
        put(tx, "prueba.luego", {}, at=world.clock.now() + timedelta(hours=1), urgent=True)
        put(tx, "prueba.algun", {})
    world.clock.move(seconds=5)
    assert status_of(world, "/health/ready") == ("up", [])
    world.clock.move(seconds=1)
    with capture_logs() as lines:
        assert status_of(world, "/health/ready") == ("degraded", ["urgent_jobs_wait"])
    assert [line["about"] for line in lines if line["event"] == "alarm.began"] == ["for 6 s"]
    assert alarm_metric(world, Alarm.URGENT_JOBS_WAIT) == "1.0"
    assert metric(world, urgent) == metric(world, ordinary) == 6
    assert metric(world, 'ficha_jobs_waiting{kind="prueba.pronto"}') == 1
    text = TestClient(world.app, client=("127.0.0.1", 5000)).get("/metrics").text
    assert "prueba.luego" not in text, "what is for later does not wait"
    run_due(world.parts.database, [Kind(name, lambda _job: None) for name in ("prueba.pronto", "prueba.algun")])
    assert status_of(world, "/health/ready") == ("up", [])
    assert metric(world, urgent) == metric(world, 'ficha_jobs_waiting{kind="prueba.pronto"}') == 0


def test_an_alert_that_has_not_left_after_a_minute(scenario: EmergencyScenario) -> None:
    world, sticker = scenario.world, scenario.sticker(contact(canales=["whatsapp"]))
    before = metric(world, "ficha_alerts_total")
    scenario.press_alert(sticker)
    assert metric(world, "ficha_alerts_unsent") == 1 and metric(world, "ficha_alerts_total") == before + 1
    world.clock.move(seconds=61)
    assert status_of(world, "/health/ready") == ("degraded", ["urgent_jobs_wait", "alerts_wait"])
    assert alarm_metric(world, Alarm.ALERTS_WAIT) == "1.0" and metric(world, "ficha_alerts_unsent_seconds") == 61
    scenario.run_until_idle()
    assert status_of(world, "/health/ready") == ("up", []) and metric(world, "ficha_alerts_unsent") == 0


def test_each_alarm_is_explained_to_whoever_runs_the_service() -> None:
    page = PAGE.read_text()
    for alarm in Alarm:
        section = page.partition(f"### `{alarm}`\n")[2].partition("\n## ")[0].partition("\n### ")[0]
        assert "**Means:**" in section and "**Do:**" in section, alarm


def test_each_metric_that_is_explained_is_there(world: World) -> None:
    told = set(re.findall(r"\bficha_[a-z_]+", PAGE.read_text()))
    text = TestClient(world.app, client=("127.0.0.1", 5000)).get("/metrics").text
    there = set(re.findall(r"^# HELP (ficha_[a-z_]+)", text, re.M))
    assert told == {name for name in there if not name.endswith("_created")}


def test_a_kind_whose_jobs_keep_failing(world: World) -> None:
    def fail(_job: Job) -> None:
        raise OSError

    kind = Kind("prueba.falla", fail, attempts=MANY_ATTEMPTS + 1)

    def fail_once() -> None:
        run_due(world.parts.database, [kind])
        world.clock.move(hours=1)

    with world.parts.database.writing() as tx:
        put(tx, kind.name, {})
    for _ in range(MANY_ATTEMPTS - 1):
        fail_once()
        assert status_of(world, "/health/ready") == ("up", []), "a passing trouble"
    fail_once()
    with capture_logs() as lines:
        assert status_of(world, "/health/ready") == ("degraded", ["jobs_fail"])
        assert status_of(world, "/health") == ("degraded", ["jobs_fail"])
    assert alarm_metric(world, Alarm.JOBS_FAIL) == "1.0"
    assert [line["about"] for line in lines if line["event"] == "alarm.began"] == [kind.name], "once, with its name"


def test_a_notification_that_waits_for_more_than_a_minute(world: World) -> None:
    def store(tx: Transaction) -> None:
        sealed = seal_notification(world.parts.secrets, b'{"object": "whatsapp_business_account"}', world.clock.now())
        store_notifications(tx, [sealed])

    with world.parts.database.writing() as tx:
        store(tx)
    world.clock.move(seconds=59)
    assert "notifications_wait" not in status_of(world, "/health/ready")[1]
    world.clock.move(seconds=2)
    assert status_of(world, "/health/ready") == ("degraded", ["urgent_jobs_wait", "notifications_wait"])
    assert alarm_metric(world, Alarm.NOTIFICATIONS_WAIT) == "1.0"
    world.run_jobs()
    with capture_logs() as lines:
        assert status_of(world, "/health/ready") == ("up", [])
    assert alarm_metric(world, Alarm.NOTIFICATIONS_WAIT) == "0.0"
    assert "alarm.ended" in [line["event"] for line in lines]
