"""The Local group: the caller's own account."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from ficha.audit.chain import AuditEntry
from ficha.audit.verify_entries import verify_record
from ficha.core.secrets import KeyDestroyed
from ficha.fmd.records import Record
from ficha.jobs.table import jobs
from ficha.products.product import Product
from tests.world import CLAVE, Person, World, build_world, registration, settings_for


def data(**changes: Any) -> dict[str, Any]:
    return {"cod_telefono": "+57", "telefono": "3011234567", "relacion": "titular", "nombre": "Ana Nueva"} | changes


def test_local_login_and_logout_follow_the_same_rules(client: TestClient, world: World, ana: Person) -> None:
    answer = client.post("/v1/local/login", json={"correo": ana.correo, "clave": CLAVE})
    assert answer.status_code == 200
    local = Person(client, {}, answer.json()["data"])
    assert set(local.data["attributes"]) == set(ana.data["attributes"])
    assert local.post("/v1/local/logout").status_code == 200
    assert local.get("/v2/auth/me").status_code == 401
    assert client.post("/v1/local/login", json={"correo": ana.correo, "clave": "otra"}).status_code == 401


def test_a_person_changes_her_data(world: World, ana: Person) -> None:
    answer = ana.put("/v1/local/data", data(idioma="pt"))
    assert answer.status_code == 200
    me = ana.get("/v2/auth/me").json()["data"]["attributes"]
    assert (me["nombre"], me["cod_telefono"], me["telefono"], me["idioma"]) == ("Ana Nueva", "+57", "3011234567", "pt")
    account = world.account(ana.id)
    assert account is not None and account.telefono_e164 == "+573011234567"


@pytest.mark.parametrize("changes", [{"correo": "otra@ejemplo.com"}, {"clave_nueva": "una clave nueva"}])
def test_correo_and_clave_change_only_with_the_clave(world: World, ana: Person, changes: dict[str, str]) -> None:
    without = ana.put("/v1/local/data", data(**changes))
    wrong = ana.put("/v1/local/data", data(**changes, clave="no es la clave"))
    assert without.status_code == wrong.status_code == 422
    assert {answer.json()["errors"][0]["source"]["pointer"] for answer in (without, wrong)} == {"/clave"}
    assert world.login(ana.correo).status_code == 200
    assert ana.put("/v1/local/data", data(**changes, clave=CLAVE)).status_code == 200


def test_a_new_clave_ends_the_other_sessions_and_is_announced(world: World, ana: Person) -> None:
    other = Person(world.client, {}, world.login(ana.correo).json()["data"])
    assert ana.put("/v1/local/data", data(clave_nueva="una clave nueva", clave=CLAVE)).status_code == 200
    assert ana.get("/v2/auth/me").status_code == 200
    assert other.get("/v2/auth/me").status_code == 401
    assert world.login(ana.correo).status_code == 401
    assert world.login(ana.correo, "una clave nueva").status_code == 200
    world.run_jobs()
    assert [(mail.to, mail.subject) for mail in world.mails()] == [(ana.correo, "Su clave cambió")]


@pytest.mark.parametrize(
    ("idioma", "said"),
    [
        ("es", "Si no fue usted, escríbanos"),
        ("en", "If it was not you, write to us"),
        ("pt", "Se não foi você, escreva para nós"),
    ],
)
def test_the_mailbox_of_before_is_told_of_a_new_correo(world: World, ana: Person, idioma: str, said: str) -> None:
    """Whoever has her session and her clave takes the account with it; she reads the old mailbox alone."""
    changes = {"correo": "otra@ejemplo.com", "clave_nueva": "una clave nueva", "clave": CLAVE, "idioma": idioma}
    assert ana.put("/v1/local/data", data(**changes)).status_code == 200
    with world.parts.database.reading() as tx:
        assert not any(ana.correo in str(payload) for payload in tx.orm.scalars(select(jobs.c.payload)))
    world.run_jobs()
    [told] = [mail for mail in world.mails() if mail.to == ana.correo]
    assert said in told.text and "otra@ejemplo.com" not in told.text


def test_the_same_mailbox_written_otherwise_is_told_nothing(world: World, ana: Person) -> None:
    assert ana.put("/v1/local/data", data(correo=ana.correo.upper(), clave=CLAVE)).status_code == 200
    world.run_jobs()
    assert world.mails() == []


def test_whether_a_correo_is_taken_is_told_a_few_times_a_minute(database_url: str, tmp_path: Path) -> None:
    """As at registration: else an account of one's own finds out who has one."""
    limits = {"rate_limits": "on", "limit_registration": "4/minute"}
    world = build_world(settings_for(database_url, tmp_path / "data", **limits))
    asking, other = world.register(), world.register()
    taken = data(correo=other.correo, clave=CLAVE)
    answers = [asking.put("/v1/local/data", body).status_code for body in (taken, taken, taken, data())]
    world.close()
    assert answers == [422, 422, 429, 200]


def test_somebody_else_s_correo_cannot_be_taken(world: World, ana: Person) -> None:
    stranger = world.register()
    answer = ana.put("/v1/local/data", data(correo=stranger.correo.upper(), clave=CLAVE))
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["source"] == {"pointer": "/correo"}
    assert ana.get("/v2/auth/me").json()["data"]["attributes"]["nombre"] == "Ana Pérez"


def test_deleting_asks_for_the_clave(world: World, ana: Person) -> None:
    before = world.rows()
    for body in ({}, {"clave": "no es la clave"}, {"clave": CLAVE, "x": 1}, None):
        assert ana.delete("/v1/local/data", body).status_code == 422
    assert world.rows() == before
    assert ana.get("/v2/auth/me").status_code == 200


def test_deleting_destroys_the_key_and_keeps_the_log(world: World, ana: Person) -> None:
    code, fmd_code = ana.data["attributes"]["product_codes"][0], ana.data["attributes"]["fmd_code"]
    other = Person(world.client, {}, world.login(ana.correo).json()["data"])
    assert ana.delete("/v1/local/data", {"clave": CLAVE}).json()["data"] == {"erased": True}
    assert ana.get("/v2/auth/me").status_code == other.get("/v2/auth/me").status_code == 401
    assert world.login(ana.correo).status_code == 401
    with world.parts.database.reading() as tx:
        record = tx.orm.get_one(Record, fmd_code)
        assert record.erased_at is not None and record.account_id is None
        with pytest.raises(KeyDestroyed):
            record.open_key(world.parts.keyring)
        assert tx.orm.get_one(Product, code).state == "retired"
        actions = [entry.action for entry in tx.orm.query(AuditEntry).order_by(AuditEntry.seq)]
        assert actions == ["record.created", "record.erased"]
        assert verify_record(tx, fmd_code) == []


def test_after_deleting_the_correo_is_free_and_the_codes_are_not(world: World, ana: Person) -> None:
    ana.delete("/v1/local/data", {"clave": CLAVE})
    again = world.register(correo=ana.correo)
    assert again.id != ana.id
    assert again.data["attributes"]["product_codes"] != ana.data["attributes"]["product_codes"]
    code = ana.data["attributes"]["product_codes"][0]
    assert world.client.post("/v2/auth/register", json=registration(product_code=code)).status_code == 404
