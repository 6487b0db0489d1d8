"""The operations of emergencies: who may open, see and change one, and what each caller is shown."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from httpx2 import Response

from ficha.accounts.accounts import Role
from ficha.emergencies.emergency_events import sticker_topic
from ficha.fmd.grants import GrantKind
from tests.emergencies.scenario import HERE, EmergencyScenario, contact, father, granted
from tests.world import Person


def opened_id(answer: Response) -> int:
    assert answer.status_code == 201, answer.text
    return int(answer.json()["data"]["id"])


def patch(scenario: EmergencyScenario, person: Person, emergency: int, state: str) -> Response:
    return scenario.world.client.patch(f"/v2/emergencies/{emergency}", json={"state": state}, headers=person.headers)


def test_the_tag_of_a_sticker_is_enough(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact())
    answer = scenario.press_alert(sticker, HERE)
    emergency = opened_id(answer)
    content = answer.json()
    assert content["meta"]["status"] == 201
    attributes = content["data"]["attributes"]
    assert attributes["state"] == "open" and attributes["entrance"] == "tag" and attributes["opened_by"] == "tag"
    assert attributes["fmd_code"] is None, "a sticker does not tell the record's number"
    audiences = {(event.account_id, event.topic) for event in scenario.events("emergency.opened")}
    assert audiences == {(None, None), (sticker.owner.id, None), (None, sticker_topic(sticker.record_id))}
    entry = scenario.log_of(sticker)[-1]
    assert (entry.action, entry.actor, entry.via) == ("emergency.opened", "tag", "tag")
    assert entry.what == [f"emergency:{emergency}"] and entry.origin
    assert scenario.waiting_jobs() == {"emergencia.paso": 1}


def test_scans_within_ten_minutes_are_one_emergency(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact())
    first = opened_id(scenario.press_alert(sticker))
    scenario.world.clock.move(minutes=9)
    again = scenario.press_alert(sticker, HERE)
    assert again.status_code == 200 and again.json()["meta"]["status"] == 200
    assert again.json()["data"]["id"] == first and again.json()["data"]["attributes"]["scans"] == 2
    seen = sticker.owner.get(f"/v2/emergencies/{first}").json()["data"]["attributes"]
    assert seen["position"]["lat"] == 10.48801, "the later scan knew where"
    scenario.world.clock.move(minutes=9)
    assert scenario.press_alert(sticker).status_code == 200, "ten minutes from the last scan"
    scenario.world.clock.move(minutes=10, seconds=1)
    assert opened_id(scenario.press_alert(sticker)) != first
    actions = [entry.action for entry in scenario.log_of(sticker) if entry.action.startswith("emergency.")]
    # That the owner looked is written a moment later, among the others or after them.
    joined = [action for action in actions if action != "emergency.read"]
    assert joined == ["emergency.opened", "emergency.joined", "emergency.joined", "emergency.opened"]


def test_a_scan_after_the_end_begins_anew(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact())
    first = opened_id(scenario.press_alert(sticker))
    assert patch(scenario, sticker.owner, first, "resolved").status_code == 200
    assert opened_id(scenario.press_alert(sticker)) != first


def test_a_worse_position_does_not_replace_a_better_one(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact())
    emergency = opened_id(scenario.press_alert(sticker, HERE))
    far = {"lat": 11.0, "lng": -66.0, "accuracy": 5000}

    def place() -> float:
        seen = sticker.owner.get(f"/v2/emergencies/{emergency}").json()["data"]["attributes"]
        return float(seen["position"]["lat"])

    assert scenario.press_alert(sticker, far).status_code == 200
    assert place() == 10.48801
    scenario.world.clock.move(minutes=6)
    assert scenario.press_alert(sticker, far).status_code == 200
    assert place() == 11.0, "after some minutes, newer counts more than finer"


def test_two_presses_at_once_make_one_emergency(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact())
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: scenario.press_alert(sticker, HERE), range(6)))
    assert sorted(answer.status_code for answer in answers) == [200] * 5 + [201]
    assert len({answer.json()["data"]["id"] for answer in answers}) == 1
    scenario.run_until_idle()
    assert len(scenario.emergencies()) == 1 and len(scenario.alerts()) == 1
    assert scenario.emergencies()[0].scans == 6


def test_the_same_request_again_under_its_key_is_the_same_answer(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact())
    body = {"code": sticker.code, "tag": sticker.tag}
    key = {"Idempotency-Key": "boton-1"}
    first = scenario.world.client.post("/v2/emergencies", json=body, headers=key)
    again = scenario.world.client.post("/v2/emergencies", json=body, headers=key)
    assert first.status_code == again.status_code == 201
    assert again.headers["Idempotency-Replayed"] == "true" and first.json() == again.json()
    assert scenario.emergencies()[0].scans == 1


@pytest.mark.parametrize("spoil", ["tag", "code"])
def test_what_opens_nothing_alerts_nobody(scenario: EmergencyScenario, spoil: str) -> None:
    sticker = scenario.sticker(contact())
    body = {"code": sticker.code, "tag": sticker.tag}
    if spoil == "tag":
        body["tag"] = "QX7M2K5TNBP4RWZC6DHJ3VFYGA"
    else:
        body["code"] = "ZZZZZZ"
    answer = scenario.world.client.post("/v2/emergencies", json=body)
    assert answer.status_code == 404 and answer.json()["errors"][0]["code"] == "ficha_no_encontrada"
    assert scenario.emergencies() == []


def test_who_may_open_the_record_may_open_an_emergency(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact())
    body = {"code": sticker.code}
    assert scenario.world.client.post("/v2/emergencies", json=body).status_code == 401
    assert scenario.world.register().post("/v2/emergencies", body).status_code == 404
    delegate = granted(scenario, sticker, GrantKind.DELEGATE)
    answer = delegate.post("/v2/emergencies", body)
    assert opened_id(answer)
    attributes = answer.json()["data"]["attributes"]
    assert attributes["opened_by"] == f"account:{delegate.id}" and attributes["entrance"] == "bearer"
    assert attributes["fmd_code"] == sticker.record_id


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("position", "pointer"),
    [
        ({"lat": 91, "lng": 0}, "/position/lat"),
        ({"lat": 0, "lng": -181}, "/position/lng"),
        ({"lat": 0, "lng": 0, "accuracy": -1}, "/position/accuracy"),
        ({"lat": 0, "lng": 0, "altura": 3}, "/position/altura"),
        ({"lat": 0}, "/position/lng"),
        ({"lat": 0, "lng": 0, "taken_at": "2026-11-15T12:00:00"}, "/position/taken_at"),
    ],
)
def test_a_place_that_cannot_be_is_refused(scenario: EmergencyScenario, position: dict[str, Any], pointer: str) -> None:
    answer = scenario.press_alert(scenario.sticker(contact()), position)
    assert answer.status_code == 422
    assert [error["source"]["pointer"] for error in answer.json()["errors"]] == [pointer]
    assert scenario.emergencies() == []


def test_a_drill_shows_what_would_be_sent_and_sends_nothing(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact(), father(correo=None))
    answer = sticker.owner.post("/v2/emergencies", {"code": sticker.code, "simulacro": True})
    drill = opened_id(answer)
    scenario.run_until_idle()
    scenario.pass_seconds(1800)
    seen = sticker.owner.get(f"/v2/emergencies/{drill}").json()["data"]["attributes"]
    assert seen["simulacro"] is True
    assert [(step["nombre"], step["channel"], step["state"]) for step in seen["steps"]] == [
        ("María Rojas", "whatsapp", "simulated"),
        ("María Rojas", "correo", "simulated"),
        ("Pedro Pérez", "whatsapp", "simulated"),
        ("", "staff", "simulated"),
    ]
    assert scenario.alerts() == [] and scenario.world.mails() == [] and scenario.waiting_jobs() == {}
    assert all(event.account_id or event.topic for event in scenario.events("emergency.opened")), "nothing for staff"
    assert opened_id(scenario.press_alert(sticker)) != drill, "a real scan is real, drill or not"
    scenario.run_until_idle()
    assert len(scenario.alerts()) == 1


def test_only_the_owner_and_her_guardians_run_a_drill(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact())
    body = {"code": sticker.code, "simulacro": True}
    assert scenario.press_alert(sticker, simulacro=True).status_code == 401, "a sticker is not enough"
    assert granted(scenario, sticker, GrantKind.DELEGATE).post("/v2/emergencies", body).status_code == 403
    assert granted(scenario, sticker, GrantKind.GUARDIAN).post("/v2/emergencies", body).status_code == 201


def test_owner_guardian_and_delegate_see_it_and_say_how_it_goes_on(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact())
    emergency = opened_id(scenario.press_alert(sticker, HERE))
    scenario.run_until_idle()
    for kind in GrantKind:
        person = granted(scenario, sticker, kind)
        assert person.get(f"/v2/emergencies/{emergency}").status_code == 200
        listed = person.get("/v2/emergencies").json()["data"]
        assert [each["id"] for each in listed] == [emergency]
    institution = granted(scenario, sticker, GrantKind.INSTITUTION)
    assert patch(scenario, institution, emergency, "resolved").status_code == 403
    assert patch(scenario, granted(scenario, sticker, GrantKind.DELEGATE), emergency, "resolved").status_code == 403
    delegate = granted(scenario, sticker, GrantKind.DELEGATE, edits=True)
    answer = patch(scenario, delegate, emergency, "acknowledged")
    assert answer.json()["data"]["attributes"]["acknowledged_by"] == f"account:{delegate.id}"
    scenario.pass_seconds(600)
    assert len(scenario.alerts()) == 1 and scenario.world.mails() == [], "the ladder stops"
    again = patch(scenario, sticker.owner, emergency, "acknowledged")
    assert again.status_code == 200
    assert again.json()["data"]["attributes"]["acknowledged_by"] == f"account:{delegate.id}", "the first counts"
    assert patch(scenario, sticker.owner, emergency, "resolved").status_code == 200
    refused = patch(scenario, sticker.owner, emergency, "canceled")
    assert refused.status_code == 409 and refused.json()["errors"][0]["code"] == "emergencia_terminada"
    actions = [entry.action for entry in scenario.log_of(sticker) if entry.actor != "ladder"]
    assert [action for action in actions if action.startswith("emergency.") and action != "emergency.read"] == [
        "emergency.opened",
        "emergency.acknowledged",
        "emergency.resolved",
    ]


def test_others_cannot_tell_whether_it_exists(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact())
    emergency = opened_id(scenario.press_alert(sticker))
    stranger = scenario.world.register()
    answers = [
        stranger.get(f"/v2/emergencies/{emergency}"),
        stranger.get("/v2/emergencies/999999"),
        patch(scenario, stranger, emergency, "canceled"),
        patch(scenario, stranger, 999999, "canceled"),
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert len({str(answer.json()["errors"]) for answer in answers}) == 1
    assert stranger.get("/v2/emergencies").json()["data"] == []
    assert scenario.emergency(emergency).state == "open"


def test_staff_see_the_queue_and_no_names(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact())
    staff = scenario.world.somebody_with(Role.OWNER, Role.STAFF)
    emergency = opened_id(scenario.press_alert(sticker, HERE))
    scenario.run_until_idle()
    assert staff.get(f"/v2/emergencies/{emergency}").status_code == 404, "the family is being tried"
    assert staff.get("/v2/emergencies").json()["data"] == []
    scenario.pass_seconds(60)
    scenario.pass_seconds(60)
    seen = staff.get(f"/v2/emergencies/{emergency}")
    assert seen.status_code == 200 and "María" not in seen.text and "Ana" not in seen.text
    assert [step["relacion"] for step in seen.json()["data"]["attributes"]["steps"]] == ["madre", "madre", ""]
    assert [each["id"] for each in staff.get("/v2/emergencies").json()["data"]] == [emergency]
    assert patch(scenario, staff, emergency, "resolved").status_code == 403
    scenario.world.drain_reads()
    entry = scenario.log_of(sticker)[-1]
    assert (entry.action, entry.actor, entry.via) == ("emergency.read", f"account:{staff.id}", "staff")


def test_a_long_list_comes_in_pages(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker()
    made = []
    for _ in range(3):
        made.append(opened_id(scenario.press_alert(sticker)))
        assert patch(scenario, sticker.owner, made[-1], "canceled").status_code == 200
    first = sticker.owner.get("/v2/emergencies?size=2").json()
    assert [each["id"] for each in first["data"]] == [made[2], made[1]]
    following = first["meta"]["page"]["next"]
    rest = sticker.owner.get(f"/v2/emergencies?size=2&cursor={following}").json()
    assert [each["id"] for each in rest["data"]] == [made[0]] and rest["meta"]["page"]["next"] is None
    assert sticker.owner.get("/v2/emergencies?state=open").json()["data"] == []
