"""Notifications that come at the same moment, and the jobs that process them at the same time."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from threading import Event, Thread, current_thread
from typing import Any

import pytest
from sqlalchemy import event

from ficha.channels.messages import NotificationItem, Template
from ficha.messaging.messages import SEND, Message, queue_message
from ficha.messaging.notifications import PROCESS, seal_notification, store_notifications
from tests.messaging.memory_messenger import NUMBER, MemoryMessenger
from tests.world import World


class InterruptedMessenger(MemoryMessenger):
    """Something else happens while it reads a notification."""

    meanwhile: Callable[[], None] | None = None

    def parse(self, body: bytes) -> Sequence[NotificationItem]:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return super().parse(body)


class Gate:
    """A place in another thread's work: whether the thread has come to it, and whether it may go on."""

    def __init__(self) -> None:
        self._reached, self._opened = Event(), Event()

    def stop_here(self) -> None:
        self._reached.set()
        assert self._opened.wait(60)

    def wait_for_thread(self) -> None:
        assert self._reached.wait(60)

    def open(self) -> None:
        self._opened.set()


@pytest.fixture
def messenger() -> InterruptedMessenger:
    return InterruptedMessenger()


@pytest.fixture
def world(world: World, messenger: InterruptedMessenger) -> World:
    world.parts = replace(world.parts, messenger=messenger)
    return world


def send_message(world: World) -> int:
    with world.parts.database.writing() as session:
        content, now = Template("aviso", "es"), world.clock.now()
        message_id = queue_message(session, world.parts.keyring, NUMBER, "+584125551111", content, now).id
    world.do(SEND, message_id=message_id)
    return message_id


def store_status(world: World, state: str) -> None:
    """A status of the message that was sent first, which no job has processed."""
    now = world.clock.now()
    body = json.dumps([{"state": state, "id": "sent-1", "at": now.isoformat()}]).encode()
    with world.parts.database.writing() as session:
        store_notifications(session, [seal_notification(world.parts.secrets, body, now)])


def state_of(world: World, message_id: int) -> str:
    with world.parts.database.reading() as session:
        return session.get_one(Message, message_id).state


def test_who_finds_its_notifications_processed_reads_again(world: World, messenger: InterruptedMessenger) -> None:
    message_id = send_message(world)
    store_status(world, "sent")

    def process_and_receive() -> None:
        world.do(PROCESS)
        store_status(world, "delivered")

    messenger.meanwhile = process_and_receive
    world.do(PROCESS)
    assert state_of(world, message_id) == "delivered"


@pytest.fixture
def gates(world: World) -> Iterator[dict[tuple[str, str], list[Gate]]]:
    """Where the named threads stop: before and after each time they ask for the lock on processing."""
    gates: dict[tuple[str, str], list[Gate]] = defaultdict(list)

    def stop_at(moment: str) -> Callable[..., None]:
        def listener(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
            here = gates[current_thread().name, moment]
            if "pg_try_advisory_xact_lock" in statement and here:
                here.pop(0).stop_here()

        return listener

    before, after = stop_at("before"), stop_at("after")
    engine = world.parts.database.engine
    event.listen(engine, "before_cursor_execute", before)
    event.listen(engine, "after_cursor_execute", after)
    yield gates
    event.remove(engine, "before_cursor_execute", before)
    event.remove(engine, "after_cursor_execute", after)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)  # SQLite has one writer, who waits for no other.
def test_two_jobs_that_meet_leave_no_notification_behind(
    world: World, gates: dict[tuple[str, str], list[Gate]]
) -> None:
    """One has processed the first and comes for the second, just while the other has the lock and finds the first
    processed. If each left the second to the other, it would wait for a minute."""
    message_id = send_message(world)
    store_status(world, "sent")
    quick = Thread(target=lambda: world.do(PROCESS), name="quick")
    late = Thread(target=lambda: world.do(PROCESS), name="late")
    first_lock, second_lock = gates["quick", "before"] = [Gate(), Gate()]
    late_lock, late_has_lock = Gate(), Gate()
    gates["late", "before"], gates["late", "after"] = [late_lock], [late_has_lock]
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
    assert state_of(world, message_id) == "delivered"
