"""Messages over a provider that is not WhatsApp: nothing above `channels/` knows the difference."""

import hashlib
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from httpx2 import Response
from sqlalchemy import select

from ficha.accounts.accounts import Role
from ficha.app import create_app
from ficha.channels.errors import NotSent, OutcomeUnknown, Refused, RetryLater, RetryRule
from ficha.channels.messages import Template, Text
from ficha.messaging.files import FORWARD, Upload, UploadState, Use, add_piece, begin_upload
from ficha.messaging.messages import SEND, queue_message
from ficha.messaging.notifications import PROCESS
from ficha.messaging.tables import Message, MessageState, Thread
from tests.messaging.memory_messenger import NUMBER, SIGNATURE, MemoryMessenger
from tests.world import World

MARIA = "584125551111"


class Unexplained(RetryLater):
    code = 5

    @property
    def rule(self) -> RetryRule:
        return RetryRule.FEW_TIMES


class TokenExpired(Refused):
    code = 6

    @property
    def is_about_our_credentials(self) -> bool:
        return True


class WindowClosed(Refused):
    code = MemoryMessenger.window_closed_code


@pytest.fixture
def messenger() -> MemoryMessenger:
    return MemoryMessenger()


@pytest.fixture
def world(world: World, messenger: MemoryMessenger) -> World:
    """The webhook asks the messenger that the application was made with."""
    world.parts = replace(world.parts, messenger=messenger)
    world.app = create_app(world.parts, checks_answers=True)
    return world


def notify(world: World, *items: dict[str, str]) -> Response:
    dated = [{"at": world.clock.now().isoformat()} | item for item in items]
    body = json.dumps(dated).encode()
    headers = {SIGNATURE: hashlib.sha256(body).hexdigest()}
    answer = world.reader.post("/v2/webhook/whatsapp", content=body, headers=headers)
    world.do(PROCESS)
    return answer


def write(world: World, content: Text | Template) -> int:
    with world.parts.database.writing() as tx:
        return queue_message(tx, world.parts.keyring, NUMBER, f"+{MARIA}", content, world.clock.now()).id


def test_the_answer_to_a_send_joins_the_number_and_the_user_id_that_it_names(
    world: World, messenger: MemoryMessenger
) -> None:
    notify(world, {"text": "BAJA", "id": "in-1", "by": MARIA})
    with world.parts.database.writing() as tx:
        asked = (NUMBER, "VE.1349", Template("aviso", "es"), world.clock.now())
        sent = queue_message(tx, world.parts.keyring, *asked).id
    messenger.people["VE.1349"] = (MARIA, "VE.1349")
    world.do(SEND, message_id=sent)
    world.run_jobs()
    with world.parts.database.reading() as tx:
        [thread] = tx.orm.scalars(select(Thread))
    assert (thread.wa_id, thread.user_id) == (MARIA, "VE.1349")
    assert thread.stopped_at is not None and found(world, sent).thread_id == thread.id


def found(world: World, message_id: int) -> Message:
    with world.parts.database.reading() as tx:
        return tx.orm.get_one(Message, message_id)


def test_a_message_goes_out_and_its_statuses_and_answers_come_in(world: World, messenger: MemoryMessenger) -> None:
    assert notify(world, {"text": "Hola", "id": "in-1", "by": MARIA}).status_code == 200
    sent = write(world, Text("Buenos días"))
    world.do(SEND, message_id=sent)
    assert [message.content for message in messenger.sent] == [Text("Buenos días")]
    notify(world, {"state": "delivered", "id": "sent-1"}, {"text": "BAJA", "id": "in-2", "by": MARIA, "to": "sent-1"})
    assert found(world, sent).state == MessageState.DELIVERED
    with world.parts.database.reading() as tx:
        answered = tx.orm.scalars(select(Message).where(Message.provider_id == "in-2")).one()
    world.do("whatsapp.leido", message_id=answered.id)
    assert messenger.read == ["in-2"]


def test_its_own_signature_decides(world: World) -> None:
    path = "/v2/webhook/whatsapp"
    assert world.reader.post(path, content=b"[]").status_code == 401
    assert world.reader.post(path, content=b"[]", headers={SIGNATURE: "0"}).status_code == 403


@pytest.mark.parametrize("error", [RetryLater(), NotSent(), Unexplained(), TokenExpired(), OutcomeUnknown()])
def test_errors_that_pass_are_tried_again(world: World, messenger: MemoryMessenger, error: Any) -> None:
    messenger.errors = [error]
    sent = write(world, Template("aviso", "es"))
    for _ in range(2):
        world.do(SEND, message_id=sent)
        world.clock.move(minutes=5)
    message = found(world, sent)
    assert (message.state, message.error_code, len(messenger.sent)) == (MessageState.ACCEPTED, error.code, 1)


@pytest.mark.parametrize("errors", [[Refused()], [Unexplained() for _ in range(5)]])
def test_errors_that_stay_fail_the_message(world: World, messenger: MemoryMessenger, errors: list[Any]) -> None:
    messenger.errors = list(errors)
    sent = write(world, Template("aviso", "es"))
    for _ in errors:
        world.do(SEND, message_id=sent)
        world.clock.move(minutes=5)
    message = found(world, sent)
    assert (message.state, message.error_code, message.error) == (MessageState.FAILED, errors[0].code, "rechazado")


def test_a_closed_window_sends_the_template_instead(world: World, messenger: MemoryMessenger) -> None:
    notify(world, {"text": "Hola", "id": "in-1", "by": MARIA})
    messenger.errors = [WindowClosed()]
    refused, late = write(world, Text("Uno")), write(world, Text("Dos"))
    world.do(SEND, message_id=refused)
    world.clock.move(hours=25)
    notify(world, {"state": "failed", "id": "x", "key": found(world, late).key, "code": "24"})
    for message in (found(world, refused), found(world, late)):
        assert (message.error, message.error_code) == ("ventana_cerrada", messenger.window_closed_code)
        assert message.replaced_by is not None


def test_files_go_in_and_out(world: World, messenger: MemoryMessenger) -> None:
    staff, content = world.somebody_with(Role.STAFF), b"\x89PNG" + bytes(1_000)
    for use in (Use.MEDIA, Use.PROFILE_PICTURE):
        with world.parts.database.writing() as tx:
            now = world.clock.now() - timedelta(minutes=1)
            keyring = world.parts.keyring
            upload = begin_upload(tx, keyring, "logo.png", len(content), "image/png", use, staff.id, now)
            add_piece(tx, keyring, upload, 0, content)
        world.do(FORWARD, upload_id=upload.id)
        with world.parts.database.reading() as tx:
            assert tx.orm.get_one(Upload, upload.id).state == UploadState.DONE
    assert list(messenger.media.contents.values()) == [content]
    assert messenger.account.picture is not None
