"""Which messages of a contact answer an alert: each kind, before and after it, in its thread and in another."""

from itertools import product
from typing import Any

import pytest

from ficha.emergencies.alert_progress import ProgressKind
from ficha.emergencies.statements import called_in
from tests.emergencies.scenario import MARIA, PEDRO, EmergencyScenario, contact, father
from tests.emergencies.test_answers import alert_family, progress, token_in, view
from tests.messaging.webhook_notifications import enveloped, message, notify, value

NOTHING = ("open", None)
# What counts. Every other pair of kind, time and thread leaves the emergency as it was.
COUNTS = {
    # A button names its alert, and the platform says which message it belongs to: no clock and no thread changes that.
    ("button", "after", "same"): ("acknowledged", "voy"),
    ("button", "after", "other"): ("acknowledged", "voy"),
    ("button", "before", "same"): ("acknowledged", "voy"),
    ("button", "before", "other"): ("acknowledged", "voy"),
    ("text yes", "after", "same"): ("acknowledged", "voy"),
    ("text no", "after", "same"): ("open", "no_puedo"),
}
KINDS = ("button", "text yes", "text no", "reaction", "edit", "revoke", "unsupported")


Sender = dict[str, Any]


def item(kind: str, alert_id: str, payload: str, earlier: str, at: int, sender: Sender) -> dict[str, Any]:
    original = {"original_message_id": earlier}
    bodies: dict[str, dict[str, Any]] = {
        "button": {
            "type": "button",
            "button": {"text": "Voy en camino", "payload": payload},
            "context": {"id": alert_id},
        },
        "text yes": {"text": "Voy para allá"},
        "text no": {"text": "No puedo, estoy de viaje"},
        "reaction": {"type": "reaction", "reaction": {"message_id": alert_id, "emoji": "👍"}},
        "edit": {"type": "edit", "edit": original | {"message": {"type": "text", "text": {"body": "Voy"}}}},
        "revoke": {"type": "revoke", "revoke": original},
        "unsupported": {"type": "unsupported", "errors": [{"code": 131051, "title": "Unsupported"}]},
    }
    return message(at=at, **sender, **bodies[kind])


def receive(scenario: EmergencyScenario, *items: dict[str, Any]) -> None:
    assert notify(scenario.world, enveloped(value(items))).status_code == 200
    scenario.run_until_idle()


def seconds(scenario: EmergencyScenario, add: int = 0) -> int:
    return int(scenario.now.timestamp()) + add


def answer_of_mother(scenario: EmergencyScenario, emergency: int) -> tuple[str, str | None]:
    with scenario.database.reading() as tx:
        called = called_in(tx, emergency)[scenario.steps(emergency)[0].contact_id or ""]
    return scenario.emergency(emergency).state, called.answer


@pytest.mark.oldest_postgresql
def test_the_table_of_answers(scenario: EmergencyScenario) -> None:
    """Each pair has a family of its own, so that one world does for all."""
    pairs = list(product(KINDS, ("before", "after"), ("same", "other")))
    phones = [f"412777{number:04d}" for number in range(len(pairs))]
    senders: list[Sender] = [
        {"sender": f"58{phone}"} if where == "same" else {"sender": None, "from_user_id": f"VE.134912086553{phone}"}
        for phone, (_, _, where) in zip(phones, pairs, strict=True)
    ]
    earlier = [message(text="Buenos días", at=seconds(scenario, -600), **sender) for sender in senders]
    receive(scenario, *earlier)
    for phone in phones:
        assert scenario.press_alert(scenario.sticker(contact(telefono=phone))).status_code == 201
    scenario.run_until_idle()
    alerted = seconds(scenario)
    scenario.world.clock.move(seconds=5)
    items = []
    for (kind, when, _), sender, before, step in zip(pairs, senders, earlier, scenario.steps(), strict=True):
        payload, at = f"voy:{step.emergency_id}:{step.contact_id}", alerted + 5 if when == "after" else alerted - 60
        items.append(item(kind, step.provider_id or "", payload, before["id"], at, sender))
    emergencies = [each.id for each in scenario.emergencies()]
    receive(scenario, *items)
    found = {pair: answer_of_mother(scenario, number) for pair, number in zip(pairs, emergencies, strict=True)}
    assert found == {pair: COUNTS.get(pair, NOTHING) for pair in pairs}


def test_an_edit_from_coming_to_cannot_is_the_last_word(scenario: EmergencyScenario) -> None:
    _, emergency, _ = alert_family(scenario)
    first = message(text="voy", at=seconds(scenario))
    receive(scenario, first)
    assert answer_of_mother(scenario, emergency) == ("acknowledged", "voy")
    scenario.world.clock.move(seconds=9)
    edited = {"original_message_id": first["id"], "message": {"type": "text", "text": {"body": "no puedo"}}}
    receive(scenario, message(type="edit", edit=edited, at=seconds(scenario)))
    assert answer_of_mother(scenario, emergency) == ("open", "no_puedo")
    assert len(scenario.steps(emergency)) == 2, "nobody is coming any more, and the father is alerted"


def test_an_edit_that_overtook_its_message_leaves_it_unclear(scenario: EmergencyScenario) -> None:
    _, emergency, _ = alert_family(scenario)
    scenario.world.clock.move(seconds=9)
    edited = {"original_message_id": "wamid.LATE", "message": {"type": "text", "text": {"body": "no puedo"}}}
    receive(scenario, message(type="edit", edit=edited, at=seconds(scenario)))
    receive(scenario, message(id="wamid.LATE", text="voy", at=seconds(scenario, -5)))
    assert answer_of_mother(scenario, emergency) == ("open", "dudosa")


def test_an_unclear_answer_is_shown_asked_back_once_and_stops_nothing(scenario: EmergencyScenario) -> None:
    sticker, emergency, _ = alert_family(scenario)
    for words in ("¿Qué pasó?", "¿Quién escribe?"):
        scenario.world.clock.move(seconds=5)
        scenario.world.platform.receive(from_=MARIA, type="text", text=words)
        scenario.run_until_idle()
    assert answer_of_mother(scenario, emergency) == ("open", "dudosa")
    asked = [sent for sent in scenario.alerts() if sent.type == "text"]
    assert [sent.to.lstrip("+") for sent in asked] == [MARIA] and "VOY o NO PUEDO" in asked[0].text
    assert ProgressKind.UNCLEAR in {line.kind for line in progress(scenario, sticker)}
    for _ in range(2):
        scenario.pass_seconds(60)
    assert [sent.to.lstrip("+") for sent in scenario.alerts() if sent.type == "template"] == [MARIA, PEDRO]
    others = view(scenario, token_in(scenario, -1)).others
    [mother] = [line for line in others if line.kind is ProgressKind.UNCLEAR]
    assert mother.relation == "madre"
    page = scenario.world.client.get(f"/a/{token_in(scenario, -1)}", headers={"Accept-Language": "es"})
    assert "respondió, pero no está claro si viene" in page.text
    seen = sticker.owner.get(f"/v2/emergencies/{emergency}").json()["data"]["attributes"]["steps"]
    assert seen[0]["answer"] == "dudosa"
    receive(scenario, message(text="Sí, ya voy", at=seconds(scenario)))
    assert answer_of_mother(scenario, emergency) == ("acknowledged", "voy")


def test_an_unclear_word_after_a_clear_one_changes_nothing(scenario: EmergencyScenario) -> None:
    _, emergency, _ = alert_family(scenario)
    receive(scenario, message(text="voy", at=seconds(scenario)))
    scenario.world.clock.move(seconds=5)
    receive(scenario, message(text="¿dónde es?", at=seconds(scenario)))
    assert answer_of_mother(scenario, emergency) == ("acknowledged", "voy")
    [noted] = [sent.text for sent in scenario.alerts() if sent.type == "text"]
    assert noted.startswith("Anotado"), "she is not asked again"


def test_a_picture_after_a_clear_no_is_not_asked_about(scenario: EmergencyScenario) -> None:
    _, emergency, _ = alert_family(scenario)
    for fields in ({"type": "text", "text": "No puedo"}, {"type": "image"}):
        scenario.world.platform.receive(from_=MARIA, **fields)
        scenario.run_until_idle()
    assert answer_of_mother(scenario, emergency) == ("open", "no_puedo")
    assert not [sent for sent in scenario.alerts() if sent.type == "text"]


def test_a_wrong_number_is_not_written_to_again(scenario: EmergencyScenario) -> None:
    sticker, emergency, _ = alert_family(scenario)
    receive(scenario, message(text="Número equivocado", at=seconds(scenario)))
    assert answer_of_mother(scenario, emergency) == ("open", "no_puedo")
    sticker.owner.client.patch(
        f"/v2/emergencies/{emergency}", json={"state": "canceled"}, headers=sticker.owner.headers
    )
    scenario.world.clock.move(days=2)
    scenario.press_alert(sticker)
    scenario.run_until_idle()
    [step, *_] = scenario.steps(scenario.emergencies()[-1].id)
    assert (step.state, step.reason) == ("skipped", "no_acepta")


def test_answers_are_ordered_by_the_sender_s_clock(scenario: EmergencyScenario) -> None:
    _, emergency, _ = alert_family(scenario, contact(), father())
    alerted = seconds(scenario)
    scenario.world.clock.move(seconds=30)
    receive(scenario, message(text="no puedo", at=alerted + 20))
    receive(scenario, message(text="voy", at=alerted + 10))
    assert answer_of_mother(scenario, emergency) == ("open", "no_puedo")


def test_a_permission_to_call_answers_nothing(scenario: EmergencyScenario) -> None:
    kind = "call_permission_reply"
    _, emergency, _ = alert_family(scenario)
    body = {"type": kind, kind: {"response": "accept", "expiration_timestamp": 1}}
    receive(scenario, message(type="interactive", interactive=body, at=seconds(scenario)))
    assert answer_of_mother(scenario, emergency) == NOTHING
