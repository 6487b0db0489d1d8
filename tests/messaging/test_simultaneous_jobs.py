"""Jobs of messaging that meet: in the lock on processing notifications, and in the rows of one message."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Thread

import pytest
import structlog

from ficha.channels.messages import NotificationItem, Template
from ficha.jobs.kinds import Job
from ficha.messaging.messages import SEND, queue_message
from ficha.messaging.notifications import PROCESS, seal_notification, store_notifications
from ficha.messaging.tables import Message
from ficha.worker import kinds_of
from tests.gates import Gates, gates_in, wait_until_over_or_locked
from tests.messaging.memory_messenger import NUMBER, MemoryMessenger
from tests.world import World

LOCK = "pg_try_advisory_xact_lock"


class InterruptedMessenger(MemoryMessenger):
    """Something else happens while it reads a notification."""

    meanwhile: Callable[[], None] | None = None

    def parse(self, body: bytes) -> Sequence[NotificationItem]:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return super().parse(body)


@pytest.fixture
def messenger() -> InterruptedMessenger:
    return InterruptedMessenger()


@pytest.fixture
def world(world: World, messenger: InterruptedMessenger) -> World:
    world.parts = replace(world.parts, messenger=messenger)
    return world


@pytest.fixture
def gates(world: World) -> Gates:
    return gates_in(world.parts.database)


def queued(world: World) -> int:
    with world.parts.database.writing() as tx:
        content, now = Template("aviso", "es"), world.clock.now()
        return queue_message(tx, world.parts.keyring, NUMBER, "+584125551111", content, now).id


def store_status(world: World, state: str, **more: str) -> None:
    """A status of the message that was sent first, which no job has processed."""
    now = world.clock.now()
    body = json.dumps([{"state": state, "id": "sent-1", "at": now.isoformat()} | more]).encode()
    with world.parts.database.writing() as tx:
        store_notifications(tx, [seal_notification(world.parts.secrets, body, now)])


def found(world: World, message_id: int) -> Message:
    with world.parts.database.reading() as tx:
        return tx.orm.get_one(Message, message_id)


def processing(world: World, name: str) -> Thread:
    return Thread(target=lambda: world.do(PROCESS), name=name)


def test_who_finds_its_notifications_processed_reads_again(world: World, messenger: InterruptedMessenger) -> None:
    message_id = queued(world)
    world.do(SEND, message_id=message_id)
    store_status(world, "sent")

    def process_and_receive() -> None:
        world.do(PROCESS)
        store_status(world, "delivered")

    messenger.meanwhile = process_and_receive
    world.do(PROCESS)
    assert found(world, message_id).state == "delivered"


def test_a_second_job_of_a_process_leaves_all_to_the_first(world: World, messenger: InterruptedMessenger) -> None:
    message_id = queued(world)
    world.do(SEND, message_id=message_id)
    store_status(world, "sent")
    [processing] = [kind for kind in kinds_of(world.parts) if kind.name == PROCESS]

    def receive_and_begin_another() -> None:
        store_status(world, "delivered")
        processing.run(Job(2, PROCESS, {}, 1))
        assert found(world, message_id).state == "accepted", "it has ended, and done nothing"

    messenger.meanwhile = receive_and_begin_another
    processing.run(Job(1, PROCESS, {}, 1))
    assert found(world, message_id).state == "delivered"
    processing.run(Job(3, PROCESS, {}, 1))  # The first has ended: others may begin again.


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)  # On SQLite a reader sees one moment.
def test_what_another_process_has_just_emptied_is_not_taken_for_tampering(world: World, gates: Gates) -> None:
    """It was waiting when its id was read, and was processed before its content was."""
    message_id = queued(world)
    world.do(SEND, message_id=message_id)
    store_status(world, "sent")
    late, reads = processing(world, "late"), gates.before("late", "notifications.sealed, notifications")
    with structlog.testing.capture_logs() as lines:
        late.start()
        reads.wait_for_thread()
        world.do(PROCESS)
        store_status(world, "delivered")
        reads.open()
        late.join(60)
    assert not late.is_alive() and found(world, message_id).state == "delivered"
    worse = [line for line in lines if line["log_level"] in ("error", "warning")]
    assert [line for line in worse if line["event"] != "alarm.began"] == []


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)  # On SQLite nobody finds the lock taken.
def test_two_jobs_that_meet_leave_no_notification_behind(world: World, gates: Gates) -> None:
    """One has processed the first and comes for the second, just while the other has the lock and finds the first
    processed. If each left the second to the other, it would wait for a minute."""
    message_id = queued(world)
    world.do(SEND, message_id=message_id)
    store_status(world, "sent")
    quick, late = processing(world, "quick"), processing(world, "late")
    first_lock, second_lock = gates.before("quick", LOCK), gates.before("quick", LOCK)
    late_lock, late_has_lock = gates.before("late", LOCK), gates.after("late", LOCK)
    late.start()
    late_lock.wait_for_thread()
    quick.start()
    first_lock.wait_for_thread()
    store_status(world, "delivered")
    first_lock.open()
    second_lock.wait_for_thread()
    late_lock.open()
    late_has_lock.wait_for_thread()
    second_lock.open()
    quick.join()
    late_has_lock.open()
    late.join()
    assert found(world, message_id).state == "delivered"


@pytest.mark.parametrize("has_key", [True, False])
@pytest.mark.parametrize("first", ["send", "status"])
def test_a_status_that_comes_while_its_send_ends_is_not_lost(
    world: World, gates: Gates, first: str, has_key: bool
) -> None:
    """Each of the two transactions has read what there is, and not committed what it writes, when the other begins."""
    message_id = queued(world)
    store_status(world, "delivered", **({"key": found(world, message_id).key} if has_key else {}))
    threads = {
        "send": Thread(target=lambda: world.do(SEND, message_id=message_id), name="send"),
        "status": processing(world, "status"),
    }
    other, reads = {"send": ("status", "message_statuses"), "status": ("send", "messages")}[first]
    has_read = gates.after(first, f"FROM {reads}")
    threads[first].start()
    has_read.wait_for_thread()
    threads[other].start()
    wait_until_over_or_locked(world.parts.database, threads[other])
    has_read.open()
    for thread in threads.values():
        thread.join()
    message = found(world, message_id)
    assert (message.state, message.provider_id) == ("delivered", "sent-1")
