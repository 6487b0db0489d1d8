"""What platforms answered about somebody is kept for a day under an Idempotency-Key, and goes when she is erased."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from ficha.accounts.accounts import Account, Role
from ficha.conversations.desk_conversations import DeskConversation
from ficha.emergencies.emergency import Emergency
from ficha.http.kept_answers import KeptAnswer
from ficha.messaging.tables import Thread
from ficha.sandbox.chatwoot.platform import ChatwootPlatform
from ficha.sandbox.server import Sandbox
from tests.emergencies.scenario import EmergencyScenario, contact
from tests.world import CLAVE, Person, World, build_world, settings_for

CONTACTS, CONVERSATION = "/v1/accounts/1/contacts", "/v1/accounts/1/conversations/{}/messages"
NUMBER = "+584149990000"
AGENT = {"api_access_token": "sandbox-chatwoot-token"}


@pytest.fixture
def world(database_url: str, tmp_path: Path) -> Iterator[World]:
    with Sandbox() as sandbox:
        platforms = {"chatwoot_base_url": sandbox.url, "whatsapp_base_url": sandbox.url}
        world = build_world(settings_for(database_url, tmp_path / "data", **platforms))
        sandbox.call(lambda found: _add_conversations(found.chatwoot, "hilo", "aviso", "ajena"))
        sandbox.receive(from_=NUMBER, text="Hola")  # So that we may write freely.
        yield world
        world.close()


def _add_conversations(chatwoot: ChatwootPlatform, *names: str) -> None:
    for name in names:
        chatwoot.add_conversation(chatwoot.join_inbox(chatwoot.add_contact(name), chatwoot.inboxes[1], name))


def post(caller: Person, path: str, body: dict[str, str], key: str) -> tuple[int, str | None]:
    """The status, and the code of the error if it is one."""
    answer = caller.post(path, body, headers={"Idempotency-Key": key})
    return answer.status_code, answer.json()["errors"][0]["code"] if answer.is_error else None


def kept(world: World) -> set[str]:
    with world.parts.database.reading() as tx:
        return set(tx.orm.scalars(select(KeptAnswer.key).where(KeptAnswer.answer.is_not(None))))


def test_platforms_answers_go_with_whom_they_tell_about(world: World) -> None:
    scenario = EmergencyScenario(world)
    staff = world.somebody_with(Role.STAFF)
    sticker = scenario.sticker(contact())
    owner, mailbox = sticker.owner, f"{sticker.owner.correo[0].upper()}{sticker.owner.correo[1:]}"
    assert scenario.press_alert(sticker).status_code == 201
    with scenario.database.writing() as tx:
        account = tx.orm.get_one(Account, owner.id)
        account.telefono_e164, account.telefono_verificado_por = NUMBER, "whatsapp"
        thread = Thread(name="hilo", phone_number_id="1", wa_id=NUMBER[1:], account_id=account.id)
        thread.created_at = scenario.now
        thread.store_key(world.parts.keyring, bytes(32))
        tx.orm.add(thread)
        tx.orm.flush()
        emergency_id = tx.orm.scalars(select(Emergency.id)).one()
        of_thread = DeskConversation(thread_id=thread.id, source_id="hilo", conversation_id=1)
        of_emergency = DeskConversation(emergency_id=emergency_id, source_id="aviso", conversation_id=2)
        for row in (of_thread, of_emergency):
            row.created_at = scenario.now
            tx.orm.add(row)
    asked = {
        "numero": (CONTACTS, {"name": "Ana Lucía", "phone_number": NUMBER}),
        "correo": (CONTACTS, {"name": "Ana Lucía", "email": mailbox}),
        "hilo": (CONVERSATION.format(1), {"content": "Ana Lucía está mejor"}),
        "aviso": (CONVERSATION.format(2), {"content": "Ana Lucía no despierta"}),
        "ajena": (CONVERSATION.format(3), {"content": "Buenos días"}),
        "ajeno": (CONTACTS, {"name": "Beto", "phone_number": NUMBER.replace("9990000", "9990001")}),
    }
    for key, (path, body) in asked.items():
        assert post(staff, path, body, key) == (200, None)
    by_agent = {"name": "Ana", "identifier": "ana", "phone_number": "+5841499900009"}  # Hers with a digit more.
    assert world.client.post(CONTACTS, json=by_agent, headers=AGENT | {"Idempotency-Key": "largo"}).status_code == 200
    text = {"messaging_product": "whatsapp", "to": NUMBER, "type": "text", "text": {"body": "Hola"}}
    gateway, headers = "/v23.0/106540352242922/messages", {"Authorization": "Bearer sandbox-token"}
    sent = world.client.post(gateway, json=text, headers=headers | {"Idempotency-Key": "pasarela"})
    assert sent.status_code == 200, sent.text
    assert kept(world) == {*asked, "largo", "pasarela"}
    assert owner.delete("/v1/local/data", {"clave": CLAVE}).status_code == 200
    assert kept(world) == {"ajena", "ajeno", "largo"}
    assert {key: post(staff, *asked[key], key)[1] for key in asked} == {
        **dict.fromkeys(("numero", "correo", "hilo", "aviso"), "respuesta_borrada"),
        **dict.fromkeys(("ajena", "ajeno")),
    }


def test_a_record_that_goes_alone_takes_what_was_answered_about_it(world: World) -> None:
    people = owner, other = world.register(), world.register()
    body = {"relacion": "hija", "nombres": "Sol"}
    made = [one.post("/v2/fmd", body, headers={"Idempotency-Key": f"de {one.id}"}).json()["data"] for one in people]
    assert kept(world) == {f"de {owner.id}", f"de {other.id}"}
    code = made[0]["attributes"]["product_codes"][0]
    assert owner.delete(f"/v2/fmd/{code}", {"clave": CLAVE}).status_code == 200
    assert kept(world) == {f"de {other.id}"}
    again = [post(one, "/v2/fmd", body, f"de {one.id}") for one in people]
    assert again == [(409, "respuesta_borrada"), (201, None)]
