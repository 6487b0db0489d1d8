"""Invited by her number, somebody accepts by the link of the message and by a code that proves the number."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ficha.accounts.accounts import account_with
from ficha.fmd.invitations import INVITE_BY_MESSAGE
from tests.emergencies.scenario import AlertSticker, EmergencyScenario
from tests.web.portal.page_session import PageUser, hidden_in, logged_in
from tests.world import CLAVE, Person, build_world, new_correo, settings_for

pytestmark = pytest.mark.oldest_postgresql

NUMBER = {"cod_telefono": "+58", "telefono": "4125557777"}
INVITED = "+584125557777"


def offer(scenario: EmergencyScenario, sticker: AlertSticker, **changes: Any) -> Any:
    body = {"tipo": "owner", "hasta": until(scenario).isoformat(), "edita": True} | NUMBER | changes
    return sticker.owner.post(f"/v2/fmd/{sticker.code}/grants", body)


def until(scenario: EmergencyScenario) -> Any:
    return scenario.world.clock.now() + timedelta(days=30)


def links(scenario: EmergencyScenario) -> list[str]:
    """The path of the page of each invitation that the platform took for this number."""
    return [f"/invitacion/{text}" for text in _buttons(scenario, "invitacion_ficha")]


def codes(scenario: EmergencyScenario) -> list[str]:
    """What proves the number."""
    return _buttons(scenario, "codigo_verificacion")


def _buttons(scenario: EmergencyScenario, template: str) -> list[str]:
    sent = [one.body["template"] for one in scenario.alerts() if one.to == INVITED]
    assert {one["name"] for one in sent} <= {"invitacion_ficha", "codigo_verificacion"}
    return [str(one["components"][-1]["parameters"][0]["text"]) for one in sent if one["name"] == template]


def invited(scenario: EmergencyScenario, sticker: AlertSticker, **changes: Any) -> str:
    """The path of the page."""
    assert offer(scenario, sticker, **changes).status_code == 201
    scenario.run_until_idle()
    return links(scenario)[-1]


def via(person: Person, sticker: AlertSticker) -> str | None:
    listed = {one["id"]: one["attributes"]["via"] for one in person.get("/v2/fmd").json()["data"]}
    return listed.get(sticker.record_id)


def test_a_grown_child_takes_her_record_over_by_whatsapp(scenario: EmergencyScenario) -> None:
    world, sticker = scenario.world, scenario.sticker(alergiasm={"ausencia": "ninguna_conocida"})
    luisa = world.register(telefono=NUMBER["telefono"])
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
    assert INVITED in shown and luisa.correo not in shown and 'name="codigo_numero"' not in shown
    assert "La clave no es correcta" in guest.post(path, correo=luisa.correo, clave="otra clave distinta").text
    assert codes(scenario) == []
    asked = guest.post(path, correo=luisa.correo, clave=CLAVE)
    assert asked.status_code == 200 and 'name="codigo_numero"' in asked.text and CLAVE not in asked.text
    scenario.run_until_idle()
    [code] = codes(scenario)
    step = hidden_in(asked.text)
    wrong = guest.post(path, **step, codigo_numero="000000" if code != "000000" else "111111")
    assert wrong.status_code == 422 and "El código no es correcto" in wrong.text
    assert guest.post(path, **step).status_code == 422
    done = guest.post(path, **step, codigo_numero=f"{code[:3]} {code[3:]}")
    assert done.status_code == 200 and "Falta que lo confirmen" in done.text
    assert guest.get(path).status_code == 410
    token = path.rpartition("/")[2]
    assert luisa.post("/v2/fmd/grants/accept", {"token": token, "codigo": code}).status_code == 404
    assert (via(luisa, sticker), via(sticker.owner, sticker)) == (None, "owner")
    assert world.confirm_hand_over(sticker.owner, sticker.code).status_code == 200
    assert (via(luisa, sticker), via(sticker.owner, sticker)) == ("owner", None)


def test_the_link_alone_proves_no_number(scenario: EmergencyScenario) -> None:
    """Whoever was passed the link, or wrote that number into his account, has no code. Whoever answers it has."""
    world, sticker = scenario.world, scenario.sticker()
    thief, luisa = world.register(telefono=NUMBER["telefono"]), world.register(telefono="4125558888")
    body = {"token": invited(scenario, sticker, tipo="guardian").rpartition("/")[2]}
    refused = thief.post("/v2/fmd/grants/accept", body)
    assert refused.status_code == 422 and refused.json()["errors"][0]["code"] == "falta_codigo_del_numero"
    assert luisa.post("/v2/fmd/grants/code", body).status_code == 200
    scenario.run_until_idle()
    [code] = codes(scenario)
    # It is Luisa's account that it was asked for with; and a code for one's own phone is none for this.
    assert thief.post("/v2/fmd/grants/accept", body | {"codigo": code}).status_code == 422
    assert thief.post("/v2/auth/phone/request-code").status_code == 200
    scenario.run_until_idle()
    assert thief.post("/v2/fmd/grants/accept", body | {"codigo": codes(scenario)[-1]}).status_code == 422
    assert via(thief, sticker) is None
    accepted = luisa.post("/v2/fmd/grants/accept", body | {"codigo": code})
    assert accepted.status_code == 200 and accepted.json()["data"]["attributes"]["estado"] == "accepted"
    assert via(luisa, sticker) == "guardian"


def test_a_code_for_an_invitation_is_guessed_five_times_and_no_more(scenario: EmergencyScenario) -> None:
    sticker, luisa = scenario.sticker(), scenario.world.register()
    body = {"token": invited(scenario, sticker).rpartition("/")[2]}
    assert luisa.post("/v2/fmd/grants/code", body).status_code == 200
    scenario.run_until_idle()
    [code] = codes(scenario)
    for guess in range(5):
        guessed = body | {"codigo": f"{(int(code) + guess + 1) % 1000000:06}"}
        assert luisa.post("/v2/fmd/grants/accept", guessed).status_code == 422
    assert luisa.post("/v2/fmd/grants/accept", body | {"codigo": code}).status_code == 422


def test_a_code_is_for_the_number_that_was_invited(scenario: EmergencyScenario) -> None:
    """Proving one number opens no invitation to another."""
    sticker, luisa = scenario.sticker(), scenario.world.register()
    own = {"token": invited(scenario, sticker).rpartition("/")[2]}
    assert luisa.post("/v2/fmd/grants/code", own).status_code == 200
    other = scenario.sticker()
    assert offer(scenario, other, telefono="4129990000").status_code == 201
    scenario.run_until_idle()
    [sent] = [one.body["template"] for one in scenario.alerts() if one.to == "+584129990000"]
    token = sent["components"][-1]["parameters"][0]["text"]
    [code] = codes(scenario)
    assert luisa.post("/v2/fmd/grants/accept", {"token": token, "codigo": code}).status_code == 422
    # One by mail needs none, and says so.
    assert offer(scenario, sticker, correo=luisa.correo, telefono=None, cod_telefono=None).status_code == 201
    scenario.run_until_idle()
    [link] = [mail.text.partition("/invitacion/")[2].split()[0] for mail in scenario.world.mails()]
    refused = luisa.post("/v2/fmd/grants/code", {"token": link})
    assert refused.status_code == 409 and refused.json()["errors"][0]["code"] == "codigo_innecesario"
    assert luisa.post("/v2/fmd/grants/code", {"token": "x"}).status_code == 404


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_step_on_the_page_is_for_its_link_and_a_quarter_of_an_hour(scenario: EmergencyScenario) -> None:
    sticker, luisa, guest = scenario.sticker(), scenario.world.register(), PageUser(scenario.world)
    path = invited(scenario, sticker)
    step = hidden_in(guest.post(path, correo=luisa.correo, clave=CLAVE).text)
    again = guest.post(path, **step, do="again")
    assert again.status_code == 200
    scenario.run_until_idle()
    assert len(codes(scenario)) == 2
    other = invited(scenario, scenario.sticker())
    assert "La clave no es correcta" in guest.post(other, **step, codigo_numero=codes(scenario)[-1]).text
    assert "La clave no es correcta" in guest.post(path, paso="x", codigo_numero=codes(scenario)[-1]).text
    scenario.world.clock.move(minutes=16)
    assert "La clave no es correcta" in guest.post(path, **step, codigo_numero=codes(scenario)[-1]).text


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


def test_who_has_no_account_makes_one_and_proves_the_number(scenario: EmergencyScenario) -> None:
    world, sticker = scenario.world, scenario.sticker()
    path, guest, correo = invited(scenario, sticker, tipo="guardian"), PageUser(world), new_correo()
    assert f"{path}?nueva=1" in guest.get(path).text
    wanted = {"nombre": "Luisa Molina", "clave_nueva": CLAVE, "cuenta": "nueva"}
    taken = guest.submit(f"{path}?nueva=1", to=path, correo=sticker.owner.correo, **wanted)
    assert taken.status_code == 422 and '<a href="#correo">' in taken.text and 'name="clave_nueva"' in taken.text
    asked = guest.submit(f"{path}?nueva=1", to=path, correo=correo, **wanted)
    assert asked.status_code == 200 and 'name="codigo_numero"' in asked.text and CLAVE not in asked.text
    scenario.run_until_idle()
    [code] = codes(scenario)
    done = guest.post(path, **hidden_in(asked.text), codigo_numero=code)
    assert done.status_code == 200 and ">Abrir la ficha</a>" in done.text
    assert "Ana Lucía" in guest.get(f"/app/{sticker.code}").text
    with world.parts.database.reading() as tx:
        account = account_with(tx, correo)
    assert account is not None and account.telefono_e164 == INVITED


@pytest.mark.parametrize("how", ["the platform refuses it", "the person stopped our messages"])
def test_an_invitation_that_did_not_arrive_is_shown_to_who_invited(scenario: EmergencyScenario, how: str) -> None:
    world, sticker = scenario.world, scenario.sticker()
    user, path = logged_in(world, sticker.owner), f"/app/{sticker.code}/personas"
    undelivered = "No pudimos entregar la invitación"
    if how == "the platform refuses it":
        refused = [{"action": "error", "code": 131026}]
        world.platform.call(lambda platforms: platforms.whatsapp.faults.set(refused))
    else:
        world.platform.receive(from_=INVITED.removeprefix("+"), type="text", text="BAJA")
        scenario.run_until_idle()
    assert offer(scenario, sticker, tipo="delegate").status_code == 201
    assert undelivered not in user.get(path).text
    scenario.run_until_idle()
    assert undelivered in user.get(path).text
    [grant] = sticker.owner.get(f"/v2/fmd/{sticker.code}/grants").json()["data"]
    assert grant["attributes"]["sin_entregar"] is True
    if how == "the platform refuses it":
        scenario.platform_up()
        invited(scenario, sticker, tipo="delegate")
        assert undelivered not in user.get(path).text


def test_both_spellings_of_a_number_are_one_invitation(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker()
    for telefono in ("11987654321", "1187654321"):
        made = offer(scenario, sticker, cod_telefono="+55", telefono=telefono)
        assert made.status_code == 201, made.text
    assert len(sticker.owner.get(f"/v2/fmd/{sticker.code}/grants").json()["data"]) == 1


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


def test_codes_for_one_number_are_limited_whoever_asks(tmp_path: Path, database_url: str) -> None:
    world = build_world(settings_for(database_url, tmp_path, rate_limits="on", limit_code="2/hour"))
    try:
        world.listen()
        scenario = EmergencyScenario(world)
        path = invited(scenario, scenario.sticker())
        body = {"token": path.rpartition("/")[2]}
        luisa, guest = world.register(), PageUser(world)
        # The codes that verify a phone count too: it is the same phone that rings.
        luis = world.register(telefono=NUMBER["telefono"])
        assert luis.post("/v2/auth/phone/request-code").status_code == 200
        assert luisa.post("/v2/fmd/grants/code", body).status_code == 200
        assert luis.post("/v2/fmd/grants/code", body).status_code == 429
        refused = guest.post(path, correo=luisa.correo, clave=CLAVE)
        assert refused.status_code == 429 and "Son demasiados intentos" in refused.text
    finally:
        world.close()
