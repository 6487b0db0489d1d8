"""The ladder reaches the devices of a contact, if it is proven whose they are."""

import pytest

from ficha.accounts.accounts import Account
from tests.channels.push_service import PushService, SubscribedPhone
from tests.emergencies.scenario import HERE, EmergencyScenario, contact
from tests.world import Person, World

CANALES = ["push"]


@pytest.fixture
def scenario(world: World) -> EmergencyScenario:
    world.listen()
    return EmergencyScenario(world)


def maria(world: World, *, correo: bool = False, phone: bool = False) -> Person:
    """The contact has an account of her own, with a proven mailbox or phone, or with neither."""
    person = world.register(correo="maria@ejemplo.com")
    with world.parts.database.writing() as tx:
        account = tx.orm.get_one(Account, person.id)
        account.correo_verificado_en = world.clock.now() if correo else None
        if phone:
            account.telefono_verificado_por = "whatsapp"
    return person


def registered(person: Person, push: PushService) -> SubscribedPhone:
    phone = push.phone()
    assert person.post("/v2/push/subscriptions", phone.subscription()).status_code == 201
    return phone


@pytest.mark.parametrize("proof", ["correo", "phone"])
def test_an_alert_comes_to_the_contacts_devices(scenario: EmergencyScenario, push: PushService, proof: str) -> None:
    person = maria(scenario.world, **{proof: True})
    phones = [registered(person, push), registered(person, push)]
    sticker = scenario.sticker(contact(canales=CANALES), salud={"condiciones": [{"condicion": {"texto": "Asma"}}]})
    assert scenario.press_alert(sticker, HERE).status_code == 201
    scenario.run_until_idle()
    assert scenario.ladder() == [("push", "sent")]
    for phone in phones:
        [shown] = phone.shown
        assert shown["title"] == "Ana puede necesitar ayuda" and "10.48801" in shown["body"]
        assert "Asma" not in str(shown) and "Pérez" not in str(shown)
        assert phone.headers[0]["urgency"] == "high"
        page = scenario.world.client.get(shown["url"])
        assert page.status_code == 200 and "Ana" in page.text
    answer = scenario.world.client.post(phones[0].shown[0]["url"], data={"respuesta": "voy"}, follow_redirects=False)
    assert answer.status_code in (200, 303), answer.text
    scenario.pass_seconds(600)
    assert len(phones[0].shown) == 1 and scenario.emergencies()[0].state == "acknowledged"


def test_whoever_only_says_that_a_mailbox_is_hers_gets_nothing(scenario: EmergencyScenario, push: PushService) -> None:
    phone = registered(maria(scenario.world), push)
    scenario.press_alert(scenario.sticker(contact(canales=CANALES)), HERE)
    scenario.run_until_idle()
    assert phone.shown == []
    assert scenario.ladder()[0] == ("push", "skipped") and scenario.steps()[0].reason == "no_disponible"
    assert scenario.ladder()[1] == ("whatsapp", "delivered"), "somebody may be dying"


def test_devices_that_are_gone_do_not_stop_the_ladder(scenario: EmergencyScenario, push: PushService) -> None:
    phone = registered(maria(scenario.world, correo=True), push)
    phone.status = 410
    scenario.press_alert(scenario.sticker(contact(canales=CANALES)), HERE)
    scenario.run_until_idle()
    assert scenario.ladder() == [("push", "failed"), ("whatsapp", "delivered")]
    assert scenario.world.rows()["push_subscriptions"] == 0


def test_a_busy_push_service_is_asked_again_until_it_takes_it(scenario: EmergencyScenario, push: PushService) -> None:
    phone = registered(maria(scenario.world, correo=True), push)
    phone.status = 503
    scenario.press_alert(scenario.sticker(contact(canales=CANALES)), HERE)
    scenario.run_until_idle()
    assert scenario.ladder() == [("push", "queued")]
    phone.status = 201
    scenario.pass_seconds(10)
    assert scenario.ladder() == [("push", "sent")] and len(phone.shown) == 1
