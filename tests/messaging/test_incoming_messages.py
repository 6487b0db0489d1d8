"""What happens when somebody writes to us."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from ficha.accounts.accounts import Account
from ficha.channels.messages import Text
from ficha.events.events import Event
from ficha.messaging.files import KeptFile
from ficha.messaging.message_content import content_of, opened_json
from ficha.messaging.messages import ContactStopped, queue_message
from ficha.messaging.notifications import PROCESS
from ficha.messaging.opt_out import OptOutWord, opt_out_word_in
from ficha.messaging.tables import KnownStatus, Message, MessageState, Notification, Thread
from ficha.messaging.threads import is_open
from tests.messaging.webhook_notifications import MARIA, NUMBER, enveloped, message, notify, status, value
from tests.world import World

pytestmark = pytest.mark.oldest_postgresql

TYPES: list[dict[str, Any]] = [
    {"type": "image", "image": {"id": "11", "mime_type": "image/jpeg", "sha256": "aGFzaA==", "caption": "Aquí"}},
    {
        "type": "audio",
        "audio": {"id": "12", "mime_type": "audio/ogg; codecs=opus", "sha256": "aGFzaA==", "voice": True},
    },
    {"type": "document", "document": {"id": "13", "mime_type": "application/pdf", "sha256": "aGFzaA=="}},
    {"type": "sticker", "sticker": {"id": "14", "mime_type": "image/webp", "sha256": "aGFzaA==", "animated": False}},
    {"type": "video", "video": {"id": "15", "mime_type": "video/mp4", "sha256": "aGFzaA=="}},
    {"type": "location", "location": {"latitude": 10.6, "longitude": -71.6}},
    {"type": "contacts", "contacts": [{"name": {"formatted_name": "Luis"}}]},
    {"type": "button", "button": {"payload": "ACK-17", "text": "Voy"}, "context": {"from": NUMBER, "id": "wamid.X"}},
    {"type": "interactive", "interactive": {"type": "button_reply", "button_reply": {"id": "si", "title": "Sí"}}},
    {"type": "reaction", "reaction": {"message_id": "wamid.X", "emoji": "👍"}},
    {"type": "order", "order": {"catalog_id": "1", "text": "", "product_items": []}},
    {"type": "system", "system": {"body": "cambió", "type": "user_changed_number", "wa_id": "584125550000"}},
    {"type": "unsupported", "errors": [{"code": 131051, "title": "Message type unknown"}]},
    {"type": "edit", "edit": {"original_message_id": "wamid.X"}},
    {"type": "telepathy", "telepathy": {"thought": "?"}},
]


def rows(world: World, table: type[Any]) -> list[Any]:
    with world.parts.database.reading() as tx:
        return list(tx.orm.scalars(select(table).order_by(*table.__table__.primary_key)))


def receive(world: World, *items: dict[str, Any], statuses: Any = ()) -> None:
    assert notify(world, enveloped(value(items, statuses))).status_code == 200
    world.run_jobs()


def test_a_message_joins_the_thread_of_its_sender(world: World) -> None:
    receive(world, message(text="Hola"), message(text="¿Hay alguien?"), message(sender="584125552222"))
    threads = rows(world, Thread)
    assert sorted(thread.wa_id for thread in threads) == [MARIA, "584125552222"]
    stored = rows(world, Message)
    assert len({one.thread_id for one in stored}) == 2
    [first] = [one for one in stored if one.id == min(each.id for each in stored)]
    thread = next(one for one in threads if one.id == first.thread_id)
    opened = opened_json(thread.open_key(world.parts.keyring), first.sealed, first.sealing_context)
    assert opened["text"] == {"body": "Hola"}
    assert b"Hola" not in first.sealed
    assert first.state == MessageState.RECEIVED


@pytest.mark.parametrize("item", TYPES, ids=lambda item: item["type"])
def test_every_kind_of_message_is_kept(world: World, item: dict[str, Any]) -> None:
    receive(world, message(**item), message(text="después"))
    assert [one.type for one in rows(world, Message)] == [item["type"], "text"]


def test_a_bad_item_does_not_lose_the_others(world: World) -> None:
    good, late = message(), message()
    bad: list[Any] = [{"type": "text"}, 17, None, message(id="wamid.NUL\x00"), message(type="x" * 3_000)]
    body = enveloped(value([good]) | {"messages": [good, *bad, late]})
    assert notify(world, body).status_code == 200
    world.run_jobs()
    ids = [one.provider_id for one in rows(world, Message)]
    assert ids[0] == good["id"] and ids[-1] == late["id"]


def test_a_person_who_hides_the_number_is_known_by_a_user_id(world: World) -> None:
    hidden = message(sender=None, from_user_id="VE.13491208655302741918")
    receive(world, hidden)
    [thread] = rows(world, Thread)
    assert (thread.wa_id, thread.user_id) == (None, "VE.13491208655302741918")
    receive(world, message(sender=MARIA, from_user_id="VE.13491208655302741918"))
    [thread] = rows(world, Thread)
    assert (thread.wa_id, thread.user_id) == (MARIA, "VE.13491208655302741918")


def test_a_message_from_a_person_opens_the_window_for_a_day(world: World) -> None:
    at = int((world.clock.now() - timedelta(hours=1)).timestamp())
    receive(world, message(at=at), message(at=at - 500))
    [thread] = rows(world, Thread)
    assert int(thread.last_inbound_at.timestamp()) == at
    assert is_open(thread, world.clock.now())
    world.clock.move(hours=23, seconds=1)
    assert not is_open(thread, world.clock.now())


def test_a_verified_number_links_the_thread_to_its_account(world: World) -> None:
    ana = world.register(telefono="4125551111")
    receive(world, message())
    assert rows(world, Thread)[0].account_id is None, "anybody can write a number into a form"
    with world.parts.database.writing() as tx:
        tx.orm.get_one(Account, ana.id).telefono_verificado_por = "correo"
    receive(world, message())
    assert rows(world, Thread)[0].account_id is None, "a code by mail proves nothing about the phone"
    with world.parts.database.writing() as tx:
        tx.orm.get_one(Account, ana.id).telefono_verificado_por = "whatsapp"
    receive(world, message())
    assert rows(world, Thread)[0].account_id == ana.id
    published = [event for event in rows(world, Event) if event.account_id == ana.id]
    assert [event.kind for event in published] == ["message.received"]


@pytest.mark.parametrize("word", ["BAJA", " stop. ", "¡Parar!", "no más mensajes"])
def test_a_word_that_stops_messages_is_obeyed_and_confirmed_once(world: World, word: str) -> None:
    at = int(world.clock.now().timestamp())
    receive(world, message(text=word, at=at))
    receive(world, message(text=word, at=at + 1))
    [thread] = rows(world, Thread)
    assert thread.stopped_at is not None
    [answer] = [one for one in rows(world, Message) if one.is_ours]
    with world.parts.database.writing() as tx:
        content = content_of(thread.open_key(world.parts.keyring), answer.sealed, answer.sealing_context)
        assert isinstance(content, Text) and "ALTA" in content.body and "START" in content.body
        with pytest.raises(ContactStopped):
            queue_message(tx, world.parts.keyring, NUMBER, f"+{MARIA}", Text("Hola"), world.clock.now())
    receive(world, message(text="Alta", at=at + 2))
    [thread] = rows(world, Thread)
    assert thread.stopped_at is None
    assert len([one for one in rows(world, Message) if one.is_ours]) == 2


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    "words", ["baja por favor", "Alto", "cancelar", "STOP ALL", "no me escriban", "¡No quiero más mensajes!"]
)
def test_what_sounds_like_a_stop_is_asked_back_once(world: World, words: str) -> None:
    at = int(world.clock.now().timestamp())
    for later in range(2):
        receive(world, message(text=words, at=at + later))
    [thread] = rows(world, Thread)
    assert thread.stopped_at is None
    [asked] = [one for one in rows(world, Message) if one.is_ours]
    content = content_of(thread.open_key(world.parts.keyring), asked.sealed, asked.sealing_context)
    assert isinstance(content, Text) and "BAJA" in content.body and "STOP" in content.body
    receive(world, message(text="Baja", at=at + 2))
    assert rows(world, Thread)[0].stopped_at is not None


@pytest.mark.parametrize(
    "words",
    [
        "voy",
        "no puedo",
        "está en la parte alta",
        "la presión está baja de nuevo, ya llamé al médico de guardia y me dijo que esperara",
    ],
)
def test_what_people_write_in_an_emergency_is_not_asked_back(world: World, words: str) -> None:
    receive(world, message(text=words))
    assert not [one for one in rows(world, Message) if one.is_ours]


def test_a_nul_costs_its_letter_and_not_the_message(world: World) -> None:
    receive(world, message(text="Estoy\x00 en la \ud800plaza"), message(text="después"))
    stored = rows(world, Message)
    [thread] = rows(world, Thread)
    raw = [opened_json(thread.open_key(world.parts.keyring), one.sealed, one.sealing_context) for one in stored]
    assert [one["text"]["body"] for one in raw] == ["Estoy en la plaza", "después"]


@pytest.mark.parametrize("timestamp", ["-5", "0", "99999999999999", "9" * 30])
def test_a_time_that_no_clock_shows_is_clamped_and_the_message_kept(world: World, timestamp: str) -> None:
    receive(world, message() | {"timestamp": timestamp})
    [stored] = rows(world, Message)
    assert stored.is_time_clamped and stored.at <= world.clock.now()


@pytest.mark.parametrize("field", ["id", "from", "timestamp", "type"])
def test_an_item_with_a_number_of_thirty_digits_stops_no_other(world: World, field: str) -> None:
    items = [message(text="antes"), message(), message(text="después")]
    content = value(items)
    content["messages"][1] = items[1] | {field: int("9" * 30)}
    assert notify(world, enveloped(content)).status_code == 200
    world.run_jobs()
    assert len(rows(world, Message)) >= 2
    [kept] = rows(world, Notification)
    assert kept.processed_at is not None and kept.unreadable == 3 - len(rows(world, Message))


def test_our_number_under_another_business_account_acts_on_nothing(world: World) -> None:
    body = enveloped(value([message(text="BAJA")])).replace(b"102290129340398", b"999999999999999")
    assert notify(world, body).status_code == 200
    world.run_jobs()
    assert rows(world, Message) == [] and rows(world, Thread) == []
    assert [one.kind for one in rows(world, Notification)] == ["foreign"]


@given(st.text())
def test_ordinary_sentences_stop_nothing(words: str) -> None:
    assert opt_out_word_in(f"por favor {words} ayuda") is None
    assert opt_out_word_in(None) is None
    assert opt_out_word_in("Baja") is OptOutWord.STOP


def test_a_test_notification_changes_no_real_data(world: World) -> None:
    body = enveloped(value([message(text="BAJA")], number="123456123"))
    notify(world, body)
    world.run_jobs()
    [stored] = rows(world, Message)
    assert stored.is_test
    assert rows(world, Thread)[0].stopped_at is None


def test_a_file_is_stored_as_waiting_to_be_fetched(world: World) -> None:
    body = enveloped(value([message(**TYPES[0])], number="123456123"))
    notify(world, body)
    world.run_jobs()
    [file] = rows(world, KeptFile)
    assert (file.media_id, file.mime_type, file.state) == ("11", "image/jpeg", "waiting")


def test_a_status_of_an_unknown_message_is_kept_for_it(world: World) -> None:
    receive(world, statuses=[status("wamid.LATER", "delivered"), status("wamid.LATER", "delivered")])
    assert [known.progress for known in rows(world, KnownStatus)] == ["delivered"]


@pytest.mark.parametrize(
    "order",
    [
        ("read", "sent", "delivered", "failed", "read"),
        ("failed", "delivered", "sent", "read"),
        ("delivered", "read", "failed", "sent"),
        ("sent", "failed", "read", "delivered"),
    ],
)
def test_statuses_never_move_backwards_in_whatever_order_they_come(world: World, order: tuple[str, ...]) -> None:
    with world.parts.database.writing() as tx:
        ours = queue_message(tx, world.parts.keyring, NUMBER, f"+{MARIA}", Text("Hola"), world.clock.now())
        ours.provider_id, ours.state = "wamid.OURS", MessageState.ACCEPTED
    for word in order:
        receive(world, statuses=[status("wamid.OURS", word)])
    [stored] = rows(world, Message)
    assert stored.state == MessageState.READ
    assert stored.sent_at and stored.delivered_at and stored.read_at


def test_a_status_with_our_key_finds_its_message(world: World) -> None:
    """After a call without an answer, only the statuses tell whether it was accepted."""
    with world.parts.database.writing() as tx:
        ours = queue_message(tx, world.parts.keyring, NUMBER, f"+{MARIA}", Text("Hola"), world.clock.now())
        ours.in_doubt_at = world.clock.now()
        key = ours.key
    notify(world, enveloped(value(statuses=[status("wamid.HUNG", "sent", biz_opaque_callback_data=key)])))
    world.do(PROCESS)
    [stored] = rows(world, Message)
    assert (stored.provider_id, stored.state, stored.in_doubt_at) == ("wamid.HUNG", MessageState.SENT, None)
