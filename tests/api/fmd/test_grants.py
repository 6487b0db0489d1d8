"""Access of other accounts to a record: granted, used, withdrawn."""

from datetime import timedelta
from typing import Any

import pytest

from ficha.accounts.accounts import Role
from ficha.fmd.grants import Grant, GrantKind
from tests.api.fmd.test_fmd import EPILEPSY, fmd, put
from tests.world import Person, World


def let_in(world: World, owner: Person, guest: Person, tipo: str = "delegate", **changes: Any) -> Any:
    body = {"correo": guest.correo, "tipo": tipo, "hasta": (world.clock.now() + timedelta(days=30)).isoformat()}
    made = owner.post(fmd(owner, "/grants"), body | changes)
    if made.status_code == 201:
        assert world.accept_invitation(guest).status_code == 200
    return made


def change(guest: Person, owner: Person, rest: str, body: Any) -> Any:
    return guest.client.patch(fmd(owner, rest), json=body, headers=guest.headers)


def test_a_delegate_gets_in_until_the_day_it_ends(world: World, ana: Person) -> None:
    luis = world.register(nombre="Luis")
    made = let_in(world, ana, luis, edita=True, hasta=(world.clock.now() + timedelta(minutes=30)).isoformat())
    assert made.status_code == 201
    assert made.json()["data"]["attributes"]["nombre"] is None
    assert ana.get(fmd(ana, "/grants")).json()["data"][0]["attributes"]["nombre"] == "Luis"
    assert change(luis, ana, "/cuerpo", {"peso_kg": 61}).status_code == 200
    world.clock.move(minutes=30)
    assert change(luis, ana, "/cuerpo", {"peso_kg": 62}).status_code == 404


def test_access_can_be_withdrawn_at_once(world: World, ana: Person) -> None:
    luis = world.register()
    grant_id = let_in(world, ana, luis, edita=True).json()["data"]["id"]
    assert ana.delete(fmd(ana, f"/grants/{grant_id}")).json()["data"] == {"withdrawn": True}
    assert change(luis, ana, "/cuerpo", {"peso_kg": 61}).status_code == 404
    assert ana.delete(fmd(ana, f"/grants/{grant_id}")).status_code == 404
    assert ana.get(fmd(ana, "/grants")).json()["data"] == []


def test_a_delegate_reads_unless_she_may_edit_and_never_manages(world: World, ana: Person) -> None:
    luis = world.register()
    let_in(world, ana, luis)
    assert change(luis, ana, "/cuerpo", {"peso_kg": 61}).status_code == 403
    let_in(world, ana, luis, edita=True)
    assert len(ana.get(fmd(ana, "/grants")).json()["data"]) == 1
    assert change(luis, ana, "/cuerpo", {"peso_kg": 61}).status_code == 200
    for rest in ("/history", "/access-log", "/export", "/grants"):
        assert luis.get(fmd(ana, rest)).status_code == 403
    assert change(luis, ana, "/relationship", {"relacion": "tío"}).status_code == 403
    assert change(luis, ana, "/consentimiento", {"visibilidad": {"salud": "R"}}).status_code == 403


def test_a_guardian_stands_in_for_the_owner(world: World, ana: Person) -> None:
    tutora = world.register()
    let_in(world, ana, tutora, "guardian")
    assert change(tutora, ana, "/consentimiento", {"rechaza_transfusion": True}).status_code == 200
    assert tutora.get(fmd(ana, "/export")).status_code == 200
    assert tutora.post(f"/v2/products/{ana.data['attributes']['product_codes'][0]}/lost").status_code == 200


def test_an_editor_cannot_remove_what_is_hidden_from_her(world: World, ana: Person) -> None:
    luis = world.register()
    secret = EPILEPSY | {"condicion": {"texto": "Secreta"}}
    saved = put(ana, "/salud", {"condiciones": [EPILEPSY, secret]}).json()["data"]["attributes"]["data"]
    seen_id, hidden_id = (fact["id"] for fact in saved["condiciones"])
    put(ana, "/consentimiento", {"visibilidad": {f"salud/{hidden_id}": "P"}})
    let_in(world, ana, luis, edita=True)
    visible = next(fact for fact in saved["condiciones"] if fact["id"] == seen_id)
    answer = change(luis, ana, "/salud", {"condiciones": [visible | {"estado": "resuelta"}]})
    assert answer.status_code == 200
    kept = {fact["id"]: fact for fact in ana.get(fmd(ana, "/export")).json()["modelos"]["salud"]["condiciones"]}
    assert kept[hidden_id]["condicion"]["texto"] == "Secreta" and kept[seen_id]["estado"] == "resuelta"
    assert "Secreta" not in answer.text


def modelos_of(owner: Person) -> Any:
    return owner.get(fmd(owner, "/export")).json()["modelos"]


@pytest.mark.parametrize(("rest", "body"), [("", {"salud": None}), ("/salud", {"condiciones": None})])
def test_who_removes_a_whole_model_removes_what_she_sees(world: World, ana: Person, rest: str, body: Any) -> None:
    luis = world.register()
    secret = EPILEPSY | {"condicion": {"texto": "Secreta"}}
    saved = put(ana, "/salud", {"condiciones": [EPILEPSY, secret]}).json()["data"]["attributes"]["data"]
    hidden_id = saved["condiciones"][1]["id"]
    put(ana, "/consentimiento", {"visibilidad": {f"salud/{hidden_id}": "P"}})
    let_in(world, ana, luis, edita=True)
    answer = change(luis, ana, rest, body)
    assert answer.status_code == 200 and "Secreta" not in answer.text
    assert [fact["id"] for fact in modelos_of(ana)["salud"]["condiciones"]] == [hidden_id]


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
def test_what_an_editor_removes_is_gone_though_other_facts_are_hidden(world: World, ana: Person, method: str) -> None:
    luis = world.register()
    surgery = {"texto": "Apendicectomía"}
    given = {"condiciones": [EPILEPSY, EPILEPSY | {"condicion": {"texto": "Secreta"}}], "cirugias": [surgery]}
    saved = put(ana, "/salud", given).json()["data"]["attributes"]["data"]
    seen, hidden = saved["condiciones"]
    put(ana, "/consentimiento", {"visibilidad": {f"salud/{hidden['id']}": "P"}})
    let_in(world, ana, luis, edita=True)
    body = {"cirugias": None} if method == "PATCH" else {"condiciones": [seen]}
    answer = luis.client.request(method, fmd(ana, "/salud"), json=body, headers=luis.headers)
    assert answer.status_code == 200, answer.text
    kept = modelos_of(ana)["salud"]
    assert "cirugias" not in kept and [fact["id"] for fact in kept["condiciones"]] == [seen["id"], hidden["id"]]


def test_what_stands_beside_the_one_open_fact_of_a_hidden_model_stays(world: World, ana: Person) -> None:
    luis = world.register()
    given = {"condiciones": [EPILEPSY], "cirugias": [{"texto": "Secreta"}], "via_aerea_dificil": True}
    saved = put(ana, "/salud", given)
    shown = saved.json()["data"]["attributes"]["data"]["condiciones"][0]
    put(ana, "/consentimiento", {"visibilidad": {"salud": "P", f"salud/{shown['id']}": "R"}})
    let_in(world, ana, luis, edita=True)
    answer = change(luis, ana, "", {"salud": None})
    assert answer.status_code == 200 and "Secreta" not in answer.text
    assert modelos_of(ana)["salud"].keys() == {"cirugias", "via_aerea_dificil"}


def test_an_institution_reads_its_own_people_and_changes_nothing(world: World, ana: Person) -> None:
    school = world.somebody_with(Role.INSTITUTION)
    with world.parts.database.writing() as tx:
        tx.orm.add(
            Grant(
                record_id=ana.data["attributes"]["fmd_code"],
                account_id=school.id,
                kind=GrantKind.INSTITUTION,
                edits=False,
                granted_at=world.clock.now(),
                ends_at=world.clock.now() + timedelta(days=365),
            )
        )
    assert change(school, ana, "/cuerpo", {"peso_kg": 61}).status_code == 403
    assert change(world.somebody_with(Role.INSTITUTION), ana, "/cuerpo", {"peso_kg": 61}).status_code == 404


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"correo": "nadie"}, "/correo"),
        ({"tipo": "institution"}, "/tipo"),
        ({"hasta": "2020-01-01T00:00:00+00:00"}, "/hasta"),
        ({"hasta": "2099-01-01T00:00:00+00:00"}, "/hasta"),
        ({"hasta": "2027-01-01T00:00:00"}, "/hasta"),
        ({"hasta": 5}, "/hasta"),
        ({"edita": "sí"}, "/edita"),
    ],
)
def test_a_bad_grant_is_refused(world: World, ana: Person, changes: dict[str, Any], pointer: str) -> None:
    luis = world.register()
    answer = let_in(world, ana, luis, **changes)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["source"] == {"pointer": pointer}
    assert world.rows()["grants"] == 0
