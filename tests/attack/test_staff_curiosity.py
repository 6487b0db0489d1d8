"""Staff want to read what was written to a family, and to answer in its name."""

import json

from sqlalchemy import select

from ficha.accounts.accounts import Role
from ficha.emergencies.steps import token_for
from ficha.messaging.tables import Message
from tests.emergencies.scenario import HERE, MARIA, AlertSticker, EmergencyScenario, contact
from tests.world import Person

WHY = {"motivo": "La familia llamó y pide que le repitan el mensaje."}


def alerted(scenario: EmergencyScenario) -> tuple[AlertSticker, Message]:
    """A sticker whose family was alerted, and the alert's message."""
    sticker = scenario.sticker(contact())
    assert scenario.press_alert(sticker, HERE).status_code == 201
    scenario.run_until_idle()
    with scenario.database.reading() as tx:
        return sticker, tx.orm.scalars(select(Message)).one()


def staff_of(scenario: EmergencyScenario) -> Person:
    return scenario.world.somebody_with(Role.STAFF)


def test_an_alert_shows_staff_its_state_and_nothing_else(scenario: EmergencyScenario) -> None:
    _, alert = alerted(scenario)
    staff = staff_of(scenario)
    for name in (str(alert.id), alert.provider_id):
        seen = staff.get(f"/v2/whatsapp/messages/{name}")
        attributes = seen.json()["data"]["attributes"]
        assert (attributes["state"], attributes["type"], attributes["to"]) == ("delivered", "template", f"+{MARIA}")
        assert attributes["is_reserved"] and attributes["content"] is None
        assert "Ana" not in seen.text and "10.48801" not in seen.text


def test_opening_an_alert_is_named_reasoned_and_logged_and_gives_no_link(scenario: EmergencyScenario) -> None:
    sticker, alert = alerted(scenario)
    staff = staff_of(scenario)
    path = f"/v2/whatsapp/messages/{alert.id}/open"
    before = len(scenario.log_of(sticker))
    assert staff.post(path).status_code == 422
    assert staff.post(path, {"motivo": "   mirar   "}).status_code == 422
    assert len(scenario.log_of(sticker)) == before

    opened = staff.post(path, WHY)
    content = opened.json()["data"]["attributes"]["content"]
    assert opened.status_code == 200 and content["body"][0] == "Ana" and "10.48801" in content["body"][2]
    step = scenario.steps()[0]
    link = token_for(scenario.world.parts.secrets, step.emergency_id, step.contact_id or "")
    assert link not in json.dumps(content) and link[:10] not in opened.text
    entry = scenario.log_of(sticker)[-1]
    assert (entry.actor, entry.via, entry.action) == (f"account:{staff.id}", "staff", "message.opened")
    assert entry.what == [f"message:{alert.id}"]
    # The reason is nowhere in clear, and having opened it once does not make it public.
    assert staff.get(f"/v2/whatsapp/messages/{alert.id}").json()["data"]["attributes"]["content"] is None


def test_only_staff_opens_messages(scenario: EmergencyScenario) -> None:
    sticker, alert = alerted(scenario)
    for who in (sticker.owner, scenario.world.somebody_with(Role.OWNER), scenario.world.somebody_with(Role.MEDICAL)):
        assert who.post(f"/v2/whatsapp/messages/{alert.id}/open", WHY).status_code == 403


def test_what_a_contact_writes_back_is_reserved_and_its_photo_too(scenario: EmergencyScenario) -> None:
    alerted(scenario)
    platform = scenario.world.platform
    platform.receive(from_=f"+{MARIA}", text="Voy, está en la cocina")
    platform.receive(from_=f"+{MARIA}", type="image")
    scenario.run_until_idle()
    with scenario.database.reading() as tx:
        words, photo = tx.orm.scalars(select(Message).where(Message.is_ours.is_(False)).order_by(Message.id))
    staff, other = staff_of(scenario), staff_of(scenario)
    assert "cocina" not in staff.get(f"/v2/whatsapp/messages/{words.id}").text
    assert "cocina" in staff.post(f"/v2/whatsapp/messages/{words.id}/open", WHY).text

    content = staff.post(f"/v2/whatsapp/messages/{photo.id}/open", WHY).json()["data"]["attributes"]["content"]
    media = f"/v2/whatsapp/media/{content['image']['id']}"
    refused = other.get(media)
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (403, "mensaje_reservado")
    assert staff.get(media).status_code == 200
    scenario.world.clock.move(minutes=61)
    late = scenario.world.client.get(media, headers={"Authorization": f"Bearer {scenario.world.token_for(staff.id)}"})
    assert late.status_code == 403


def test_a_test_message_of_staff_answers_no_alert(scenario: EmergencyScenario) -> None:
    """Whoever may put test messages into the inbox does not answer in the name of the family."""
    _, alert = alerted(scenario)
    step = scenario.steps()[0]
    button = {
        "from": MARIA,
        "id": "wamid.FORGED",
        "timestamp": str(int(scenario.now.timestamp())),
        "type": "button",
        "button": {"payload": f"voy:{step.emergency_id}:{step.contact_id}", "text": "Voy"},
        "context": {"id": alert.provider_id},
    }
    number = scenario.world.parts.settings.whatsapp_phone_number_id
    value = {
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "15550783881", "phone_number_id": number},
        "messages": [button],
    }
    body = {
        "object": "whatsapp_business_account",
        "entry": [{"id": "1", "changes": [{"field": "messages", "value": value}]}],
    }
    assert staff_of(scenario).post("/v2/whatsapp/inbox", body).status_code == 200
    scenario.run_until_idle()
    assert scenario.emergencies()[0].state == "open"
