"""What contacts are told does not claim a scan where there was none: a typed code, or an account, raised the alert."""

import pytest

from tests.emergencies.scenario import MARIA, AlertSticker, EmergencyScenario, contact, father
from tests.emergencies.test_answers import token_in

SCANNED = ("escane", "scanned", "leu o código")
SEES_IT = ("ya lo ve", "can see it", "já vê isso", "lo ve en su página", "sees it on their page", "vê isso na sua")
WHO = {
    "typed": (
        "Alguien que escribió el código de la etiqueta.",
        "Somebody who typed the code of the tag.",
        "Alguém que digitou o código da etiqueta.",
    ),
    "bearer": (
        "Alguien que puede abrir su ficha, con una cuenta de Ficha.",
        "Somebody who may open the record, with an account of Ficha.",
        "Alguém que pode abrir a ficha, com uma conta da Ficha.",
    ),
    "tag": ("Con alguien que escaneó la etiqueta de Ana.", "scanned the tag of Ana.", "escaneou a etiqueta de Ana."),
}


def raise_by(scenario: EmergencyScenario, sticker: AlertSticker, entrance: str) -> None:
    if entrance == "typed":
        assert scenario.world.reader.post(f"/e/{sticker.code}/avisar").status_code == 200
    elif entrance == "bearer":
        body, headers = {"code": sticker.code}, sticker.owner.headers
        assert scenario.world.client.post("/v2/emergencies", json=body, headers=headers).status_code == 201
    else:
        assert scenario.press_alert(sticker).status_code == 201
    scenario.run_until_idle()
    assert scenario.emergencies()[-1].entrance == entrance


@pytest.mark.parametrize("entrance", ["typed", "bearer", "tag"])
def test_only_a_scan_is_called_one(scenario: EmergencyScenario, entrance: str) -> None:
    sticker = scenario.sticker(contact(canales=["whatsapp"]), father(canales=["correo"]))
    raise_by(scenario, sticker, entrance)
    path = f"/a/{token_in(scenario, 0)}"
    scenario.pass_seconds(60)
    assert len(scenario.world.mails()) == 1
    sent = [alert.text for alert in scenario.alerts()] + [mail.text for mail in scenario.world.mails()]
    assert all("Alguien pidió avisarle a las 08:0" in text for text in sent), "true of every alert"
    pages = []
    for place, language in enumerate(("es", "en", "pt")):
        asked = scenario.world.reader.get(f"{path}?l={language}").text
        assert WHO[entrance][place] in asked
        pages.append(asked)
    scenario.world.platform.receive(from_=MARIA, type="button", text="Voy en camino", reply_to=scenario.alerts()[0].id)
    scenario.run_until_idle()
    for language, said in (("es", "Usted avisó que va"), ("en", "You said that"), ("pt", "Você avisou que vai")):
        answered = scenario.world.reader.get(f"{path}?l={language}").text
        assert said in answered
        pages.append(answered)
    claims = [claim for text in (*sent, *pages) for claim in (*SCANNED, *SEES_IT) if claim in text]
    assert bool(claims) == (entrance == "tag"), claims
    assert not any(claim in text for text in sent for claim in SCANNED)


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("language", ["es-VE", "en-US", "pt-BR"])
def test_the_message_says_the_same_of_every_alert(scenario: EmergencyScenario, language: str) -> None:
    raise_by(scenario, scenario.sticker(contact(idioma=language)), "typed")
    [alert] = scenario.alerts()
    assert not any(claim in alert.text for claim in SCANNED)
    assert any(said in alert.text for said in ("pidió avisarle", "asked us to tell you", "pediu para avisar você"))
