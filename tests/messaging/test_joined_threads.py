"""Two threads are joined just while a message is queued for the one that goes, or sent from it."""

from dataclasses import replace
from threading import Thread as Worker

import pytest
from sqlalchemy import select

from ficha.channels.messages import Template
from ficha.jobs.queue import count_waiting
from ficha.messaging.joined_threads import JOIN, note_same_people
from ficha.messaging.message_content import content_of
from ficha.messaging.messages import queue_message
from ficha.messaging.tables import Message, Thread
from ficha.messaging.threads import Person, ThreadFinder
from tests.gates import gates_in, wait_until_over_or_locked
from tests.messaging.memory_messenger import NUMBER, MemoryMessenger
from tests.world import World

WA_ID, USER = "584125551111", "VE.1349"
CONTENT = Template("aviso", "es", body=[], header=[], buttons=[])

# SQLite has one writer at a time: there nobody meets.
pytestmark = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)


@pytest.fixture
def world(world: World) -> World:
    """One person has two threads, and nobody knows yet that she does."""
    world.parts = replace(world.parts, messenger=MemoryMessenger())
    with world.parts.database.writing() as tx:
        people = [Person(user_id=USER), Person(wa_id=WA_ID)]
        ThreadFinder(tx, world.parts.keyring, world.clock.now()).create(NUMBER, people)
    return world


def queue(world: World) -> None:
    with world.parts.database.writing() as tx:
        queue_message(tx, world.parts.keyring, NUMBER, f"+{WA_ID}", CONTENT, world.clock.now())


def joining(world: World) -> Worker:
    return Worker(target=lambda: world.do(JOIN, number=NUMBER, people=[(WA_ID, USER)]), name="join")


def the_message(world: World) -> Message:
    """There is one, and one thread, whose key opens it."""
    with world.parts.database.reading() as tx:
        [thread] = tx.orm.scalars(select(Thread))
        [message] = tx.orm.scalars(select(Message))
        assert (thread.wa_id, thread.user_id, message.thread_id) == (WA_ID, USER, thread.id)
        assert message.sealed is not None
        assert content_of(thread.open_key(world.parts.keyring), message.sealed, message.sealing_context) == CONTENT
    return message


@pytest.mark.parametrize("first", ["queue", "join"])
def test_a_message_queued_while_its_thread_is_joined_is_in_the_one_that_stays(world: World, first: str) -> None:
    gates = gates_in(world.parts.database)
    workers = {"queue": Worker(target=lambda: queue(world), name="queue"), "join": joining(world)}
    other, reached = {"queue": ("join", "FROM threads"), "join": ("queue", "FROM messages")}[first]
    gate = gates.after(first, reached)
    workers[first].start()
    gate.wait_for_thread()
    workers[other].start()
    wait_until_over_or_locked(world.parts.database, workers[other])
    gate.open()
    for worker in workers.values():
        worker.join()
    assert the_message(world).state == "queued"


def test_a_message_sent_while_its_thread_is_joined_is_sent(world: World) -> None:
    queue(world)
    gates = gates_in(world.parts.database)
    moved = gates.after("join", "UPDATE messages")
    join, send = joining(world), Worker(target=world.run_jobs, name="send")
    join.start()
    moved.wait_for_thread()
    send.start()
    wait_until_over_or_locked(world.parts.database, send)
    moved.open()
    join.join()
    send.join()
    world.run_jobs()
    assert the_message(world).state == "accepted"


def test_a_thread_that_somebody_writes_into_is_completed_later(world: World) -> None:
    """Whoever waited for it would hold messages that the other may want."""
    with world.parts.database.writing() as writing:
        queue_message(writing, world.parts.keyring, NUMBER, f"+{WA_ID}", CONTENT, world.clock.now())
        with world.parts.database.writing() as noticing:
            note_same_people(noticing, [(NUMBER, Person(WA_ID, "VE.7"))])
    with world.parts.database.reading() as tx:
        assert count_waiting(tx)[JOIN] == 1
    world.run_jobs()
    with world.parts.database.reading() as tx:
        found = {(thread.wa_id, thread.user_id) for thread in tx.orm.scalars(select(Thread))}
    assert found == {(WA_ID, "VE.7"), (None, USER)}
