"""Who wants no more alerts is told that she gets none, and nobody is promised an alert that would reach no one."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.emergencies.scenario import MARIA, PEDRO, AlertSticker, EmergencyScenario, contact, father
from tests.emergencies.test_answers import token_in
from tests.world import build_world, settings_for

NO_MORE = {
    "es": ("Usted no quiere más avisos de esta persona", "No le enviaremos más avisos de esta persona por WhatsApp."),
    "en": (
        "You want no more alerts about this person",
        "We will send you no more alerts about this person by WhatsApp.",
    ),
    "pt": ("Você não quer mais avisos desta pessoa", "Não enviaremos mais avisos desta pessoa pelo WhatsApp."),
}
ONE = contact(canales=["whatsapp"])


def alerted(scenario: EmergencyScenario, sticker: AlertSticker) -> None:
    assert scenario.press_alert(sticker).status_code == 201
    scenario.run_until_idle()


def decline(scenario: EmergencyScenario, place: int = 0) -> str:
    path = f"/a/{token_in(scenario, place)}"
    sent = scenario.world.reader.post(path, data={"respuesta": "no_acepto"}, follow_redirects=False)
    assert sent.status_code == 303
    return path


def close(scenario: EmergencyScenario, sticker: AlertSticker) -> None:
    number = scenario.emergencies()[-1].id
    body, headers = {"state": "resolved"}, sticker.owner.headers
    assert scenario.world.client.patch(f"/v2/emergencies/{number}", json=body, headers=headers).status_code == 200
    scenario.run_until_idle()
    scenario.world.clock.move(minutes=30)


def calls(scenario: EmergencyScenario, sticker: AlertSticker, language: str = "es") -> str:
    """What the page of the sticker says where one calls and alerts."""
    page = scenario.world.reader.get(f"/e/{sticker.code}/{sticker.tag}?l={language}").text
    section = page.partition('class="call"')[2].partition("</section>")[0]
    return " ".join(re.sub(r"<[^>]+>", "", section.replace("<", " <")).split()).replace(" .", ".")


def test_whoever_presses_it_is_told_so_in_those_words(scenario: EmergencyScenario) -> None:
    alerted(scenario, scenario.sticker(ONE, father()))
    path = decline(scenario)
    for language, (said, how) in NO_MORE.items():
        page = scenario.world.reader.get(f"{path}?l={language}").text
        assert f">{said}</b>" in page and how in page
        assert 'value="voy"' in page and 'value="no_acepto"' not in page and 'value="no_puedo"' not in page
    assert "Vemos a quién más avisar." in scenario.world.reader.get(path, headers={"Accept-Language": "es"}).text
    scenario.run_until_idle()
    page = scenario.world.reader.get(path, headers={"Accept-Language": "es"}).text
    assert "El padre recibió el aviso" in page and "Estamos avisando" not in page
    sent = scenario.world.reader.post(path, data={"respuesta": "voy"}, follow_redirects=False)
    assert sent.status_code == 303
    changed = scenario.world.reader.get(path, headers={"Accept-Language": "es"}).text
    assert "Usted avisó que va" in changed and NO_MORE["es"][0] not in changed


def test_that_she_cannot_come_is_no_refusal(scenario: EmergencyScenario) -> None:
    alerted(scenario, scenario.sticker(ONE))
    path = f"/a/{token_in(scenario, 0)}"
    scenario.world.reader.post(path, data={"respuesta": "no_puedo"}, follow_redirects=False)
    page = scenario.world.reader.get(path, headers={"Accept-Language": "es"}).text
    assert "Usted avisó que no puede" in page and NO_MORE["es"][0] not in page
    scenario.run_until_idle()
    page = scenario.world.reader.get(path, headers={"Accept-Language": "es"}).text
    assert "No hay nadie más a quien avisar." in page and "otra persona" not in page


@pytest.mark.parametrize("words", ["No quiero más avisos", "Número equivocado"])
def test_who_says_it_by_whatsapp_is_answered_there(scenario: EmergencyScenario, words: str) -> None:
    sticker = scenario.sticker(ONE)
    alerted(scenario, sticker)
    scenario.world.clock.move(seconds=5)
    for _ in range(2):
        scenario.world.platform.receive(from_=MARIA, type="text", text=words)
        scenario.run_until_idle()
    answers = [sent.text for sent in scenario.alerts() if sent.type == "text"]
    assert answers == ["Entendido: usted no quiere más avisos de esta persona. No le enviaremos más por WhatsApp."], (
        "once"
    )
    assert words not in calls(scenario, sticker), "that is not for whoever is with the person"
    close(scenario, sticker)
    alerted(scenario, sticker)
    assert scenario.steps()[-2].reason == "no_acepta"


def test_an_unclear_answer_is_told_of_others_only_while_somebody_is_alerted(scenario: EmergencyScenario) -> None:
    question = "No nos quedó claro si usted va. Responda VOY o NO PUEDO, por favor."
    for seconds, said in ((5, question), (60, f"{question} Mientras tanto avisamos a otra persona.")):
        alerted(scenario, scenario.sticker(ONE, father(canales=["correo"])))
        scenario.pass_seconds(seconds)  # After a minute the father has his turn.
        scenario.world.platform.receive(from_=MARIA, type="text", text="¿Qué pasó?")
        scenario.run_until_idle()
        assert [sent.text for sent in scenario.alerts() if sent.type == "text"][-1] == said


NOBODY = {
    "es": "No hay a quién avisar. Llame al 911.",
    "en": "There is nobody to alert. Call 911.",
    "pt": "Não há a quem avisar. Ligue para 911.",
}
FAMILY = {"es": "Avisar a la familia", "en": "Alert the family", "pt": "Avisar a família"}
STAFF = {"es": "Avisar al equipo de guardia", "en": "Alert the team on call", "pt": "Avisar a equipe de plantão"}
PROMISES = ("les llega un aviso ahora", "la familia recibirá el aviso", "Aviso en camino")


def test_no_alert_is_promised_that_would_reach_nobody(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(ONE)
    assert FAMILY["es"] in calls(scenario, sticker)
    alerted(scenario, sticker)
    decline(scenario)
    close(scenario, sticker)
    for language, nobody in NOBODY.items():
        told = calls(scenario, sticker, language)
        assert nobody in told
        assert FAMILY[language] not in told and STAFF[language] not in told
    typed = [scenario.world.reader.get(f"/e/{sticker.code}", headers={"Accept-Language": "es"}).text]
    typed.append(scenario.world.reader.post(f"/e/{sticker.code}/avisar", headers={"Accept-Language": "es"}).text)
    assert not any(promise in page for page in typed for promise in PROMISES)
    assert "y hay a quién avisar, le llega" in typed[0] and "hay a quién avisar, recibirá" in typed[1]
    scenario.run_until_idle()
    told = calls(scenario, sticker)
    assert "No pudimos avisar a nadie: llame a los números de esta página." in told


def test_whoever_was_asked_and_never_agreed_is_not_promised_either(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(ONE)
    for _ in range(2):  # The alert, and the question.
        assert FAMILY["es"] in calls(scenario, sticker)
        alerted(scenario, sticker)
        close(scenario, sticker)
    assert NOBODY["es"] in calls(scenario, sticker)


def test_one_way_that_is_left_is_enough(scenario: EmergencyScenario) -> None:
    """She declined by WhatsApp. Her mailbox may be somebody else's, and so may the father's number."""
    for others in ([contact()], [ONE, father()]):
        sticker = scenario.sticker(*others)
        alerted(scenario, sticker)
        decline(scenario, -1)
        close(scenario, sticker)
        told = calls(scenario, sticker)
        assert FAMILY["es"] in told and "No hay a quién avisar" not in told
        scenario.world.platform.whatsapp.journal.accepted.clear()


@pytest.fixture
def on_call(database_url: str, tmp_path: Path) -> Iterator[EmergencyScenario]:
    world = build_world(settings_for(database_url, tmp_path / "data", on_call_mails="guardia@ejemplo.com"))
    world.listen()
    yield EmergencyScenario(world)
    world.close()


def test_where_there_is_a_team_it_is_what_is_offered(on_call: EmergencyScenario) -> None:
    sticker = on_call.sticker(ONE)
    alerted(on_call, sticker)
    decline(on_call)
    close(on_call, sticker)
    for language, nobody in NOBODY.items():
        told = calls(on_call, sticker, language)
        assert nobody in told and STAFF[language] in told and FAMILY[language] not in told
    alerted(on_call, sticker)
    assert "Aviso enviado a nuestro equipo de guardia" in calls(on_call, sticker)
    assert PEDRO not in str(on_call.alerts())


@pytest.mark.parametrize(
    ("prefix", "first", "then"),
    [("+55", "11987654321", "1187654321"), ("+54", "91123456789", "1123456789")],
)
def test_who_declined_is_not_alerted_by_another_spelling_of_her_number(
    scenario: EmergencyScenario, prefix: str, first: str, then: str
) -> None:
    sticker = scenario.sticker(contact(canales=["whatsapp"], cod_telefono=prefix, telefono=first))
    alerted(scenario, sticker)
    decline(scenario)
    close(scenario, sticker)
    again = contact(canales=["whatsapp"], cod_telefono=prefix, telefono=then)
    changed = sticker.owner.put(f"/v2/fmd/{sticker.code}/emergencia", {"contactos": [again]})
    assert changed.status_code == 200, changed.text
    alerted(scenario, sticker)
    assert scenario.steps()[-2].reason == "no_acepta"
