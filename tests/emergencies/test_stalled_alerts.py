"""An alert that no worker takes: whoever pressed the button is told so after a minute, and told to call."""

import re
from html import unescape

from ficha.accounts.accounts import Idioma
from ficha.web.sticker.live_stream import AlertProgress
from tests.emergencies.scenario import AlertSticker, EmergencyScenario, contact, father

TOLD = {
    "es": "Tenemos su aviso, pero se demora en salir y quizás la familia no lo sabe:"
    " llame a los números de esta página.",
    "en": "We have your alert, but it is late in leaving and the family may not know: call the numbers on this page.",
    "pt": "Recebemos seu aviso, mas ele está demorando para sair e talvez a família não saiba:"
    " ligue para os números desta página.",
}


def typed_page(scenario: EmergencyScenario, sticker: AlertSticker, language: str = "es") -> str:
    return unescape(scenario.world.reader.get(f"/e/{sticker.code}?l={language}").text)


def headline(scenario: EmergencyScenario, sticker: AlertSticker, language: str = "es") -> str:
    page = scenario.world.reader.get(f"/e/{sticker.code}/{sticker.tag}?l={language}").text
    found = re.search(r'<div class="alert" role="status"><b>(.*?)</b>', page)
    assert found is not None, page
    return unescape(found.group(1))


def stalled_since(scenario: EmergencyScenario, sticker: AlertSticker) -> str | None:
    number = scenario.emergencies()[-1].id
    detail = sticker.owner.get(f"/v2/emergencies/{number}").json()["data"]["attributes"]
    since: str | None = detail["stalled_since"]
    return since


def test_an_alert_that_no_worker_takes_within_a_minute_is_told_as_it_is(scenario: EmergencyScenario) -> None:
    sticker, pressed = scenario.sticker(contact(canales=["whatsapp"])), scenario.now.isoformat()
    assert scenario.press_alert(sticker).json()["data"]["attributes"]["stalled_since"] is None
    scenario.world.clock.move(seconds=60)
    assert headline(scenario, sticker) == "Avisando…" and stalled_since(scenario, sticker) is None
    scenario.world.clock.move(seconds=1)
    for language, sentence in TOLD.items():
        assert headline(scenario, sticker, language) == sentence
        assert sentence in typed_page(scenario, sticker, language), "whoever typed the code is told too"
        with scenario.database.reading() as tx:
            news = AlertProgress(scenario.world.parts, sticker.code, sticker.tag, Idioma(language)).news(tx)
        assert news is not None and news.lines[0] == sentence, "and so is an open page"
    assert stalled_since(scenario, sticker) == pressed
    joined = scenario.press_alert(sticker)
    assert joined.status_code == 200 and joined.json()["data"]["attributes"]["stalled_since"] == pressed

    scenario.run_until_idle()  # A worker is there again.
    assert headline(scenario, sticker) == "La madre recibió el aviso" and stalled_since(scenario, sticker) is None
    assert TOLD["es"] not in typed_page(scenario, sticker)


def test_a_ladder_that_nobody_takes_further_is_told_after_a_minute(scenario: EmergencyScenario) -> None:
    """The first alert left, its time is over without an answer, and then no worker takes the second step."""
    sticker = scenario.sticker(contact(canales=["correo"], prioridad=1), father(prioridad=2))
    scenario.press_alert(sticker)
    scenario.run_until_idle()
    [step] = scenario.steps()
    assert step.due_at is not None
    scenario.world.clock.move(seconds=(step.due_at - scenario.now).total_seconds() + 60)
    assert headline(scenario, sticker) == "Avisando…"
    scenario.world.clock.move(seconds=1)
    assert headline(scenario, sticker) == TOLD["es"]
    assert stalled_since(scenario, sticker) == step.due_at.isoformat()
    scenario.run_until_idle()
    assert stalled_since(scenario, sticker) is None


def test_an_alert_that_is_held_back_is_not_called_late(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact(canales=["whatsapp"]))
    number = scenario.press_alert(sticker).json()["data"]["id"]
    scenario.run_until_idle()
    sticker.owner.client.patch(
        f"/v2/emergencies/{number}", json={"state": "canceled"}, headers=sticker.owner.headers
    ).raise_for_status()
    scenario.press_alert(sticker)
    scenario.run_until_idle()
    scenario.world.clock.move(minutes=5)
    assert headline(scenario, sticker).startswith("Hace poco salió otro aviso") and not stalled_since(scenario, sticker)
    scenario.world.clock.move(minutes=5)  # The moment at which it leaves: its job runs within a second.
    assert headline(scenario, sticker) == "Avisando…" and not stalled_since(scenario, sticker)
