"""What the desk learns of emergencies and of people: notes, labels and the team on call, and nothing of a record."""

import re

import pytest
from sqlalchemy import select

from ficha.accounts.accounts import Account, Role
from ficha.emergencies.steps import Step
from ficha.fmd.grants import GrantKind
from tests.conversations.conftest import MARIA, DeskScenario
from tests.emergencies.scenario import AlertSticker, EmergencyScenario, contact, granted
from tests.web.portal.page_session import logged_in


def test_an_unanswered_emergency_is_put_before_the_team_on_call(desk: DeskScenario) -> None:
    scenario = EmergencyScenario(desk.world)
    sticker = scenario.sticker()
    scenario.press_alert(sticker)
    [emergency] = [each.id for each in scenario.emergencies()]
    desk.settle()
    found = desk.conversation()
    assert found.labels == ["emergencia", "es"] and found.team_id == 1
    assert [note.private for note in found.messages] == [True, True]
    assert all(f"/admin/emergencias/{emergency}" in (note.content or "") for note in found.messages)
    page = f"/e/{sticker.code}/{sticker.tag}"
    placed = staff_step(desk, emergency)
    assert placed.state == "delivered" and placed.sent_at is not None and placed.ended_at is None
    assert "<b>Aviso enviado a nuestro equipo de guardia</b>" in desk.world.reader.get(page).text
    desk.answer("Ya la llamo")
    taken = staff_step(desk, emergency)
    assert (taken.state, taken.reason) == ("read", "atendida")
    assert taken.read_at is not None and taken.ended_at is not None, "the desk has it"
    said = desk.conversation().messages[-1]
    assert said.status == "failed" and "no la de una persona" in said.content_attributes["external_error"]
    assert "<b>Nuestro equipo de guardia lo atiende</b>" in desk.world.reader.get(page).text
    desk.world.platform.call(lambda platforms: platforms.chatwoot.change_status(found, "resolved"))
    desk.settle()
    assert staff_step(desk, emergency).reason == "atendida"
    assert desk.on_the_phone() == []


def test_the_desk_knows_of_an_emergency_from_its_beginning(desk: DeskScenario) -> None:
    """Whoever is asked about it finds it there. It is the team's only when nobody of the family answers."""
    scenario = EmergencyScenario(desk.world)
    scenario.press_alert(scenario.sticker(contact()))
    desk.settle()
    found = desk.conversation()
    assert found.labels == ["emergencia", "es"] and found.team_id is None
    [note] = found.messages
    assert note.private and "cómo va el aviso" in (note.content or "")
    for _ in range(3):
        desk.world.clock.move(minutes=2)
        desk.settle()
    assert len(found.messages) == 2 and found.team_id == 1


@pytest.mark.oldest_postgresql
def test_the_desk_hears_when_whoever_was_coming_withdraws(desk: DeskScenario) -> None:
    scenario = EmergencyScenario(desk.world)
    scenario.press_alert(scenario.sticker(contact(canales=["whatsapp"])))
    desk.settle()
    desk.world.clock.move(minutes=1)
    desk.settle()
    found = desk.conversation()
    desk.write("Voy")
    desk.world.platform.call(lambda platforms: platforms.chatwoot.change_status(found, "resolved"))
    desk.settle()
    desk.world.clock.move(seconds=5)
    desk.write("Ya no puedo")
    desk.settle()
    again = desk.conversation()
    assert again.status == "open" and "ya no puede" in (again.messages[-1].content or "")
    [first, second] = [step for step in scenario.steps() if step.channel == "staff"]
    assert first.reason == "atendida" and (second.state, second.reason) == ("delivered", None)


@pytest.mark.oldest_postgresql
def test_what_concerns_a_record_stays_here(desk: DeskScenario) -> None:
    """A contact answers an alert: the desk learns that she wrote, not what."""
    scenario = EmergencyScenario(desk.world)
    sticker = scenario.sticker(contact())
    scenario.press_alert(sticker)
    desk.settle()
    desk.write("Voy, tiene asma")
    [_begun] = desk.at_the_desk()
    [(kind, named)] = desk.at_the_desk(2)
    assert kind == 0 and "asma" not in str(named)
    assert str(named).startswith("[Texto] sobre una emergencia o una ficha.")
    [path] = re.findall(r"http://testserver(/admin/mensajes/[0-9]+)$", str(named))
    staff = logged_in(desk.world, desk.world.somebody_with(Role.STAFF))
    assert "asma" not in staff.get(path).text, "not before she says why"
    assert staff.submit(path, motivo="corto").status_code == 422
    assert staff.submit(path, motivo="La familia pide que le repitan el mensaje").status_code == 303
    assert "Voy, tiene asma" in staff.get(path).text
    assert "message.opened" in [entry.action for entry in scenario.log_of(sticker)]
    other = logged_in(desk.world, desk.world.somebody_with(Role.STAFF))
    assert "asma" not in other.get(path).text, "each says it for herself"
    desk.world.clock.move(hours=1)
    assert "asma" not in staff.get(path).text, "for an hour"


def test_whoever_is_called_to_an_emergency_is_labelled(desk: DeskScenario) -> None:
    """María wrote before. When she is alerted, her thread has the labels of the emergency too: its language, and the
    school that the child belongs to."""
    desk.write("Hola")
    assert desk.conversation().labels == []
    scenario = EmergencyScenario(desk.world)
    sticker = scenario.sticker(contact())
    school = belongs_to_school(scenario, sticker)
    scenario.press_alert(sticker)
    desk.settle()
    assert desk.conversation(2).labels == ["emergencia", "es", school]
    desk.write("¿Dónde está?")
    assert desk.conversation().labels == ["emergencia", "es", school]


def test_a_person_with_an_account_is_labelled(desk: DeskScenario) -> None:
    scenario = EmergencyScenario(desk.world)
    sticker = scenario.sticker()
    school = belongs_to_school(scenario, sticker)
    with desk.world.parts.database.writing() as tx:
        account = tx.orm.get_one(Account, sticker.owner.id)
        account.telefono_e164, account.telefono_verificado_por = MARIA, "whatsapp"
    desk.write("Hola")
    assert desk.conversation().labels == ["es", school]


def belongs_to_school(scenario: EmergencyScenario, sticker: AlertSticker) -> str:
    """The label of the institution that sees this record from now on."""
    return f"institucion-{granted(scenario, sticker, GrantKind.INSTITUTION).id}"


def staff_step(desk: DeskScenario, emergency_id: int) -> Step:
    with desk.world.parts.database.reading() as tx:
        return tx.orm.scalars(select(Step).where(Step.emergency_id == emergency_id, Step.channel == "staff")).one()


def test_staff_reach_its_conversation_and_the_desk_hears_that_it_was_handed_back(desk: DeskScenario) -> None:
    scenario = EmergencyScenario(desk.world)
    scenario.press_alert(scenario.sticker())
    [emergency] = [each.id for each in scenario.emergencies()]
    eva = desk.world.somebody_with(Role.STAFF)
    page, path = logged_in(desk.world, eva), f"/admin/emergencias/{emergency}"
    desk.world.do("emergencia.paso", emergency_id=emergency, place=1)
    assert "Pedir su conversación" in page.get(path).text
    assert eva.post(f"/v2/emergencies/{emergency}/conversation").json()["data"]["attributes"] == {"url": None}
    assert page.submit(path, f"{path}/conversacion").status_code == 303
    desk.settle()
    url = eva.post(f"/v2/emergencies/{emergency}/conversation").json()["data"]["attributes"]["url"]
    assert url == f"{desk.world.parts.settings.chatwoot_url}/app/accounts/1/conversations/1"
    assert f'href="{url}"' in page.get(path).text
    assert eva.post(f"/v2/emergencies/{emergency}/take").status_code == 200
    found = desk.conversation()
    notes = len(found.messages)
    desk.world.platform.call(lambda platforms: platforms.chatwoot.change_status(found, "resolved"))
    desk.settle()
    assert eva.post(f"/v2/emergencies/{emergency}/hand-back", {"motivo": "Termina mi turno"}).status_code == 200
    desk.settle()
    again = desk.conversation()
    assert again.status == "open" and len(again.messages) == notes + 1
    note = again.messages[-1]
    assert note.private and "la devolvió" in (note.content or "") and "turno" not in (note.content or "")
