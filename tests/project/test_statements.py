"""How many statements and transactions an operation takes is written down, here and in docs/benchmarks.md."""

from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Response
from sqlalchemy import literal, select

from ficha.channels.messages import Template
from ficha.core.db import Database
from ficha.core.prepared import Prepared
from ficha.emergencies.opening import ESCALATE
from ficha.messaging.messages import SEND, queue_row
from ficha.messaging.notifications import PROCESS, seal_notification, store_notifications
from ficha.messaging.tables import Message, MessageState
from tests.emergencies.scenario import EmergencyScenario, contact
from tests.messaging.webhook_notifications import MARIA, NUMBER, enveloped, message, status, value
from tests.statement_counter import count_statements
from tests.world import Person, World, registration

DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "benchmarks.md"

# Statements and transactions: on SQLite, on PostgreSQL. One that falls is written here and in the document too.
TABLE = {
    "me": ((3, 0), (3, 0)),
    "renew": ((5, 1), (5, 1)),
    "patch": ((8, 1), (9, 1)),
    "register": ((6, 1), (6, 1)),
    "family": ((11, 0), (11, 0)),
    "alert": ((9, 1), (10, 1)),
    "send and three statuses": ((44, 9), (55, 9)),
    "message received": ((14, 2), (16, 2)),
    "ladder step": ((20, 1), (21, 1)),
}

# Gets all ready and returns what is counted. Each time it is for somebody new, or says something new.
Operation = Callable[[], Response | None]
_numbers = count(50)


def me(_world: World, ana: Person) -> Operation:
    return partial(ana.get, "/v2/auth/me")


def renew(world: World, ana: Person) -> Operation:
    headers = {"Authorization": f"Bearer {world.token_for(ana.id)}"}
    return partial(world.client.post, "/v2/auth/tokens", headers=headers)


def patch(world: World, ana: Person) -> Operation:
    [code] = ana.data["attributes"]["product_codes"]
    body = {"peso_kg": next(_numbers)}
    return partial(world.client.patch, f"/v2/fmd/{code}/cuerpo", json=body, headers=ana.headers)


def register(world: World, _ana: Person) -> Operation:
    return partial(world.client.post, "/v2/auth/register", json=registration())


def family(_world: World, ana: Person) -> Operation:
    """The page of somebody with one record, which nobody has opened."""
    return partial(ana.get, "/app")


def alert(world: World, _ana: Person) -> Operation:
    scenario = EmergencyScenario(world)
    return partial(scenario.press_alert, scenario.sticker(contact()))


def ladder_step(world: World, _ana: Person) -> Operation:
    """The first one, which queues a message to the first contact."""
    scenario = EmergencyScenario(world)
    raised = scenario.press_alert(scenario.sticker(contact()))
    return partial(world.do, ESCALATE, emergency_id=raised.json()["data"]["id"], place=1)


def send_and_three_statuses(world: World, _ana: Person) -> Operation:
    """From the transaction that queues it until it is known to be read. The platform itself tells nobody."""
    return partial(_send, world)


def _send(world: World, **told: Any) -> None:
    parts, now = world.parts, world.clock.now()
    accepted = world.platform.whatsapp.journal.accepted
    template = Template("mensaje_pendiente", "es", body=["Hola"])
    with parts.database.writing() as tx:
        message_id = queue_row(tx, parts.keyring, NUMBER, f"+{MARIA}", template, now)
    world.do(SEND, message_id=message_id)
    for word in ("sent", "delivered", "read"):
        body = enveloped(value(statuses=[status(accepted[-1].id, word, **told)]))
        # As the webhook's intake does it.
        received = seal_notification(parts.secrets, body, now)
        with parts.database.writing() as tx:
            store_notifications(tx, [received])
        world.do(PROCESS)


def message_received(world: World, _ana: Person) -> Operation:
    """One that somebody writes, from the transaction that stores the notification until it is read."""
    return partial(_receive, world)


def _receive(world: World) -> None:
    parts, now = world.parts, world.clock.now()
    received = seal_notification(parts.secrets, enveloped(value([message(at=int(now.timestamp()))])), now)
    with parts.database.writing() as tx:
        store_notifications(tx, [received])
    world.do(PROCESS)


OPERATIONS = {
    "me": me,
    "renew": renew,
    "patch": patch,
    "register": register,
    "family": family,
    "alert": alert,
    "send and three statuses": send_and_three_statuses,
    "message received": message_received,
    "ladder step": ladder_step,
}


@pytest.mark.parametrize("name", TABLE)
def test_an_operation_takes_as_many_statements_as_written(world: World, ana: Person, name: str) -> None:
    prepare = OPERATIONS[name]
    prepare(world, ana)()  # The first of a process also makes keys, and asks what is then remembered.
    operation = prepare(world, ana)
    with count_statements(world.parts.database) as counted:
        answer = operation()
    assert answer is None or answer.is_success, answer.text
    if name == "send and three statuses":
        with world.parts.database.reading() as tx:
            assert set(tx.orm.scalars(select(Message.state))) == {MessageState.READ}
    if name == "ladder step":
        assert EmergencyScenario(world).ladder()[-1] == ("whatsapp", "queued")
    written = TABLE[name][0 if world.parts.database.is_sqlite else 1]
    assert (counted.statements, counted.transactions) == written, "\n".join([f"{name}:", *counted.texts])


def test_statuses_that_name_the_user_id_take_no_more(world: World) -> None:
    """Once the thread has it, that is: the first puts the job that notes it there."""
    _send(world, recipient_user_id="VE.1349")
    world.run_jobs()
    counts = []
    for told in ({}, {"recipient_user_id": "VE.1349"}):
        with count_statements(world.parts.database) as counted:
            _send(world, **told)
        counts.append((counted.statements, counted.transactions))
    assert counts[0] == counts[1]


def test_what_runs_on_the_driver_and_what_fails_is_counted_too(database: Database) -> None:
    asked = select(literal(1).label("one"))
    with count_statements(database) as counted:
        with pytest.raises(ZeroDivisionError), database.writing() as tx:
            tx.first(Prepared(asked))
            with tx.savepoint():
                tx.orm.execute(asked)
            raise ZeroDivisionError
        with database.reading() as tx:
            tx.orm.execute(asked)
    # One prepared, a savepoint, one in it, its release; and one by a reader.
    assert (counted.statements, counted.transactions) == (5, 1)
    with database.reading() as tx:
        tx.orm.execute(asked)
    assert counted.statements == 5


def test_the_document_says_the_same() -> None:
    lines = DOCUMENT.read_text().splitlines()
    for name, (sqlite, postgresql) in TABLE.items():
        assert f"| {name} | {sqlite[0]} in {sqlite[1]} | {postgresql[0]} in {postgresql[1]} |" in lines
