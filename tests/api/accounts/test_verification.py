"""Verifying a correo, a forgotten clave, a test mail."""

import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from ficha.accounts.accounts import Account, Role
from ficha.accounts.one_time_codes import OneTimeCode, Purpose, new_link
from ficha.products.codes import issue_code
from tests.world import CLAVE, Person, World, build_world, registration, settings_for


def code_in_newest_mail(world: World) -> str:
    world.run_jobs()
    found = re.search(r"\b\d{6}\b", world.mails()[0].text)
    assert found
    return found[0]


def link_in_newest_mail(world: World) -> str:
    world.run_jobs()
    found = re.search(r"/clave/(\w+)", world.mails()[0].text)
    assert found
    return found[1]


def wrong(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06d}"


def test_a_code_verifies_the_correo(world: World, ana: Person) -> None:
    assert ana.post("/v2/email/request-code").json()["data"] == {"state": "queued"}
    code = code_in_newest_mail(world)
    assert world.mails()[0].to == ana.correo
    answer = ana.post("/v2/email/verify-code", {"codigo": code})
    assert answer.json()["data"] == {"correo": ana.correo, "correo_verificado": True}
    assert ana.get("/v2/auth/me").json()["data"]["attributes"]["correo_verificado"] is True
    assert ana.post("/v2/email/verify-code", {"codigo": code}).status_code == 422


def test_a_code_lives_ten_minutes(world: World, ana: Person) -> None:
    ana.post("/v2/email/request-code")
    code = code_in_newest_mail(world)
    world.clock.move(minutes=10)
    assert ana.post("/v2/email/verify-code", {"codigo": code}).status_code == 422


def test_a_code_survives_four_wrong_tries_and_not_five(world: World, ana: Person) -> None:
    for tries, expected in ((4, 200), (5, 422)):
        ana.post("/v2/email/request-code")
        code = code_in_newest_mail(world)
        for _ in range(tries):
            assert ana.post("/v2/email/verify-code", {"codigo": wrong(code)}).status_code == 422
        assert ana.post("/v2/email/verify-code", {"codigo": code}).status_code == expected


def test_tries_that_come_all_at_once_count_too(world: World, ana: Person) -> None:
    ana.post("/v2/email/request-code")
    code = code_in_newest_mail(world)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: ana.post("/v2/email/verify-code", {"codigo": wrong(code)}), range(8)))
    assert ana.post("/v2/email/verify-code", {"codigo": code}).status_code == 422


def test_a_new_code_replaces_the_old_one_and_fits_nobody_else(world: World, ana: Person) -> None:
    ana.post("/v2/email/request-code")
    old = code_in_newest_mail(world)
    world.clock.move(seconds=1)
    ana.post("/v2/email/request-code")
    new = code_in_newest_mail(world)
    stranger = world.register()
    assert stranger.post("/v2/email/verify-code", {"codigo": new}).status_code == 422
    if old != new:
        assert ana.post("/v2/email/verify-code", {"codigo": old}).status_code == 422
    assert ana.post("/v2/email/verify-code", {"codigo": new}).status_code == 200


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("codigo", ["12345", "1234567", "12345a", 123456, "", "١٢٣٤٥٦", None])
def test_what_is_no_code_is_422(ana: Person, codigo: object) -> None:
    answer = ana.post("/v2/email/verify-code", {"codigo": codigo})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["source"] == {"pointer": "/codigo"}


def test_a_code_sent_to_the_old_correo_does_not_verify_the_new_one(world: World, ana: Person) -> None:
    ana.post("/v2/email/request-code")
    code = code_in_newest_mail(world)
    body = {key: ana.body[key] for key in ("cod_telefono", "telefono", "relacion", "nombre")}
    assert ana.put("/v1/local/data", body | {"correo": "nueva@ejemplo.com", "clave": CLAVE}).status_code == 200
    assert ana.post("/v2/email/verify-code", {"codigo": code}).status_code == 422
    assert ana.get("/v2/auth/me").json()["data"]["attributes"]["correo_verificado"] is False


def move_to(person: Person, correo: str) -> None:
    body = registration(correo=correo) | {"relacion": "titular"}
    body["clave"] = CLAVE
    answer = person.put("/v1/local/data", body)
    assert answer.status_code == 200, answer.text


def test_one_mailbox_gets_three_codes_whoever_asks(database_url: str, tmp_path: Path) -> None:
    limits = {"rate_limits": "on", "limit_registration": "100/minute"}
    world = build_world(settings_for(database_url, tmp_path / "data", **limits))
    people, told = [world.register() for _ in range(2)], []
    for person in people:
        move_to(person, "victima@ejemplo.com")
        told += [person.post("/v2/email/request-code").status_code for _ in range(2)]
        move_to(person, f"de-{person.id}@ejemplo.com")
    assert told == [200, 200, 200, 429]
    assert people[1].post("/v2/email/request-code").status_code == 200, "her own mailbox has had none"
    world.close()


def test_a_forgotten_clave_is_chosen_anew_by_a_link(world: World, client: TestClient, ana: Person) -> None:
    client.post("/v2/auth/password/forgot", json={"correo": ana.correo})
    token = link_in_newest_mail(world)
    answer = client.post("/v2/auth/password/reset", json={"token": token, "clave": "otra clave larga"})
    assert answer.json()["data"] == {"changed": True}
    assert ana.get("/v2/auth/me").status_code == 401
    assert world.login(ana.correo).status_code == 401
    assert world.login(ana.correo, "otra clave larga").status_code == 200
    again = client.post("/v2/auth/password/reset", json={"token": token, "clave": "y otra clave más"})
    assert again.status_code == 422 and again.json()["errors"][0]["source"] == {"pointer": "/token"}


@pytest.mark.parametrize("way", ["clave", "correo"])
def test_a_link_mailed_before_a_change_of_clave_or_correo_takes_no_account(
    world: World, client: TestClient, ana: Person, way: str
) -> None:
    """Whoever reads her old mailbox had it sent, and keeps it for later."""
    client.post("/v2/auth/password/forgot", json={"correo": ana.correo})
    link = link_in_newest_mail(world)
    changed = {"clave_nueva": "tres palabras nuevas"} if way == "clave" else {"correo": "ana.nueva@ejemplo.com"}
    body = {"cod_telefono": "+58", "telefono": "4125551111", "relacion": "madre", "nombre": "Ana", "clave": CLAVE}
    assert ana.put("/v1/local/data", body | changed).status_code == 200
    answer = client.post("/v2/auth/password/reset", json={"token": link, "clave": "la de quien la robó"})
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (422, "enlace_vencido")
    assert client.get(f"/clave/{link}").status_code == 410
    correo, clave = changed.get("correo", ana.correo), changed.get("clave_nueva", CLAVE)
    assert world.login(correo, clave).status_code == 200


def test_a_link_that_was_written_while_the_correo_changed_takes_no_account(
    world: World, client: TestClient, ana: Person
) -> None:
    """The job that sends it had read the old correo."""
    with world.parts.database.writing() as tx:
        account = tx.orm.get_one(Account, ana.id)
        now, secrets = world.clock.now(), world.parts.secrets
        link = new_link(tx, secrets, account, Purpose.CLAVE, now, minutes=60)
        account.correo = account.correo_key = "ana.nueva@ejemplo.com"
    assert client.get(f"/clave/{link}").status_code == 410
    answer = client.post("/v2/auth/password/reset", json={"token": link, "clave": "la de quien la robó"})
    assert answer.status_code == 422


def test_what_proves_a_number_and_a_sticker_outlives_a_new_correo(world: World, ana: Person) -> None:
    """The sticker that she claimed by its code is confirmed by the mailbox that she reads now."""
    with world.parts.database.writing() as tx:
        printed = issue_code(tx, world.clock.now())
    assert ana.post(f"/v2/products/{printed.code}/claim").status_code == 200
    assert ana.post("/v2/auth/phone/request-code").status_code == 200
    world.run_jobs()
    [old] = [found for mail in world.mails() if (found := re.search(r"/etiqueta/(\w+)", mail.text))]
    body = {"cod_telefono": "+58", "telefono": "4125551111", "relacion": "madre", "nombre": "Ana", "clave": CLAVE}
    assert ana.put("/v1/local/data", body | {"correo": "ana.nueva@ejemplo.com"}).status_code == 200
    assert world.client.post("/v2/products/confirm", json={"token": old[1]}).status_code == 422
    world.run_jobs()
    mails = [mail.text for mail in world.mails() if mail.to == "ana.nueva@ejemplo.com"]
    [new] = [found for text in mails if (found := re.search(r"/etiqueta/(\w+)", text))]
    confirmed = world.client.post("/v2/products/confirm", json={"token": new[1]})
    assert confirmed.json()["data"]["product_codes"] == [printed.code]
    with world.parts.database.reading() as tx:
        assert [each.purpose for each in tx.orm.scalars(select(OneTimeCode))] == ["telefono"]


def test_asking_for_a_correo_without_account_looks_the_same_and_sends_nothing(
    world: World, client: TestClient, ana: Person
) -> None:
    known = client.post("/v2/auth/password/forgot", json={"correo": ana.correo})
    unknown = client.post("/v2/auth/password/forgot", json={"correo": "nadie@ejemplo.com"})
    assert known.status_code == unknown.status_code == 200
    assert known.json()["data"] == unknown.json()["data"]
    world.run_jobs()
    assert [mail.to for mail in world.mails()] == [ana.correo]


def test_a_link_lives_an_hour_and_works_once_even_at_once(world: World, client: TestClient, ana: Person) -> None:
    client.post("/v2/auth/password/forgot", json={"correo": ana.correo})
    token = link_in_newest_mail(world)
    body = {"token": token, "clave": "otra clave larga"}
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: client.post("/v2/auth/password/reset", json=body).status_code, range(6)))
    assert Counter(answers) == {200: 1, 422: 5}
    world.run_jobs()
    world.clock.move(seconds=1)
    client.post("/v2/auth/password/forgot", json={"correo": ana.correo})
    late = link_in_newest_mail(world)
    world.clock.move(hours=1)
    assert client.post("/v2/auth/password/reset", json={"token": late, "clave": "tarde ya pasó"}).status_code == 422


def test_mails_are_in_the_reader_s_language(world: World) -> None:
    for idioma, subject in (("en", "is your Ficha code"), ("pt", "é o seu código do Ficha")):
        world.clock.move(seconds=1)
        world.register(idioma=idioma).post("/v2/email/request-code")
        world.run_jobs()
        assert subject in world.mails()[0].subject


def test_neither_code_nor_link_is_stored_in_clear(world: World, client: TestClient, ana: Person) -> None:
    ana.post("/v2/email/request-code")
    code = code_in_newest_mail(world)
    world.clock.move(seconds=1)
    client.post("/v2/auth/password/forgot", json={"correo": ana.correo})
    token = link_in_newest_mail(world)
    with world.parts.database.reading() as tx:
        rows = str(tx.connection().exec_driver_sql("SELECT * FROM one_time_codes").fetchall())
    assert token not in rows and f"'{code}'" not in rows


def test_only_an_administrator_sends_a_test_mail(world: World, ana: Person) -> None:
    assert ana.post("/v2/email/test").status_code == 403
    assert world.somebody_with(Role.STAFF).post("/v2/email/test").status_code == 403
    admin = world.somebody_with(Role.ADMIN)
    assert admin.post("/v2/email/test").json()["data"] == {"state": "queued", "via": "sandbox"}
    world.run_jobs()
    assert [mail.to for mail in world.mails()] == [admin.correo]
