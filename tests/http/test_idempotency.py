"""The same POST sent twice is done once."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from ficha.asgi.json_bodies import MAX_VALUES
from ficha.http.idempotency import meaning_of
from ficha.http.kept_answers import KeptAnswer
from tests.world import CLAVE, Person, World, registration


def test_the_first_answer_comes_again(client: TestClient, world: World) -> None:
    body = registration()
    key = {"Idempotency-Key": "alta-1"}
    first = client.post("/v2/auth/register", json=body, headers=key)
    again = client.post("/v2/auth/register", json=body, headers=key)
    assert first.status_code == again.status_code == 201
    assert first.json() == again.json()
    assert "Idempotency-Replayed" not in first.headers and again.headers["Idempotency-Replayed"] == "true"
    assert world.rows()["accounts"] == 1


def test_an_error_comes_again_too(client: TestClient, world: World) -> None:
    key = {"Idempotency-Key": "alta-2"}
    body = registration(product_code="ZZZZZZ")
    assert [client.post("/v2/auth/register", json=body, headers=key).status_code for _ in range(2)] == [404, 404]
    assert world.rows()["accounts"] == 0


def test_another_body_under_the_same_key_is_409(client: TestClient, world: World) -> None:
    key = {"Idempotency-Key": "alta-3"}
    client.post("/v2/auth/register", json=registration(), headers=key)
    answer = client.post("/v2/auth/register", json=registration(), headers=key)
    assert answer.status_code == 409
    assert answer.json()["errors"][0]["source"] == {"header": "Idempotency-Key"}
    assert world.rows()["accounts"] == 1


def test_twenty_at_once_are_done_once_and_all_get_the_answer(client: TestClient, world: World) -> None:
    body = registration()
    key = {"Idempotency-Key": "alta-4"}
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: client.post("/v2/auth/register", json=body, headers=key), range(20)))
    assert Counter(answer.status_code for answer in answers) == {201: 20}
    assert len({answer.json()["data"]["attributes"]["token"] for answer in answers}) == 1
    assert world.rows()["accounts"] == 1


def test_a_key_is_forgotten_after_a_day(client: TestClient, world: World) -> None:
    key = {"Idempotency-Key": "alta-5"}
    client.post("/v2/auth/register", json=registration(), headers=key)
    world.clock.move(hours=24)
    assert client.post("/v2/auth/register", json=registration(), headers=key).status_code == 201


def test_each_person_has_her_own_keys(world: World, ana: Person) -> None:
    luis = world.register()
    key = {"Idempotency-Key": "codigo-1"}
    assert ana.post("/v2/email/request-code", headers=key).status_code == 200
    assert "Idempotency-Replayed" not in luis.post("/v2/email/request-code", headers=key).headers
    world.run_jobs()
    assert Counter(mail.to for mail in world.mails()) == {ana.correo: 1, luis.correo: 1}


def test_the_keys_outlive_a_renewed_token(world: World, ana: Person) -> None:
    key = {"Idempotency-Key": "codigo-2"}
    ana.post("/v2/email/request-code", headers=key)
    renewed = Person(world.client, {}, ana.post("/v2/auth/tokens").json()["data"])
    assert renewed.post("/v2/email/request-code", headers=key).headers["Idempotency-Replayed"] == "true"


@pytest.mark.parametrize("path", ["/v2/auth/tokens", "/v2/auth/logout"])
def test_a_lost_answer_to_renewal_or_logout_can_be_asked_for_again(ana: Person, path: str) -> None:
    key = {"Idempotency-Key": "final-1"}
    first = ana.post(path, headers=key)
    again = ana.post(path, headers=key)
    assert again.status_code == first.status_code in (200, 201)
    assert again.json() == first.json()


def test_a_claim_whose_process_died_is_taken_over(client: TestClient, world: World) -> None:
    body = registration()
    key = {"Idempotency-Key": "alta-6"}
    client.post("/v2/auth/register", json=body, headers=key)
    with world.parts.database.writing() as tx:  # As if the process had died before the effect.
        kept = tx.orm.scalars(select(KeptAnswer)).one()
        kept.status = kept.answer = None
    world.clock.move(seconds=15)
    assert client.post("/v2/auth/register", json=body, headers=key).status_code == 422  # The correo is taken: it ran.


def test_kept_answers_hold_no_token_in_clear(world: World, client: TestClient) -> None:
    answer = client.post("/v2/auth/register", json=registration(), headers={"Idempotency-Key": "alta-7"})
    secret = answer.json()["data"]["attributes"]["token"].partition("|")[2]
    with world.parts.database.reading() as tx:
        kept = tx.orm.scalars(select(KeptAnswer)).one()
    assert kept.answer is not None
    assert secret.encode() not in kept.answer and CLAVE.encode() not in kept.answer


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("key", ["", "x" * 256, "año"])
def test_a_bad_key_is_400(client: TestClient, world: World, key: str) -> None:
    answer = client.post("/v2/auth/register", json=registration(), headers={b"Idempotency-Key": key.encode()})
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["source"] == {"header": "Idempotency-Key"}
    assert world.rows()["accounts"] == 0


def test_json_of_more_values_than_are_taken_is_not_parsed_for_its_meaning() -> None:
    """A third of a second for each MB of a stranger, who is asked for nothing before. Its bytes stand for it."""
    few, many = (b"[" + b"1," * count + b"1]" for count in (10, MAX_VALUES + 1))
    assert meaning_of("application/json", few) == meaning_of("application/json", few + b" ")
    assert meaning_of("application/json", many) != meaning_of("application/json", many + b" ")
