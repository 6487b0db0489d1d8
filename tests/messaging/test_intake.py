"""The webhook: a signed notification is stored before it is answered, and nothing else is stored."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import select

from ficha.channels.whatsapp.webhook import sign
from ficha.messaging.message_content import opened_json
from ficha.messaging.notifications import IntakePriority, open_notification
from ficha.messaging.tables import Message, Notification, Thread
from tests.messaging.webhook_notifications import (
    MARIA,
    SECRET,
    WEBHOOK,
    bare,
    enveloped,
    message,
    notify,
    signed,
    value,
)
from tests.world import World, build_world, settings_for

pytestmark = pytest.mark.oldest_postgresql

VECTOR = (
    rb'{"object":"whatsapp_business_account","entry":[{"id":"0","changes":[{"field":"messages","value":{"messaging_product"'
    rb':"whatsapp","metadata":{"display_phone_number":"16505551111","phone_number_id":"123456123"},"contacts":[{"profile":'
    rb'{"name":"Zo\u00eb"},"wa_id":"16315551181"}],"messages":[{"from":"16315551181","id":"ABGGFlA5Fpa","timestamp":'
    rb'"1504902988","type":"text","text":{"body":"this is a text message"}}]}}]}]}'
)


def kept(world: World) -> list[Notification]:
    with world.parts.database.reading() as tx:
        return list(tx.orm.scalars(select(Notification).order_by(Notification.id)))


def messages(world: World) -> list[Message]:
    with world.parts.database.reading() as tx:
        return list(tx.orm.scalars(select(Message).order_by(Message.id)))


def test_a_signed_body_is_stored_as_it_came_and_answered(world: World) -> None:
    body = enveloped(value([message(text="¿Está bien Zoë?")]))
    answer = notify(world, body)
    assert answer.status_code == 200
    assert answer.json()["data"] == {"received": True}
    [notification] = kept(world)
    assert open_notification(world.parts.secrets, notification) == body
    assert b"bien Zo" not in notification.sealed


def test_the_vectors_of_the_contract() -> None:
    assert sign("app-secret-for-tests", b'{"a":1}') == (
        "sha256=3d6306699b4e205d0a64c07f0ff3996a9099bb67b3ae846621a04c39cf495bd1"
    )
    assert len(VECTOR) == 415
    assert sign("app-secret-for-tests", VECTOR) == (
        "sha256=6c1a2eb1475afadb04c207ad19f6769439ff7ffad6e46130eafcf00943b6c783"
    )


def test_the_same_json_in_other_bytes_is_refused(database_url: str, tmp_path: Any) -> None:
    world = build_world(settings_for(database_url, tmp_path / "data", whatsapp_app_secret="app-secret-for-tests"))
    headers = {"X-Hub-Signature-256": sign("app-secret-for-tests", VECTOR)}
    again = json.dumps(json.loads(VECTOR), ensure_ascii=False, separators=(",", ":")).encode()
    assert world.reader.post(WEBHOOK, content=again, headers=headers).status_code == 403
    assert world.reader.post(WEBHOOK, content=VECTOR, headers=headers).status_code == 200
    world.run_jobs()
    [stored] = messages(world)
    assert stored.is_test
    world.close()


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({}, 401, "firma_ausente"),
        ({"X-Hub-Signature-256": "sha256=" + "0" * 64}, 403, "firma_incorrecta"),
        ({"X-Hub-Signature-256": "sha256=ñ"}, 403, "firma_incorrecta"),
        ({"X-Hub-Signature-256": ""}, 401, "firma_ausente"),
        ({"X-Hub-Signature": "sha1=" + "0" * 40}, 401, "firma_ausente"),
    ],
)
def test_without_the_platforms_signature_nothing_is_stored(
    world: World, headers: dict[str, str], status: int, code: str
) -> None:
    raw = [(name.encode(), value.encode("utf-8")) for name, value in headers.items()]
    answer = world.reader.post(WEBHOOK, content=enveloped(value([message()])), headers=raw)
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (status, code)
    assert kept(world) == []


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"\xff\xfe",
        b"[" * 5_000 + b"]" * 5_000,
        b'{"entry":' * 900 + b"1" + b"}" * 900,
        b'{"a":1}',
        b"nothing",
    ],
    ids=["empty", "null", "not utf-8", "deep list", "deep object", "strange", "not json"],
)
def test_signed_bodies_that_cannot_be_read_do_no_harm(world: World, body: bytes) -> None:
    assert notify(world, body).status_code == 200
    assert notify(world, enveloped(value([message()]))).status_code == 200
    world.run_jobs()
    assert len(messages(world)) == 1
    assert all(notification.processed_at for notification in kept(world))


def test_a_notification_that_cannot_be_unsealed_does_not_stop_the_next(world: World) -> None:
    for text in ("primero", "estropeado", "último"):
        assert notify(world, enveloped(value([message(text=text)]))).status_code == 200
    with world.parts.database.writing() as tx:
        tx.orm.scalars(select(Notification).order_by(Notification.id)).all()[1].sealed = b"not what was sealed"
    world.run_jobs()
    assert len(messages(world)) == 2
    assert [notification.unreadable for notification in kept(world)] == [0, 1, 0]
    assert all(notification.processed_at for notification in kept(world))


def test_many_small_notifications_are_processed_in_order(world: World) -> None:
    texts = [f"número {n}" for n in range(120)]
    for text in texts:
        assert notify(world, enveloped(value([message(text=text)]))).status_code == 200
    world.run_jobs()
    stored = messages(world)
    with world.parts.database.reading() as tx:
        key = tx.orm.scalars(select(Thread)).one().open_key(world.parts.keyring)
    stored_texts = [opened_json(key, one.sealed or b"", one.sealing_context)["text"]["body"] for one in stored]
    assert stored_texts == texts


def test_processing_waits_for_requests_that_are_not_answered_yet() -> None:
    priority = IntakePriority()
    assert _seconds(priority.wait_for_intake, 5) < 1, "no request waits"
    with priority.unanswered():
        assert 0.1 <= _seconds(priority.wait_for_intake, 0.1) < 1, "one waits, but not longer than this"
    assert _seconds(priority.wait_for_intake, 5) < 1, "it was answered"


def _seconds(wait: Callable[[float], None], longest: float) -> float:
    started = time.monotonic()
    wait(longest)
    return time.monotonic() - started


@pytest.mark.slow
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_five_megabytes_are_too_many_and_three_are_not(world: World) -> None:
    assert notify(world, b"x" * 5_000_000).status_code == 413
    assert kept(world) == []
    batch = [message(sender=f"5841255{n:05d}", text="a" * 4_000) for n in range(720)]
    body = enveloped(value(batch))
    assert len(body) > 2_900_000
    assert notify(world, body).status_code == 200
    world.run_jobs()
    assert len(messages(world)) == 720


def test_a_replayed_body_is_answered_and_counts_once(world: World) -> None:
    body = enveloped(value([message()]))
    for _ in range(3):
        assert notify(world, body).status_code == 200
    assert len(kept(world)) == 1
    world.run_jobs()
    assert notify(world, body).status_code == 200
    world.run_jobs()
    assert len(messages(world)) == 1


def test_both_forms_are_read(world: World) -> None:
    first, second = message(), message()
    notify(world, enveloped(value([first])))
    notify(world, bare(value([second])))
    world.run_jobs()
    assert [stored.provider_id for stored in messages(world)] == [first["id"], second["id"]]


def test_an_unavailable_database_is_a_503_and_the_platform_tries_again(world: World) -> None:
    """Its table is missing: what cannot be stored is not answered with 200."""
    with world.parts.database.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE notifications RENAME TO elsewhere")
    body = enveloped(value([message(sender=MARIA)]))
    try:
        answer = notify(world, body)
        assert answer.status_code == 503
        assert answer.headers["Retry-After"]
    finally:
        with world.parts.database.engine.begin() as connection:
            connection.exec_driver_sql("ALTER TABLE elsewhere RENAME TO notifications")
    assert notify(world, body).status_code == 200


def test_doubled_headers_are_refused(world: World) -> None:
    body = enveloped(value([message()]))
    headers = [*signed(body).items(), ("Content-Type", "text/plain")]
    assert world.reader.post(WEBHOOK, content=body, headers=headers).status_code == 400
    assert SECRET not in world.reader.post(WEBHOOK, content=body).text
