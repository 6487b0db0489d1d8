"""An alert soon after another of the same record: how long it waits, who is told so, and what lets it leave at once."""

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import pytest
from pydantic import ValidationError

from ficha.accounts.accounts import Idioma
from ficha.core.settings import Settings
from ficha.products.codes import issue_code
from ficha.web.sticker.live_stream import AlertProgress
from tests.emergencies.scenario import MARIA, AlertSticker, EmergencyScenario, contact

QUIET = timedelta(minutes=10)
GLASS = {"quien": "Dr. Gil", "motivo": "inconsciente"}
BUTTON = "Avisar a la familia"


@dataclass
class Alerted:
    """A record whose mother was alerted at `began`, answered, and whose emergency is over."""

    scenario: EmergencyScenario
    sticker: AlertSticker
    began: datetime

    def another_sticker(self) -> AlertSticker:
        with self.scenario.database.writing() as tx:
            issued = issue_code(tx, self.scenario.now, record_id=self.sticker.record_id)
        return replace(self.sticker, code=issued.code, tag=issued.tag)

    def press(self, sticker: AlertSticker | None = None) -> str | None:
        """When the family is told, as the answer says; None if at once."""
        answer = self.scenario.press_alert(sticker or self.sticker)
        assert answer.status_code in (200, 201), answer.text
        self.scenario.run_until_idle()
        told: str | None = answer.json()["data"]["attributes"]["next_alert_at"]
        return told

    def close(self) -> None:
        emergency = self.scenario.emergencies()[-1].id
        client, headers = self.scenario.world.client, self.sticker.owner.headers
        sent = client.patch(f"/v2/emergencies/{emergency}", json={"state": "canceled"}, headers=headers)
        assert sent.status_code == 200, sent.text
        self.scenario.run_until_idle()

    def page(self, sticker: AlertSticker | None = None, language: str = "es") -> str:
        shown = sticker or self.sticker
        return self.scenario.world.reader.get(f"/e/{shown.code}/{shown.tag}?l={language}").text

    @property
    def alerts(self) -> int:
        """Without those that tell how one ended."""
        sent = [each for each in self.scenario.alerts() if each.to.lstrip("+") == MARIA]
        return sum(each.type == "template" and not each.text.startswith("Tiene un mensaje") for each in sent)

    @property
    def ends_at(self) -> str:
        return (self.began + QUIET).isoformat()


@pytest.fixture
def alerted(scenario: EmergencyScenario) -> Alerted:
    sticker = scenario.sticker(contact(canales=["whatsapp"]))
    found = Alerted(scenario, sticker, scenario.now)
    assert found.press() is None and found.alerts == 1
    scenario.world.platform.receive(from_=MARIA, type="button", text="Voy en camino", reply_to=scenario.alerts()[0].id)
    scenario.run_until_idle()
    found.close()
    scenario.world.clock.move(seconds=30)
    return found


def headline(page: str) -> str:
    found = re.search(r'<div class="alert" role="status"><b>(.*?)</b>', page)
    assert found is not None
    return found.group(1)


def test_the_stranger_is_told_when_the_family_will_be_and_to_call_now(alerted: Alerted) -> None:
    scenario, sticker = alerted.scenario, alerted.sticker
    assert alerted.press() == alerted.ends_at and alerted.alerts == 1
    told = {
        "es": "Hace poco salió otro aviso. Avisaremos a la familia a las 08:10 (hora de Caracas), dentro de 10 min."
        " Llame ahora a los números de esta página.",
        "en": "Another alert left a short while ago. We will alert the family at 08:10 (Caracas time), in 10 min. Call"
        " the numbers on this page now.",
        "pt": "Há pouco saiu outro aviso. Avisaremos a família às 08:10 (hora de Caracas), em 10 min. Ligue agora para"
        " os números desta página.",
    }
    for language, sentence in told.items():
        assert headline(alerted.page(language=language)) == sentence
        with scenario.database.reading() as tx:
            news = AlertProgress(scenario.world.parts, sticker.code, sticker.tag, Idioma(language)).news(tx)
        assert news is not None and news.lines[0] == sentence
    assert "Avisando…" not in alerted.page() and BUTTON not in alerted.page()
    number = scenario.emergencies()[-1].id
    detail = sticker.owner.get(f"/v2/emergencies/{number}").json()["data"]["attributes"]
    assert detail["next_alert_at"] == alerted.ends_at and detail["staff_at"] is not None, "staff sees it at once"
    scenario.pass_seconds(60 * 7)
    assert "08:10 (hora de Caracas), dentro de 3 min" in alerted.page() and alerted.alerts == 1
    scenario.pass_seconds(60 * 3)
    assert alerted.alerts == 2 and "La madre recibió el aviso" in headline(alerted.page())
    detail = sticker.owner.get(f"/v2/emergencies/{number}").json()["data"]["attributes"]
    assert detail["next_alert_at"] is None


def test_however_often_it_is_opened_and_closed_ten_minutes_are_the_longest_wait(alerted: Alerted) -> None:
    """An emergency is never more than ten minutes late, and the family gets one alert in that time."""
    for _ in range(30):
        opened = alerted.scenario.now
        told = alerted.press()
        assert told is None or datetime.fromisoformat(told) <= opened + QUIET
        alerted.close()
        alerted.scenario.pass_seconds(60)
    assert alerted.alerts == 3


def test_another_live_tag_ends_it_once(alerted: Alerted) -> None:
    scenario, second, third = alerted.scenario, alerted.another_sticker(), alerted.another_sticker()
    assert alerted.press(second) is None and alerted.alerts == 2
    alerted.close()
    again = scenario.now
    scenario.pass_seconds(60)
    for sticker in (third, alerted.sticker, second):
        assert alerted.press(sticker) == (again + QUIET).isoformat()
        assert BUTTON not in alerted.page(sticker), "it would not help"
    assert alerted.alerts == 2
    alerted.close()
    scenario.pass_seconds(60 * 9)
    assert alerted.press(third) is None and alerted.alerts == 3, "the quiet time is over"


def test_with_every_sticker_in_hand_it_alerts_twice_in_the_time_and_no_more(alerted: Alerted) -> None:
    stickers = [alerted.another_sticker() for _ in range(4)]
    for minute in range(40):
        alerted.press(stickers[minute % 4])
        alerted.close()
        alerted.scenario.pass_seconds(60)
    assert alerted.alerts <= 2 * (40 // 10) + 2


def test_a_scan_of_another_tag_that_joins_lets_it_leave(alerted: Alerted) -> None:
    other = alerted.another_sticker()
    assert alerted.press() == alerted.ends_at
    assert BUTTON not in alerted.page() and BUTTON in alerted.page(other)
    assert alerted.press() == alerted.ends_at and alerted.alerts == 1, "the same tag again changes nothing"
    pressed = alerted.scenario.world.reader.post(f"/e/{other.code}/{other.tag}/avisar", follow_redirects=False)
    assert pressed.status_code == 303
    alerted.scenario.run_until_idle()
    assert alerted.alerts == 2 and "La madre recibió el aviso" in headline(alerted.page())
    alerted.scenario.pass_seconds(60 * 10)
    assert alerted.alerts == 2, "the job that waited finds it done"


def test_broken_glass_lets_it_leave(alerted: Alerted) -> None:
    assert alerted.press() == alerted.ends_at and alerted.alerts == 1
    path = f"/e/{alerted.sticker.code}/{alerted.sticker.tag}"
    assert alerted.scenario.world.reader.post(f"{path}/mas", data=GLASS, follow_redirects=False).status_code == 303
    alerted.scenario.run_until_idle()
    assert alerted.alerts == 2


def test_a_lost_sticker_a_typed_code_and_an_account_end_nothing(alerted: Alerted) -> None:
    scenario, lost = alerted.scenario, alerted.another_sticker()
    assert alerted.sticker.owner.post(f"/v2/products/{lost.code}/lost").status_code == 200
    assert scenario.press_alert(lost).status_code == 409
    typed = scenario.world.reader.post(f"/e/{alerted.another_sticker().code}/avisar", headers={"Accept-Language": "es"})
    sentence = "Avisaremos a la familia a las 08:10 (hora de Caracas), dentro de 10 min. Llame ahora"
    assert "Aviso solicitado" in typed.text and sentence in typed.text
    scenario.run_until_idle()
    page = scenario.world.reader.get(f"/e/{alerted.sticker.code}", headers={"Accept-Language": "es"}).text
    assert sentence in page
    by_account = scenario.world.client.post(
        "/v2/emergencies", json={"code": alerted.sticker.code}, headers=alerted.sticker.owner.headers
    )
    assert by_account.json()["data"]["attributes"]["next_alert_at"] == alerted.ends_at
    scenario.run_until_idle()
    assert alerted.alerts == 1


def test_who_types_a_code_does_not_silence_who_holds_the_sticker(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact(canales=["whatsapp"]))
    found = Alerted(scenario, sticker, scenario.now)
    assert scenario.world.reader.post(f"/e/{sticker.code}/avisar").status_code == 200
    scenario.run_until_idle()
    found.close()
    assert found.press() is None
    assert found.alerts == 2


def test_who_never_agreed_is_still_asked_once_and_left_alone(scenario: EmergencyScenario) -> None:
    """What ends the quiet time opens no other limit."""
    sticker = scenario.sticker(contact(canales=["whatsapp"]))
    found = Alerted(scenario, sticker, scenario.now)
    for other in (sticker, found.another_sticker(), found.another_sticker()):
        found.press(other)
        found.close()
    scenario.pass_seconds(60 * 11)
    found.press()
    names = [sent.text for sent in scenario.alerts() if "Tiene un mensaje" not in sent.text]
    assert len(names) == 2 and "puede necesitar ayuda" in names[0] and "nunca nos respondió" in names[1]


def test_no_setting_makes_it_longer() -> None:
    with pytest.raises(ValidationError):
        Settings(alert_quiet_minutes=11)
