"""Who wrote, to which number of ours, and when by their own clock."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from ficha.accounts.accounts import Role
from ficha.channels.messages import Text
from ficha.jobs.queue import count_waiting
from ficha.messaging.files import KeptFile
from ficha.messaging.joined_threads import JOIN
from ficha.messaging.message_content import opened_json
from ficha.messaging.messages import queue_message
from ficha.messaging.notifications import PROCESS
from ficha.messaging.tables import KnownStatus, Message, Notification, Thread
from ficha.messaging.threads import Person, ThreadFinder, is_open, is_stopped
from tests.emergencies.scenario import EmergencyScenario, contact
from tests.messaging.test_incoming_messages import receive, rows
from tests.messaging.webhook_notifications import MARIA, NUMBER, enveloped, message, notify, status, value
from tests.world import World, build_world, settings_for

pytestmark = pytest.mark.oldest_postgresql

USER = "VE.13491208655302741918"
SECOND = "106540352242999"


def seconds(world: World, add: int = 0) -> int:
    return int(world.clock.now().timestamp()) + add


def tell(world: World, field: str, content: dict[str, Any], account: str = "102290129340398", **entry: Any) -> None:
    """A change of another field than messages."""
    changes = [{"field": field, "value": content}]
    body = {"object": "whatsapp_business_account", "entry": [{"id": account, "changes": changes} | entry]}
    assert notify(world, json.dumps(body).encode()).status_code == 200
    world.run_jobs()


@pytest.fixture
def scenario(scenario: EmergencyScenario) -> EmergencyScenario:
    """The sandbox tells nothing by itself: statuses and user ids are told by the tests."""
    platform = scenario.world.platform
    platform.call(lambda platforms: platforms.whatsapp.change_behaviour({"with_user_ids": False, "statuses": "none"}))
    return scenario


def test_a_person_is_found_by_the_indexes(world: World) -> None:
    """Of the number and of the user id; that of our own number finds all threads that it has."""
    asked: list[str] = []
    database = world.parts.database
    database.on_statement = asked.append
    with database.reading() as tx:
        is_stopped(tx, NUMBER, Person(MARIA))
        ThreadFinder(tx, world.parts.keyring, world.clock.now()).find(NUMBER, [Person(MARIA, USER)])
        database.on_statement = None
        selects = [sql for sql in asked if sql.startswith("SELECT")]
        assert len(selects) == 2
        if database.is_sqlite:  # PostgreSQL's planner knows how few rows there are.
            for sql in selects:
                plan = tx.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", (None,) * sql.count("?")).all()
                assert plan[0][3] == "MULTI-INDEX OR", plan


def test_number_and_user_id_that_meet_join_their_threads(world: World) -> None:
    at = seconds(world)
    receive(world, message(MARIA, text="por número", at=at - 50))
    receive(world, message(None, from_user_id=USER, text="BAJA", at=at - 40))
    with world.parts.database.writing() as tx:
        queue_message(tx, world.parts.keyring, NUMBER, f"+{MARIA}", Text("nuestra"), world.clock.now())
    assert len(rows(world, Thread)) == 2
    receive(world, message(MARIA, from_user_id=USER, text="juntos", at=at - 30))
    [thread] = rows(world, Thread)
    assert (thread.wa_id, thread.user_id) == (MARIA, USER)
    assert thread.stopped_at is not None and thread.last_inbound_at == world.clock.now() - timedelta(seconds=30)
    stored = rows(world, Message)
    assert {one.thread_id for one in stored} == {thread.id}
    key = thread.open_key(world.parts.keyring)
    texts = [opened_json(key, one.sealed, one.sealing_context).get("text") for one in stored if not one.is_ours]
    assert [text["body"] for text in texts] == ["por número", "BAJA", "juntos"]


def test_a_status_or_a_call_joins_the_number_and_the_user_id_that_it_names(scenario: EmergencyScenario) -> None:
    """Messages, opt-out, window and emergency: of the thread that is joined, as of the one that stays."""
    world = scenario.world
    receive(world, message(None, from_user_id=USER, text="hola", at=seconds(world, -500)))
    assert scenario.press_alert(scenario.sticker(contact())).status_code == 201
    scenario.run_until_idle()
    assert len(rows(world, Thread)) == 2
    [sent] = [one for one in rows(world, Message) if one.is_ours]
    at = seconds(world)
    # Only the user id: the number is the one that we wrote to.
    told = status(sent.provider_id, "delivered", at=at, recipient_user_id=USER)
    del told["recipient_id"]
    receive(world, statuses=[told])
    [thread] = rows(world, Thread)
    assert (thread.wa_id, thread.user_id) == (MARIA, USER) and is_open(thread, world.clock.now())
    assert {one.thread_id for one in rows(world, Message)} == {thread.id}
    world.clock.move(seconds=9)
    receive(world, message(None, from_user_id=USER, text="voy", at=seconds(world)))
    assert scenario.emergencies()[0].state == "acknowledged"

    receive(world, message("584125550009", text="BAJA", at=at), message(None, from_user_id="VE.9", at=at))
    call = {"id": "wacid.2", "from": "584125550009", "from_user_id": "VE.9", "to": "15550783881", "event": "connect"}
    tell(world, "calls", value() | {"calls": [call | {"timestamp": str(at)}]})
    [called] = [one for one in rows(world, Thread) if one.id != thread.id]
    assert (called.wa_id, called.user_id) == ("584125550009", "VE.9") and called.stopped_at is not None


def test_a_status_completes_a_thread_once_and_a_number_that_changed_hands_joins_nothing(world: World) -> None:
    receive(world, message(MARIA), message(None, from_user_id="VE.1"))
    receive(world, message("584125550009", from_user_id="VE.9"))
    seen = [status(f"wamid.{number}", "read", recipient_user_id="VE.9") for number in range(3)]
    receive(world, statuses=[one | {"recipient_id": "584125550009"} for one in seen])
    receive(world, statuses=[status("wamid.X", "read", recipient_user_id=USER)])
    receive(world, statuses=[status("wamid.Y", "read", recipient_user_id="VE.9")])
    threads = {(thread.wa_id, thread.user_id) for thread in rows(world, Thread)}
    assert threads == {(MARIA, USER), (None, "VE.1"), ("584125550009", "VE.9")}


def test_statuses_complete_the_threads_of_all_whom_they_name(world: World) -> None:
    """A job for each took more than half of what a message to somebody new costs."""
    numbers = [f"58412555{number:04d}" for number in range(20)]
    receive(world, *(message(number) for number in numbers[:-1]))
    receive(world, message(None, from_user_id="VE.18"), message(None, from_user_id="VE.19"))
    # The last has no thread by the number yet; the last but one has two; the first is named with two user ids.
    named = [(number, f"VE.{place}") for place, number in enumerate(numbers)] + [(numbers[0], "VE.1000")]
    said = [
        status(f"wamid.{place}", "read", recipient_user_id=user_id) | {"recipient_id": number}
        for place, (number, user_id) in enumerate(named)
    ]
    assert notify(world, enveloped(value(statuses=said))).status_code == 200
    world.do(PROCESS)
    known = {(thread.wa_id, thread.user_id) for thread in rows(world, Thread)}
    assert known == {*named[:18], (numbers[18], None), (None, "VE.18"), named[19]}
    with world.parts.database.reading() as tx:
        assert count_waiting(tx)[JOIN] == 1, "for those two threads, and whom two user ids name"
    world.run_jobs()
    assert {(thread.wa_id, thread.user_id) for thread in rows(world, Thread)} == set(named[:-1])


def test_a_number_that_changed_hands_joins_nothing(world: World) -> None:
    receive(world, message(MARIA, from_user_id="VE.1", text="antes"))
    receive(world, message(None, from_user_id=USER, text="otra"))
    receive(world, message(MARIA, from_user_id=USER, text="ahora"))
    threads = {thread.user_id: thread for thread in rows(world, Thread)}
    assert threads.keys() == {"VE.1", USER}
    assert [one.thread_id for one in rows(world, Message)].count(threads[USER].id) == 2


def test_an_emergency_is_answered_from_the_thread_that_was_joined(scenario: EmergencyScenario) -> None:
    world = scenario.world
    receive(world, message(None, from_user_id=USER, text="hola", at=seconds(world, -500)))
    assert scenario.press_alert(scenario.sticker(contact())).status_code == 201
    scenario.run_until_idle()
    world.clock.move(seconds=9)
    receive(world, message(MARIA, from_user_id=USER, text="voy", at=seconds(world)))
    scenario.run_until_idle()
    assert scenario.emergencies()[0].state == "acknowledged"


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("words", "is_stopped"),
    [
        ([("BAJA", -50), ("ALTA", -40)], False),
        ([("ALTA", -40), ("BAJA", -50)], False),
        ([("ALTA", -50), ("BAJA", -40)], True),
        ([("BAJA", -40), ("ALTA", -50)], True),
        ([("BAJA", -40), ("ALTA", -40)], True),
        ([("ALTA", -40), ("BAJA", -40)], True),
        # A clock that is a year ahead counts as now, and one that is wrong by decades as long ago.
        ([("ALTA", 31_536_000), ("BAJA", -40)], False),
        ([("BAJA", -1_700_000_000), ("ALTA", -40)], False),
    ],
)
def test_the_word_that_was_written_last_counts(world: World, words: list[tuple[str, int]], is_stopped: bool) -> None:
    for word, add in words:
        receive(world, message(text=word, at=seconds(world, add)))
    [thread] = rows(world, Thread)
    assert (thread.stopped_at is not None) is is_stopped


def test_an_impossible_time_is_clamped_and_marked(world: World) -> None:
    ahead, long_ago, fine = seconds(world, 86_400), 1, seconds(world, -5)
    receive(world, *(message(at=at) for at in (ahead, long_ago, fine)))
    stored = rows(world, Message)
    assert [one.is_time_clamped for one in stored] == [True, True, False]
    assert stored[0].at == world.clock.now() and stored[1].at.year == 2009
    assert rows(world, Thread)[0].last_inbound_at == world.clock.now()


def test_the_window_opens_only_for_what_a_person_wrote(world: World) -> None:
    at = seconds(world)
    receive(world, message(type="system", system={"type": "user_changed_number", "body": "x", "wa_id": "1"}, at=at))
    staff = world.somebody_with(Role.STAFF)
    test = {"field": "messages", "value": value([message(text="prueba", at=at)])}
    assert staff.post("/v2/whatsapp/inbox", test).status_code == 200
    receive(world, statuses=[status("wamid.NOBODY", "read", at=at)])
    assert {thread.last_inbound_at for thread in rows(world, Thread)} == {None}
    receive(world, message(text="hola", at=at))
    assert is_open(rows(world, Thread)[0], world.clock.now())


def test_a_call_opens_the_window_and_shows_on_the_emergency(scenario: EmergencyScenario) -> None:
    world = scenario.world
    sticker = scenario.sticker(contact())
    emergency = int(scenario.press_alert(sticker).json()["data"]["id"])
    scenario.run_until_idle()
    world.clock.move(seconds=20)
    call = {"id": "wacid.1", "from": MARIA, "to": "15550783881", "event": "connect", "direction": "USER_INITIATED"}
    content = value() | {"calls": [call | {"timestamp": str(seconds(world))}]}
    tell(world, "calls", content)
    [thread] = rows(world, Thread)
    assert thread.last_inbound_at == world.clock.now()
    [step] = sticker.owner.get(f"/v2/emergencies/{emergency}").json()["data"]["attributes"]["steps"]
    assert step["phoned_at"] is not None and step["answer"] is None
    assert scenario.emergency(emergency).state == "open", "nobody knows what she said"


def test_an_update_for_a_number_that_is_not_ours_acts_on_nothing(world: World) -> None:
    before = world.rows()
    foreign = value([message(text="BAJA")], [status("wamid.THEIRS", "read")], number="999000111222333")
    assert notify(world, enveloped(foreign)).status_code == 200
    tell(world, "message_template_status_update", {"event": "PAUSED"} | TEMPLATE, account="999")
    assert rows(world, Message) == rows(world, Thread) == rows(world, KnownStatus) == rows(world, KeptFile) == []
    assert [one.kind for one in rows(world, Notification)] == ["foreign", "foreign"]
    assert all(one.sealed for one in rows(world, Notification)), "it is kept as it came"
    changed = {name for name, count in world.rows().items() if count != before[name]}
    assert changed == {"notifications"}


TEMPLATE = {"message_template_name": "mensaje_pendiente", "message_template_language": "es", "message_template_id": 1}


def test_a_thread_answers_from_its_own_number(world: World) -> None:
    """Several numbers of ours are a list in the settings."""
    read = settings_for("", Path("data"), whatsapp_more_number_ids=f"{SECOND}, 77")
    assert read.whatsapp_number_ids == {NUMBER, SECOND, "77"}
    assert world.platform.url  # It runs from now on.
    second = build_world(world.parts.settings.model_copy(update={"whatsapp_more_number_ids": (SECOND,)}))
    try:
        notify(second, enveloped(value([message(text="BAJA", at=seconds(second))], number=SECOND)))
        second.do(PROCESS)
        [thread] = rows(second, Thread)
        assert thread.phone_number_id == SECOND and thread.stopped_at is not None
        with second.parts.database.reading() as tx:
            [answer] = tx.orm.scalars(select(Message).where(Message.is_ours.is_(True)))
        second.do("whatsapp.envio", message_id=answer.id)
        paths = [getattr(entry, "path", "") for entry in world.platform.whatsapp.journal.entries]
        assert any(f"/{SECOND}/messages" in path for path in paths)
        assert not any(f"/{NUMBER}/messages" in path for path in paths)
    finally:
        second.close()
