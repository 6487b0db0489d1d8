"""A record is handed over by WhatsApp: invited by her number, the new owner accepts by the link of the message."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ficha.fmd.invitations import INVITE_BY_MESSAGE
from tests.emergencies.scenario import AlertSticker, EmergencyScenario
from tests.web.portal.page_session import PageUser, logged_in
from tests.world import CLAVE, Person, build_world, settings_for

NUMBER = {"cod_telefono": "+58", "telefono": "4125557777"}
INVITED = "+584125557777"


def offer(scenario: EmergencyScenario, sticker: AlertSticker, **changes: Any) -> Any:
    body = {"tipo": "owner", "hasta": until(scenario).isoformat(), "edita": True} | NUMBER | changes
    return sticker.owner.post(f"/v2/fmd/{sticker.code}/grants", body)


def until(scenario: EmergencyScenario) -> Any:
    return scenario.world.clock.now() + timedelta(days=30)


def links(scenario: EmergencyScenario) -> list[str]:
    """The path of the page of each invitation that the platform took for this number."""
    sent = [one.body["template"] for one in scenario.alerts() if one.to == INVITED]
    assert {template["name"] for template in sent} <= {"invitacion_ficha"}
    return [f"/invitacion/{template['components'][-1]['parameters'][0]['text']}" for template in sent]


def via(person: Person, sticker: AlertSticker) -> str | None:
    listed = {one["id"]: one["attributes"]["via"] for one in person.get("/v2/fmd").json()["data"]}
    return listed.get(sticker.record_id)


def test_a_grown_child_takes_her_record_over_by_whatsapp(scenario: EmergencyScenario) -> None:
    world, sticker = scenario.world, scenario.sticker(alergiasm={"ausencia": "ninguna_conocida"})
    other, luisa = world.register(telefono="4125558888"), world.register(telefono=NUMBER["telefono"])
    made, strange = offer(scenario, sticker), offer(scenario, sticker, telefono="4129990000")
    assert made.status_code == strange.status_code == 201
    told, unknown = (answer.json()["data"]["attributes"] for answer in (made, strange))
    assert told["telefono"] == INVITED
    assert {**told, "telefono": ""} == {**unknown, "telefono": ""} and told["correo"] == ""
    scenario.run_until_idle()
    # Not the queue, but a job that ran again after it had done its work.
    world.do(INVITE_BY_MESSAGE, grant_id=made.json()["data"]["id"])
    scenario.run_until_idle()
    assert len(scenario.alerts()) == 2 and not world.mails()
    [sent] = [one.text for one in scenario.alerts() if one.to == INVITED]
    assert sent == (
        "Persona le ofrece la ficha de emergencia de Ana. Para ver qué podrá hacer con ella y aceptar, toque el botón; "
        "sirve durante 14 días. Si no conoce a esa persona, no haga nada."
    )
    [path] = links(scenario)
    guest = PageUser(world)
    shown = guest.get(path).text
    assert "La ficha pasará a ser suya." in shown and "El acceso termina" not in shown
    assert INVITED in shown and luisa.correo not in shown
    assert "no tiene el número" in guest.post(path, correo=other.correo, clave=CLAVE).text
    assert "La clave no es correcta" in guest.post(path, correo=luisa.correo, clave="otra clave distinta").text
    token = path.rpartition("/")[2]
    assert other.post("/v2/fmd/grants/accept", {"token": token}).status_code == 404
    assert guest.post(path, correo=luisa.correo, clave=CLAVE).status_code == 200
    assert (via(luisa, sticker), via(sticker.owner, sticker)) == ("owner", "delegate")
    assert guest.get(path).status_code == 410
    assert luisa.post("/v2/fmd/grants/accept", {"token": token}).status_code == 404


def test_who_stopped_our_messages_gets_no_invitation(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker()
    scenario.world.platform.receive(from_="584125557777", type="text", text="BAJA")
    scenario.run_until_idle()
    before = len(scenario.alerts())
    assert offer(scenario, sticker).status_code == 201
    scenario.run_until_idle()
    assert len(scenario.alerts()) == before


def test_one_that_waits_is_not_sent_once_the_record_is_erased(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker()
    scenario.run_until_idle()
    scenario.platform_down()
    assert offer(scenario, sticker).status_code == 201
    scenario.run_due()
    assert sticker.owner.delete("/v1/local/data", {"clave": CLAVE}).status_code == 200
    scenario.platform_up()
    scenario.pass_seconds(600)
    assert scenario.alerts() == []


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"telefono": "123"}, "/telefono"),
        ({"telefono": "9999999999999"}, "/telefono"),
        ({"cod_telefono": None}, "/cod_telefono"),
        ({"correo": "luisa@ejemplo.com"}, "/correo"),
        ({"telefono": None}, "/correo"),
        ({"telefono": None, "correo": "luisa@ejemplo.com"}, "/cod_telefono"),
    ],
)
def test_a_wrong_number_is_refused(scenario: EmergencyScenario, changes: dict[str, Any], pointer: str) -> None:
    answer = offer(scenario, scenario.sticker(), **changes)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["source"] == {"pointer": pointer}
    assert scenario.world.rows()["grants"] == 0


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_page_invites_by_whatsapp(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker()
    user, path = logged_in(scenario.world, sticker.owner), f"/app/{sticker.code}/personas"
    given = NUMBER | {"do": "invite", "tipo": "recibe", "hasta": f"{until(scenario):%Y-%m-%d}"}
    for wrong in ({"telefono": "12"}, {"cod_telefono": ""}, {"correo": "luisa@ejemplo.com"}, {"telefono": ""}):
        refused = user.submit(path, **given | wrong)
        assert refused.status_code == 422 and "aria-invalid" in refused.text
    assert user.submit(path, **given).headers["location"] == f"{path}?hecho=invitado"
    scenario.run_until_idle()
    assert len(links(scenario)) == 1
    shown = user.get(path).text
    assert INVITED in shown and "Invitación sin aceptar" in shown
    assert f"quien invitó: {INVITED}" in user.get(f"/app/{sticker.code}/no-fui-yo").text


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_mails_and_messages_count_against_one_limit(tmp_path: Path, database_url: str) -> None:
    world = build_world(settings_for(database_url, tmp_path, rate_limits="on", limit_invitation="2/day"))
    try:
        ana = world.register()
        [code] = ana.data["attributes"]["product_codes"]
        hasta = (world.clock.now() + timedelta(days=3)).isoformat()
        offers = (NUMBER, {"correo": "luisa@ejemplo.com"}, NUMBER)
        answers = [
            ana.post(f"/v2/fmd/{code}/grants", {"tipo": "delegate", "hasta": hasta} | given).status_code
            for given in offers
        ]
        assert answers == [201, 201, 429]
    finally:
        world.close()
