"""A receiver that is down, slow, lying or gone costs nobody else anything."""

import time
from datetime import timedelta
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import insert, select

from ficha.jobs.kinds import Kind
from ficha.jobs.periodic_tasks import Task
from ficha.jobs.queue import put
from ficha.jobs.runner import start_runner
from ficha.webhooks.deliveries import PATIENCE, TRIED_FOR, WebhookDelivery
from ficha.webhooks.sender import MOST_OF_ONE, WebhookSender
from ficha.webhooks.webhooks import Webhook
from ficha.worker import webhook_sender
from tests.emergencies.scenario import EmergencyScenario, contact
from tests.statement_counter import count_statements
from tests.waiting import eventually
from tests.webhooks.receiver import Receiver, certificate_for_loopback, deliver, receiving, register
from tests.webhooks.test_webhooks import deliveries, happen
from tests.world import Person, World

MANY = 1000


def many_wait(world: World, webhook_id: int = 1) -> None:
    now = world.clock.now()
    waiting = {"webhook_id": webhook_id, "kind": "emergency.opened", "at": now, "state": "pending", "attempts": 0}
    waiting |= {"next_at": now, "tried_until": now + TRIED_FOR}
    with world.parts.database.writing() as tx:
        tx.orm.execute(insert(WebhookDelivery), [waiting | {"record_id": number} for number in range(1, MANY + 1)])


@pytest.mark.parametrize(
    ("status", "headers"), [(302, {"Location": "http://127.0.0.1:{port}/elsewhere"}), (500, {}), (404, {})]
)
def test_what_is_no_good_answer_is_tried_again_and_a_redirect_is_not_followed(
    world: World, staff: Person, receiver: Receiver, status: int, headers: dict[str, str]
) -> None:
    with receiving() as elsewhere:
        port = elsewhere.server.server_port
        receiver.headers = {name: value.format(port=port) for name, value in headers.items()}
        receiver.statuses = [status]
        path, _ = register(staff, receiver.url)
        happen(world, 1)
        deliver(world)
        [shown] = deliveries(staff, path)
        assert (shown["attributes"]["state"], shown["attributes"]["status"]) == ("pending", status)
        assert elsewhere.calls == []


def test_a_slow_one_is_given_its_seconds_while_others_are_told(world: World, staff: Person, receiver: Receiver) -> None:
    receiver.held.clear()
    slow, _ = register(staff, receiver.url)
    with receiving() as quick:
        path, _ = register(staff, quick.url)
        for number in range(10):
            happen(world, number, record=number + 1)
        for _ in range(50):  # Turns: a busy machine needs more. The slow one is held all the while.
            deliver(world)
            if len(quick.calls) >= 10 and staff.get(slow).json()["data"]["attributes"]["rests_until"]:
                break
        assert {each["attributes"]["state"] for each in deliveries(staff, path)} == {"delivered"}
    assert len(receiver.calls) <= PATIENCE + MOST_OF_ONE, "after a few it is left alone"
    tried = [each["attributes"] for each in deliveries(staff, slow) if each["attributes"]["attempts"]]
    assert tried and {each["fault"] for each in tried} == {"timeout"}
    receiver.held.set()  # Its 200 comes too late, and does not count.
    calls = len(receiver.calls)
    deliver(world)
    assert len(receiver.calls) == calls
    deliver(world, timedelta(minutes=10))
    assert {each["attributes"]["state"] for each in deliveries(staff, slow)} == {"delivered"}


def test_a_body_without_an_end_is_not_read(world: World, staff: Person, receiver: Receiver) -> None:
    receiver.is_endless = True
    path, _ = register(staff, receiver.url)
    happen(world, 1)
    deliver(world)  # Comes to an end.
    [shown] = deliveries(staff, path)
    assert shown["attributes"]["state"] == "delivered"


def test_one_that_is_gone_is_asked_less_and_less(world: World, staff: Person) -> None:
    path, _ = register(staff, "http://127.0.0.1:9/gone")
    many_wait(world)
    for _ in range(30):
        deliver(world, timedelta(seconds=10))
    tried = [each["attributes"] for each in deliveries(staff, path, size="200") if each["attributes"]["attempts"]]
    assert {each["fault"] for each in tried} <= {"no_connection"}
    with world.parts.database.reading() as tx:
        assert tx.orm.scalars(select(Webhook.failures)).one() < 12, "five minutes, and a thousand wait"


def test_its_certificate_is_checked(world: World, staff: Person, tmp_path: Path) -> None:
    server, trusted = certificate_for_loopback(tmp_path)
    with receiving(server) as receiver:
        path, _ = register(staff, receiver.url)
        happen(world, 1)
        deliver(world)
        assert deliveries(staff, path)[0]["attributes"]["fault"] == "no_connection" and receiver.calls == []
        world.clock.move(minutes=2)
        WebhookSender(world.parts.database, world.parts.secrets, world.parts.settings, trusted).run_turn()
        assert deliveries(staff, path)[0]["attributes"]["state"] == "delivered" and len(receiver.calls) == 1


def test_no_job_waits_for_a_thousand_deliveries(world: World, staff: Person, receiver: Receiver) -> None:
    """With a single thread for jobs, and a receiver that holds every call."""
    register(staff, receiver.url)
    many_wait(world)
    receiver.held.clear()
    done = Event()
    turns = Task(webhook_sender(world.parts).run_turn, 0.1)
    alert = Kind("alert", lambda _job: done.set())
    runner = start_runner(world.parts.database, [alert], threads=1, poll_seconds=0.1, apart=[turns])
    try:
        eventually(lambda: len(receiver.calls) >= 1)
        started = time.monotonic()
        with world.parts.database.writing() as tx:
            put(tx, "alert", {}, urgent=True)
        assert done.wait(60)
        assert time.monotonic() - started < 20
        assert runner.is_alive
    finally:
        receiver.held.set()
        runner.stop(20)


def test_an_alert_takes_no_more_statements_beside_them(world: World, staff: Person) -> None:
    scenario = EmergencyScenario(world)
    stickers = [scenario.sticker(contact()) for _ in range(3)]
    scenario.press_alert(stickers.pop())
    counts = []
    for sticker in stickers:
        with count_statements(world.parts.database) as counted:
            scenario.press_alert(sticker)
        counts.append(counted.statements)
        if len(counts) == 1:
            path, _ = register(staff, "http://127.0.0.1:9/gone")
            many_wait(world, int(path.rpartition("/")[2]))
    assert counts[0] == counts[1]
