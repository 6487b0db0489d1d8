"""What those who were alerted are told later, each once: that we count on them, where it is, and how it ended."""

from typing import Any

import pytest
from httpx2 import Response

from tests.emergencies.scenario import HERE, MARIA, PEDRO, AlertSticker, EmergencyScenario, contact, father
from tests.emergencies.test_answers import token_in

FALSE_ALARM = "Fue una falsa alarma: el aviso por Ana se canceló. No hace falta que haga nada más."
OVER = "La emergencia de Ana terminó. No hace falta que haga nada más."


def raised(scenario: EmergencyScenario, *contacts: dict[str, Any], **more: Any) -> tuple[AlertSticker, int]:
    sticker = scenario.sticker(*(contacts or (contact(canales=["whatsapp"]),)))
    assert scenario.press_alert(sticker, **more).status_code == 201
    scenario.run_until_idle()
    return sticker, scenario.emergencies()[-1].id


def end(scenario: EmergencyScenario, sticker: AlertSticker, emergency_id: int, state: str) -> Response:
    owner = sticker.owner
    answer: Response = owner.client.patch(
        f"/v2/emergencies/{emergency_id}", json={"state": state}, headers=owner.headers
    )
    scenario.run_until_idle()
    return answer


def say(scenario: EmergencyScenario, words: str, who: str = MARIA) -> None:
    scenario.world.clock.move(seconds=2)
    scenario.world.platform.receive(from_=who, type="text", text=words)
    scenario.run_until_idle()


def place(scenario: EmergencyScenario, sticker: AlertSticker, **form: str) -> None:
    scenario.world.clock.move(seconds=2)
    path = f"/e/{sticker.code}/{sticker.tag}/ubicacion"
    assert scenario.world.reader.post(path, data=form, follow_redirects=False).status_code == 303
    scenario.run_until_idle()


def got(scenario: EmergencyScenario, who: str = MARIA) -> list[str]:
    """What WhatsApp brought since the alert."""
    return [each.text for each in scenario.alerts() if each.wa_id == who][1:]


@pytest.mark.parametrize(("state", "words"), [("canceled", FALSE_ALARM), ("resolved", OVER)])
def test_who_said_that_she_comes_is_told_once_how_it_ended(scenario: EmergencyScenario, state: str, words: str) -> None:
    sticker, emergency = raised(scenario)
    say(scenario, "voy")
    before = got(scenario)
    assert end(scenario, sticker, emergency, state).status_code == 200
    assert end(scenario, sticker, emergency, state).status_code == 200
    scenario.pass_seconds(600)
    assert got(scenario) == [*before, words]
    assert scenario.alerts()[-1].type == "text"
    say(scenario, "gracias")
    assert got(scenario)[-1] == words and scenario.emergency(emergency).state == state


def test_who_never_answered_is_told_by_the_ways_that_the_alert_went(scenario: EmergencyScenario) -> None:
    """She has not written to us: only a template reaches her."""
    sticker, emergency = raised(scenario, contact(), father(canales=["correo"]))
    scenario.pass_seconds(61)
    scenario.pass_seconds(200)
    mailed = [(mail.to, mail.subject) for mail in scenario.world.mails()]
    assert ("maria@ejemplo.com", "Ana puede necesitar ayuda") in mailed
    end(scenario, sticker, emergency, "canceled")
    scenario.pass_seconds(600)
    assert got(scenario) == [f"Tiene un mensaje de Ficha: {FALSE_ALARM}"] and got(scenario, PEDRO) == []
    ends = [mail for mail in scenario.world.mails() if mail.subject == "Falsa alarma: Ana"]
    assert sorted(mail.to for mail in ends) == ["maria@ejemplo.com", "pedro@ejemplo.com"]
    assert all(FALSE_ALARM in mail.text for mail in ends)


def test_in_her_own_language(scenario: EmergencyScenario) -> None:
    sticker, emergency = raised(scenario, contact(canales=["whatsapp"], idioma="pt"))
    say(scenario, "vou")
    end(scenario, sticker, emergency, "canceled")
    noted, ended = got(scenario)
    assert noted.startswith("Anotado: você vai. Local: sem localização. Se algo mudar") and "alarme falso" in ended


def test_whom_no_alert_reached_and_who_declined_is_told_nothing(scenario: EmergencyScenario) -> None:
    sticker, emergency = raised(scenario, contact(canales=["whatsapp"]), father(canales=["whatsapp"]))
    say(scenario, "número equivocado")
    before = got(scenario)
    scenario.run_until_idle()
    assert len([each for each in scenario.alerts() if each.wa_id == PEDRO]) == 1
    end(scenario, sticker, emergency, "resolved")
    scenario.pass_seconds(600)
    assert got(scenario) == before and len(got(scenario, PEDRO)) == 1


def test_an_alert_that_has_not_left_when_it_ends_does_not_leave(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact(canales=["whatsapp"]))
    scenario.platform_down()
    assert scenario.press_alert(sticker, HERE).status_code == 201
    scenario.run_due()
    end(scenario, sticker, scenario.emergencies()[-1].id, "canceled")
    scenario.platform_up()
    for _ in range(4):
        scenario.pass_seconds(60)
    assert scenario.alerts() == []


def test_a_drill_ends_without_a_word(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact(canales=["whatsapp"]))
    owner = sticker.owner
    drill = owner.post("/v2/emergencies", {"code": sticker.code, "simulacro": True}).json()["data"]["id"]
    assert end(scenario, sticker, int(drill), "resolved").status_code == 200
    assert scenario.alerts() == [] and scenario.world.mails() == []


def test_the_page_of_the_link_tells_a_false_alarm_apart(scenario: EmergencyScenario) -> None:
    sticker, emergency = raised(scenario)
    page = f"/a/{token_in(scenario, -1)}"
    end(scenario, sticker, emergency, "canceled")
    told = scenario.world.reader.get(page).text
    assert "Fue una falsa alarma" in told and "El aviso se canceló." in told and "Este aviso terminó" not in told
    assert "It was a false alarm" in scenario.world.reader.get(f"{page}?l=en").text
    other, second = raised(scenario, father(canales=["whatsapp"]))
    page = f"/a/{token_in(scenario, -1)}"
    end(scenario, other, second, "resolved")
    assert "Este aviso terminó" in scenario.world.reader.get(page).text


def test_who_comes_is_answered_with_the_place_and_a_link(scenario: EmergencyScenario) -> None:
    _, emergency = raised(scenario, position=HERE)
    link = token_in(scenario, -1)
    say(scenario, "voy")
    [noted] = got(scenario)
    assert noted.startswith("Anotado: usted va. Lugar: https://www.google.com/maps/") and "10.48801,-66.87919" in noted
    assert noted.endswith(f"/a/{link}")
    say(scenario, "ya voy")
    assert got(scenario) == [noted] and scenario.emergency(emergency).state == "acknowledged"


def test_a_place_that_comes_later_is_told_once(scenario: EmergencyScenario) -> None:
    """To who comes, and not to who cannot, nor to who never wrote to us."""
    sticker, _ = raised(scenario, contact(canales=["whatsapp"]), father(canales=["whatsapp"]))
    say(scenario, "no puedo")
    say(scenario, "voy", PEDRO)
    place(scenario, sticker, lat="10.48801", lon="-66.87919", precision="25")
    assert got(scenario) == []
    [_, told] = got(scenario, PEDRO)
    assert told.startswith("Ya sabemos dónde está Ana: https://www.google.com/maps/") and "10.48801" in told
    place(scenario, sticker, lat="10.48802", lon="-66.87919", precision="5")
    assert len(got(scenario, PEDRO)) == 2, "a better one is on the page"
    place(scenario, sticker, lugar="Plaza Bolívar")
    assert got(scenario, PEDRO)[-1].startswith("Ya sabemos dónde está Ana: Plaza Bolívar. https://")
    place(scenario, sticker, lugar="Plaza Bolívar, la fuente")
    assert len(got(scenario, PEDRO)) == 3 and got(scenario) == []
    told_in_log = [each for each in scenario.log_of(sticker) if each.action == "contact.located"]
    assert len(told_in_log) == 2


def test_who_says_she_comes_after_the_place_is_known_gets_it_once(scenario: EmergencyScenario) -> None:
    sticker, _ = raised(scenario)
    place(scenario, sticker, lugar="Plaza Bolívar")
    assert got(scenario) == [], "she never wrote to us: the page behind her link has it"
    say(scenario, "voy")
    [noted] = got(scenario)
    assert "Lugar: Plaza Bolívar." in noted
