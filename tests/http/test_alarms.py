"""What should worry whoever runs the service shows in its health, its metrics, its log and on the command line."""

import pytest
from starlette.testclient import TestClient
from structlog.testing import capture_logs

from ficha.core.transaction import Transaction
from ficha.http.alarms import Alarm
from ficha.jobs.kinds import Job, Kind
from ficha.jobs.queue import MANY_ATTEMPTS, put
from ficha.jobs.runner import run_due
from ficha.messaging.notifications import seal_notification, store_notifications
from tests.world import World


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


@pytest.mark.parametrize("path", ["/health", "/health/ready"])
def test_a_healthy_service_has_no_alarm(world: World, path: str) -> None:
    assert status_of(world, path) == ("up", [])
    assert alarm_metric(world, Alarm.JOBS_FAIL) == "0.0"


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
    assert status_of(world, "/health/ready") == ("up", [])
    world.clock.move(seconds=2)
    assert status_of(world, "/health/ready") == ("degraded", ["notifications_wait"])
    assert alarm_metric(world, Alarm.NOTIFICATIONS_WAIT) == "1.0"
    world.run_jobs()
    with capture_logs() as lines:
        assert status_of(world, "/health/ready") == ("up", [])
    assert alarm_metric(world, Alarm.NOTIFICATIONS_WAIT) == "0.0"
    assert "alarm.ended" in [line["event"] for line in lines]
