"""One account, many records: a family's, each with a code of its own."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text

from ficha.fmd.records import Record
from ficha.products.codes import issue_code
from tests.api.fmd.test_fmd import EPILEPSY, fmd
from tests.api.fmd.test_grants import let_in
from tests.statement_counter import count_statements
from tests.world import CLAVE, Person, World, build_world, settings_for


def open_record(person: Person, **changes: Any) -> Any:
    answer = person.post("/v2/fmd", {"relacion": "madre"} | changes)
    assert answer.status_code == 201, answer.text
    return answer.json()["data"]


def listed(person: Person) -> dict[int, dict[str, Any]]:
    answer = person.get("/v2/fmd")
    assert answer.status_code == 200, answer.text
    return {item["id"]: item["attributes"] for item in answer.json()["data"]}


def code_of(record: dict[str, Any]) -> str:
    return str(record["attributes"]["product_codes"][0])


def test_a_mother_opens_a_record_for_her_child(world: World, ana: Person) -> None:
    first = ana.data["attributes"]["fmd_code"]
    world.clock.move(seconds=1)
    child = open_record(ana, nombres="Luis", template_type="estudiante")
    assert child["attributes"] | {"product_codes": []} == {
        "nombre": "Luis",
        "relacion": "madre",
        "template_type": "estudiante",
        "via": "owner",
        "edita": True,
        "hasta": None,
        "product_codes": [],
        "bp_codes": [],
        "completeness": 7,
        "freshness": None,
    }
    me = ana.get("/v2/auth/me").json()["data"]["attributes"]
    assert me["fmd_code"] == first
    assert [record["fmd_code"] for record in me["records"]] == [first, child["id"]]
    assert me["records"][1]["codes"] == child["attributes"]["product_codes"]
    path = f"/v2/fmd/{code_of(child)}"
    body = {"personal": {"apellidos": "Rojas"}, "salud": {"condiciones": [EPILEPSY]}}
    assert ana.client.patch(path, json=body, headers=ana.headers).status_code == 200
    assert listed(ana)[child["id"]]["nombre"] == "Luis Rojas"
    assert listed(ana)[child["id"]]["freshness"] == "green"
    # The first record knows nothing of it, and nobody else does.
    assert listed(ana)[first]["completeness"] == 0
    assert world.register().get(path).status_code == 404


def test_a_sticker_joins_the_record_that_is_named(world: World, ana: Person) -> None:
    with world.parts.database.writing() as tx:
        one, other, third = (issue_code(tx, world.clock.now()) for _ in range(3))
    child = open_record(ana, product_code=one.code, product_tag=one.tag)
    assert child["attributes"]["product_codes"] == [one.code]
    body = {"product_tag": other.tag, "fmd_code": child["id"]}
    claimed = ana.post(f"/v2/products/{other.code}/claim", body)
    assert claimed.json()["data"]["attributes"]["fmd_code"] == child["id"]
    theirs = open_record(world.register())
    for unknown in (theirs["id"], 1):
        answer = ana.post(f"/v2/products/{third.code}/claim", {"product_tag": third.tag, "fmd_code": unknown})
        assert answer.status_code == 404
        assert answer.json()["errors"][0]["source"] == {"pointer": "/fmd_code"}
    assert ana.post("/v2/fmd", {"relacion": "madre", "product_tag": third.tag}).status_code == 422


def test_a_guardian_claims_by_code_and_her_mailbox_confirms(world: World, ana: Person) -> None:
    tutora = world.register()
    let_in(world, ana, tutora, "guardian")
    with world.parts.database.writing() as tx:
        issued = issue_code(tx, world.clock.now())
    fmd_code = ana.data["attributes"]["fmd_code"]
    claimed = tutora.post(f"/v2/products/{issued.code}/claim", {"fmd_code": fmd_code})
    assert claimed.json()["data"]["attributes"] | {"is_confirmed": False} == claimed.json()["data"]["attributes"]
    world.run_jobs()
    [link] = [mail.text.partition("/etiqueta/")[2][:43] for mail in world.mails() if "/etiqueta/" in mail.text]
    assert tutora.post("/v2/products/confirm", {"token": link}).json()["data"] == {"product_codes": [issued.code]}


def test_guarded_and_delegated_records_are_listed_until_they_end(world: World, ana: Person) -> None:
    luis = world.register()
    ana.client.patch(fmd(ana), json={"personal": {"nombres": "Ana", "apellidos": "Rojas"}}, headers=ana.headers)
    let_in(world, ana, luis, hasta=(world.clock.now() + timedelta(minutes=30)).isoformat())
    seen = listed(luis)[ana.data["attributes"]["fmd_code"]]
    assert (seen["via"], seen["nombre"], seen["edita"]) == ("delegate", "Ana Rojas", False)
    let_in(world, ana, luis, "guardian", hasta=(world.clock.now() + timedelta(minutes=30)).isoformat())
    assert listed(luis)[ana.data["attributes"]["fmd_code"]]["via"] == "guardian"
    world.drain_reads()
    log = ana.get(fmd(ana, "/access-log")).json()["data"]
    assert "record.listed" in [entry["attributes"]["action"] for entry in log]
    world.clock.move(minutes=30)
    assert list(listed(luis)) == [luis.data["attributes"]["fmd_code"]]


def test_one_record_is_erased_and_the_last_goes_with_the_account(world: World, ana: Person) -> None:
    child = open_record(ana, nombres="Luis")
    path = f"/v2/fmd/{code_of(child)}"
    assert ana.delete(path, {"clave": "no es la clave"}).status_code == 422
    tutora = world.register()
    answer = ana.post(
        f"{path}/grants",
        {"correo": tutora.correo, "tipo": "guardian", "hasta": (world.clock.now() + timedelta(days=9)).isoformat()},
    )
    assert answer.status_code == 201
    world.accept_invitation(tutora)
    assert tutora.delete(path, {"clave": CLAVE}).status_code == 403
    assert ana.delete(path, {"clave": CLAVE}).json()["data"] == {"erased": True}
    assert ana.get(path).status_code == 404
    assert list(listed(ana)) == [ana.data["attributes"]["fmd_code"]]
    last = ana.delete(fmd(ana), {"clave": CLAVE})
    assert last.status_code == 409
    assert last.json()["errors"][0]["code"] == "unica_ficha"


def test_a_grown_child_takes_her_record_over(world: World, ana: Person) -> None:
    child = open_record(ana, nombres="Luisa")
    path = f"/v2/fmd/{code_of(child)}"
    luisa = world.register()
    hasta = (world.clock.now() + timedelta(days=30)).isoformat()
    offer = {"correo": luisa.correo, "tipo": "owner", "hasta": hasta, "edita": True}
    assert ana.post(f"{path}/grants", offer).status_code == 201
    assert listed(ana)[child["id"]]["via"] == "owner"
    assert world.accept_invitation(luisa).json()["data"]["attributes"]["estado"] == "waiting"
    [mail] = [mail for mail in world.mails() if "/invitacion/" in mail.text]
    assert "pasará a ser suya" in mail.text and "hasta el" not in mail.text
    assert listed(ana)[child["id"]]["via"] == "owner" and child["id"] not in listed(luisa)
    answer = world.confirm_hand_over(ana, code_of(child))
    assert answer.json()["data"] == {"handed_over": True, "nombre": "María Rojas"}
    assert listed(luisa)[child["id"]]["via"] == "owner"
    assert listed(luisa)[child["id"]]["relacion"] == "titular"
    # Ana asked to stay: that is for Luisa to say.
    assert child["id"] not in listed(ana)
    [stay] = luisa.get(f"{path}/grants").json()["data"]
    assert luisa.post(f"{path}/grants/{stay['id']}/keep").status_code == 200
    assert (listed(ana)[child["id"]]["via"], listed(ana)[child["id"]]["edita"]) == ("delegate", True)
    assert ana.post(f"{path}/grants", offer).status_code == 403
    world.clock.move(days=31)
    headers = {"Authorization": f"Bearer {world.token_for(ana.id)}"}
    assert ana.client.patch(f"{path}/cuerpo", json={"peso_kg": 1}, headers=headers).status_code == 404


def test_who_hands_over_her_only_record_leaves_and_has_an_empty_one(world: World, ana: Person) -> None:
    luis = world.register()
    first = ana.data["attributes"]["fmd_code"]
    let_in(world, ana, luis, "owner")
    assert world.confirm_hand_over(ana, ana.data["attributes"]["product_codes"][0]).status_code == 200
    assert first in listed(luis)
    [(own, attributes)] = listed(ana).items()
    assert own != first
    assert len(attributes["product_codes"]) == 1
    assert ana.get("/v2/auth/me").json()["data"]["attributes"]["fmd_code"] == own
    assert ana.client.patch(fmd(ana, "/cuerpo"), json={"peso_kg": 61}, headers=ana.headers).status_code == 404


def test_a_guardian_cannot_give_a_record_away(world: World, ana: Person) -> None:
    tutora = world.register()
    let_in(world, ana, tutora, "guardian")
    offer = {"correo": tutora.correo, "tipo": "owner", "hasta": (world.clock.now() + timedelta(days=3)).isoformat()}
    assert tutora.post(fmd(ana, "/grants"), offer).status_code == 403


def test_an_account_has_so_many_records_and_no_more(tmp_path: Path, database_url: str) -> None:
    small = build_world(settings_for(database_url, tmp_path, account_records=2))
    try:
        ana = small.register()
        open_record(ana)
        refused = ana.post("/v2/fmd", {"relacion": "madre"})
        assert refused.status_code == 409
        assert refused.json()["errors"][0]["code"] == "demasiadas_fichas"
    finally:
        small.close()


@pytest.mark.parametrize("others", [0, 7])
def test_the_list_takes_the_same_statements_for_one_and_for_many(world: World, ana: Person, others: int) -> None:
    for _ in range(others):
        open_record(ana, nombres="Luis")
    ana.get("/v2/fmd")
    with count_statements(world.parts.database) as counted:
        assert len(listed(ana)) == others + 1
    assert counted.statements == 4


def test_the_list_is_read_page_by_page(world: World, ana: Person) -> None:
    expected = {open_record(ana)["id"] for _ in range(4)} | {ana.data["attributes"]["fmd_code"]}
    seen: list[int] = []
    path = "/v2/fmd?size=2"
    while path:
        page = ana.get(path).json()
        seen += [item["id"] for item in page["data"]]
        following = page["meta"]["page"]["next"]
        path = f"/v2/fmd?size=2&cursor={following}" if following else ""
    assert seen == sorted(expected)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_whoever_may_not_open_a_record_does_not_wait_for_it_either(world: World, ana: Person) -> None:
    """Nor locks it. On SQLite, where one writes at a time, everybody waits for everybody."""
    stranger, [code] = world.register(), ana.data["attributes"]["product_codes"]
    with world.parts.database.writing() as tx:
        tx.orm.scalars(select(Record).with_for_update()).all()
        tx.orm.execute(text("SET LOCAL idle_in_transaction_session_timeout = '20s'"))  # Else a fault waits for ever.
        answer = stranger.client.patch(f"/v2/fmd/{code}/cuerpo", json={"peso_kg": 1}, headers=stranger.headers)
        assert answer.status_code == 404
        assert len(tx.orm.scalars(select(Record)).all()) == 2
