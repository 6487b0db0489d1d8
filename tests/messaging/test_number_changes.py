"""A person changes her number: her thread and her opt-out move, and whoever has her as a contact learns of it."""

import pytest
from sqlalchemy import select

from ficha.channels.messages import Text
from ficha.emergencies.emergency import AlertTarget
from ficha.emergencies.moved_contacts import TELL
from ficha.jobs.kinds import Job
from ficha.messaging.messages import ContactStopped, queue_message
from ficha.messaging.tables import Message, Thread
from ficha.worker import kinds_of
from tests.emergencies.scenario import MARIA, PEDRO, AlertSticker, EmergencyScenario, contact, father
from tests.messaging.webhook_notifications import NUMBER, Item, enveloped, message, notify, value
from tests.world import World

pytestmark = pytest.mark.oldest_postgresql

NEW = "584169998877"
USER, OTHER_USER = "VE.13491208655302741918", "VE.99991208655302741918"


def seconds(world: World) -> int:
    return int(world.clock.now().timestamp())


def receive(world: World, *items: Item) -> None:
    assert notify(world, enveloped(value(items))).status_code == 200
    world.run_jobs()


def change(world: World, new: str = NEW, kind: str = "user_changed_number", **more: object) -> Item:
    system = {"type": kind, "wa_id": new, "body": f"User María changed from {MARIA} to {new}"}
    return message(MARIA, type="system", at=seconds(world), system=system, **more)


def threads(world: World) -> list[Thread]:
    with world.parts.database.reading() as tx:
        return list(tx.orm.scalars(select(Thread).order_by(Thread.id)))


def write(world: World, number: str) -> None:
    with world.parts.database.writing() as tx:
        queue_message(tx, world.parts.keyring, NUMBER, f"+{number}", Text("Hola"), world.clock.now())


@pytest.mark.parametrize("kind", ["user_changed_number", "customer_changed_number"])
def test_the_thread_moves_with_its_opt_out(world: World, kind: str) -> None:
    receive(world, message(MARIA, text="BAJA", at=seconds(world)))
    item = change(world, kind=kind)
    receive(world, item)
    receive(world, item)
    [thread] = threads(world)
    assert thread.wa_id == NEW and thread.stopped_at is not None
    with pytest.raises(ContactStopped):
        write(world, NEW)
    write(world, MARIA)
    assert [each.stopped_at is None for each in threads(world)] == [False, True], "who gets the old number is another"


def test_a_thread_that_has_the_new_number_is_joined(world: World) -> None:
    receive(world, message(MARIA, text="BAJA", at=seconds(world)))
    receive(world, message(NEW, text="Hola, soy María", at=seconds(world)))
    receive(world, change(world), message(NEW, text="¿Llegó?", at=seconds(world)))
    [thread] = threads(world)
    assert thread.wa_id == NEW and thread.stopped_at is not None
    with world.parts.database.reading() as tx:
        theirs = tx.orm.scalars(select(Message).where(Message.is_ours.is_(False))).all()
        assert {each.thread_id for each in theirs} == {thread.id} and len(theirs) == 4


def test_a_number_that_was_somebody_elses_is_taken_from_them(world: World) -> None:
    receive(world, message(MARIA, from_user_id=USER, at=seconds(world)))
    receive(world, message(NEW, from_user_id=OTHER_USER, at=seconds(world)))
    receive(world, change(world, from_user_id=USER))
    assert [(each.wa_id, each.user_id) for each in threads(world)] == [(NEW, USER), (None, OTHER_USER)]


def test_what_is_told_late_moves_nothing_back(world: World) -> None:
    receive(world, message(MARIA, from_user_id=USER, at=seconds(world)))
    late = change(world, "584120000000", from_user_id=USER)
    receive(world, change(world, from_user_id=USER))
    receive(world, late)
    [thread] = threads(world)
    assert thread.wa_id == NEW


@pytest.mark.parametrize("system", [{"type": "user_changed_number"}, {"type": "user_changed_number", "wa_id": "x; y"}])
def test_without_a_new_number_nothing_moves(world: World, system: dict[str, str]) -> None:
    receive(world, message(MARIA, at=seconds(world)))
    receive(world, message(MARIA, type="system", at=seconds(world), system=system))
    [thread] = threads(world)
    assert thread.wa_id == MARIA


def alerted(scenario: EmergencyScenario, *contacts: dict[str, object]) -> AlertSticker:
    sticker = scenario.sticker(*contacts)
    assert scenario.press_alert(sticker).status_code == 201
    scenario.run_until_idle()
    return sticker


def told(scenario: EmergencyScenario) -> list[str]:
    return [mail.to for mail in scenario.world.mails() if "cambió de número" in mail.subject]


def test_every_owner_whose_contact_she_is_gets_one_mail(scenario: EmergencyScenario) -> None:
    world = scenario.world
    first, second = alerted(scenario, contact()), alerted(scenario, contact(nombre="Mari"))
    other = alerted(scenario, father())
    former = alerted(scenario, contact())
    body = {"contactos": [father()]}
    assert former.owner.put(f"/v2/fmd/{former.code}/emergencia", body).status_code == 200
    receive(world, message(MARIA, text="Voy", at=seconds(world)))
    scenario.run_until_idle()
    world.platform.receive(from_=MARIA, type="system", new_wa_id=NEW)
    scenario.run_until_idle()
    assert sorted(told(scenario)) == sorted(each.owner.correo for each in (first, second))
    texts = [mail.text for mail in world.mails() if "cambió de número" in mail.subject]
    assert any("María Rojas" in text for text in texts) and not any(NEW[2:] in text for text in texts)
    assert NEW not in {message.wa_id for message in scenario.alerts()}, "the new number is told nothing"
    assert "contact.moved" in [entry.action for entry in scenario.log_of(first)]
    assert "contact.moved" not in [entry.action for entry in scenario.log_of(other)]
    world.platform.receive(from_=MARIA, type="system", new_wa_id=NEW)
    scenario.run_until_idle()
    assert len(told(scenario)) == 2, "once"


def test_a_job_that_runs_twice_tells_once(scenario: EmergencyScenario) -> None:
    alerted(scenario, contact())
    with scenario.database.reading() as tx:
        [target] = tx.orm.scalars(select(AlertTarget.target))
    [kind] = [each for each in kinds_of(scenario.world.parts) if each.name == TELL]
    for _ in range(2):
        kind.run(Job(0, TELL, {"old": [target.hex()], "new": "00" * 32}, 1))
    scenario.run_until_idle()
    assert len(told(scenario)) == 1


def test_who_agreed_by_the_old_number_did_not_agree_by_the_new_one(scenario: EmergencyScenario) -> None:
    world = scenario.world
    sticker = alerted(scenario, contact())
    receive(world, message(MARIA, text="Voy", at=seconds(world)))
    world.platform.receive(from_=MARIA, type="system", new_wa_id=NEW)
    scenario.run_until_idle()
    assert [target.confirmed_at for target in targets(scenario)] == [None]
    body = {"contactos": [contact(telefono=NEW[2:])]}
    assert sticker.owner.put(f"/v2/fmd/{sticker.code}/emergencia", body).status_code == 200
    world.clock.move(days=1)
    scenario.press_alert(sticker)
    scenario.run_until_idle()
    assert [target.confirmed_at for target in targets(scenario)] == [None, None]


def test_that_she_declined_goes_with_her(scenario: EmergencyScenario) -> None:
    world = scenario.world
    sticker = alerted(scenario, contact(canales=["whatsapp"]), father(canales=["whatsapp"]))
    receive(world, message(MARIA, text="No quiero más avisos", at=seconds(world)))
    world.platform.receive(from_=MARIA, type="system", new_wa_id=NEW)
    scenario.run_until_idle()
    body = {"contactos": [contact(telefono=NEW[2:], canales=["whatsapp"]), father(canales=["whatsapp"])]}
    assert sticker.owner.put(f"/v2/fmd/{sticker.code}/emergencia", body).status_code == 200
    headers = sticker.owner.headers
    path = f"/v2/emergencies/{scenario.emergencies()[-1].id}"
    assert world.client.patch(path, json={"state": "canceled"}, headers=headers).status_code == 200
    world.clock.move(days=1)
    scenario.press_alert(sticker)
    scenario.run_until_idle()
    steps = scenario.steps(scenario.emergencies()[-1].id)
    assert (steps[0].state, steps[0].reason) == ("skipped", "no_acepta")
    assert scenario.alerts()[-1].to.lstrip("+") == PEDRO


def targets(scenario: EmergencyScenario) -> list[AlertTarget]:
    with scenario.database.reading() as tx:
        return list(tx.orm.scalars(select(AlertTarget).order_by(AlertTarget.alerted_at)))
