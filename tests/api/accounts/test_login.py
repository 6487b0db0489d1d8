"""Login, `me` and logout."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Literal

import pytest
from argon2 import Parameters, PasswordHasher, extract_parameters
from starlette.testclient import TestClient

from ficha.accounts import login
from ficha.accounts.account_changes import change_clave
from ficha.accounts.accounts import Account
from ficha.accounts.tokens import MAX_ID, tokens_of
from ficha.core.ids import secret_hash
from tests.light_claves import LIGHT
from tests.web.portal.page_session import PageUser
from tests.world import CLAVE, Person, World, registration


def test_login_answers_with_the_same_envelope_as_registration(world: World, ana: Person) -> None:
    answer = world.login(ana.correo)
    assert answer.status_code == answer.json()["meta"]["status"] == 200
    first, again = ana.data["attributes"], answer.json()["data"]["attributes"]
    assert set(first) == set(again)
    assert first["fmd_code"] == again["fmd_code"] and first["product_codes"] == again["product_codes"]
    assert first["token"] != again["token"] and first["session_key"] != again["session_key"]


def test_a_token_ends_exactly_an_hour_after_the_time_of_its_answer(world: World, ana: Person) -> None:
    world.clock.ticks = True  # Two looks at the clock are two times.
    answers = [world.client.post("/v2/auth/register", json=registration()), world.login(ana.correo)]
    answers.append(ana.post("/v2/auth/tokens"))
    for body in (answer.json() for answer in answers):
        made, ends = body["meta"]["timestamp"], body["data"]["attributes"]["expiration_date"]
        assert datetime.fromisoformat(ends) - datetime.fromisoformat(made) == timedelta(hours=1)


def test_the_correo_s_case_does_not_matter(world: World, ana: Person) -> None:
    assert world.login(ana.correo.upper()).status_code == 200


def test_a_wrong_clave_and_a_wrong_correo_get_the_same_answer(world: World, ana: Person) -> None:
    wrong_clave = world.login(ana.correo, "no-es-la-clave")
    wrong_correo = world.login("nadie@ejemplo.com")
    assert wrong_clave.status_code == wrong_correo.status_code == 401
    assert wrong_clave.json()["errors"] == wrong_correo.json()["errors"]


@pytest.mark.parametrize("path", ["/login", "/clave", "/perdida"])
def test_a_null_byte_is_in_nobodys_correo(world: World, ana: Person, path: str) -> None:
    """PostgreSQL cannot be asked about one."""
    typed = f"\0{ana.correo}"
    assert world.login(typed).status_code == 401
    answer = PageUser(world).post(path, correo=f"nadie\0{ana.correo}", cual=f"nadie\0{ana.correo}", clave=CLAVE)
    assert answer.status_code in (200, 419, 422)


def test_both_take_the_same_work(world: World, ana: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the time of the answer would tell who has an account."""
    checked: list[Parameters] = []

    class Watched(PasswordHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
            checked.append(extract_parameters(str(hash)))
            return super().verify(hash, password)

    monkeypatch.setattr(login, "_hasher", Watched.from_parameters(extract_parameters(LIGHT.hash(""))))
    login._dummy_hash.cache_clear()  # Another test may have made it, at another price.
    assert world.login(ana.correo, "no-es-la-clave").status_code == 401
    assert world.login("nadie@ejemplo.com", "no-es-la-clave").status_code == 401
    known, unknown = checked
    assert known == unknown


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    "body", [{}, {"correo": "a@b.com"}, {"correo": 1, "clave": []}, {"correo": "a", "clave": "b", "x": 1}]
)
def test_a_bad_body_is_422(client: TestClient, body: object) -> None:
    assert client.post("/v2/auth/login", json=body).status_code == 422


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    "presented",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer x",
        "Bearer 1|",
        "Bearer |abc",
        "Bearer 1|abc",
        "Bearer ١|abc",
        "Bearer -1|abc",
        "Bearer 99999999999999999999999|abc",
        "Basic YTpi",
        "Token 1|abc",
    ],
)
def test_without_a_good_token_nobody_is_recognised(client: TestClient, ana: Person, presented: str) -> None:
    answer = client.get("/v2/auth/me", headers={b"Authorization": presented.encode()} if presented else {})
    assert answer.status_code == 401
    assert answer.json()["errors"][0]["code"] == "no_autenticado"
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_another_secret_under_a_good_id_is_refused(client: TestClient, ana: Person) -> None:
    token_id, _, secret = ana.token.partition("|")
    forged = f"{token_id}|{secret[:-1]}{'0' if secret[-1] != '0' else '1'}"
    assert client.get("/v2/auth/me", headers={"Authorization": f"Bearer {forged}"}).status_code == 401


def test_only_the_hash_of_a_token_is_stored_and_it_is_sanctum_s(world: World, ana: Person) -> None:
    vector = "a" * 40 + "c95b8a25"
    assert secret_hash(vector).hex() == "10ad17fbe33e2ca2f83ed4b537a1f9c687e4612038454993a94080275f1fc207"
    secret = ana.token.partition("|")[2]
    assert len(secret) == 48
    with world.parts.database.reading() as tx:
        for table in ("tokens", "browser_sessions", "kept_answers", "accounts"):
            rows = tx.connection().exec_driver_sql(f"SELECT * FROM {table}").fetchall()
            assert secret not in str(rows)


def test_a_token_ends_after_an_hour(world: World, ana: Person) -> None:
    world.clock.move(minutes=59, seconds=59)
    assert ana.get("/v2/auth/me").status_code == 200
    world.clock.move(seconds=1)
    assert ana.get("/v2/auth/me").status_code == 401


def test_logout_ends_this_session_and_leaves_the_others(world: World, ana: Person) -> None:
    other = Person(world.client, {}, world.login(ana.correo).json()["data"])
    answer = ana.post("/v2/auth/logout")
    assert answer.status_code == 200 and answer.json()["data"] == {"sessions_ended": 1}
    assert ana.get("/v2/auth/me").status_code == 401
    assert other.get("/v2/auth/me").status_code == 200


def test_logout_of_all_ends_every_session(world: World, ana: Person) -> None:
    others = [Person(world.client, {}, world.login(ana.correo).json()["data"]) for _ in range(3)]
    assert others[0].post("/v2/auth/logout", {"all": True}).json()["data"] == {"sessions_ended": 4}
    assert {person.get("/v2/auth/me").status_code for person in [ana, *others]} == {401}


def test_me_tells_who_the_token_belongs_to(ana: Person) -> None:
    me = ana.get("/v2/auth/me").json()["data"]
    assert me["type"] == "user" and me["id"] == ana.id
    assert me["attributes"]["roles"] == ["owner"]
    assert me["attributes"]["correo_verificado"] is False
    assert "token" not in me["attributes"] and "clave" not in str(me)


@pytest.mark.full_price
def test_an_outdated_hash_is_renewed_at_login(world: World, ana: Person) -> None:
    from argon2 import PasswordHasher

    with world.parts.database.writing() as tx:
        tx.orm.get_one(Account, ana.id).clave_hash = PasswordHasher(1, 1024, 1).hash(CLAVE)
    assert world.login(ana.correo).status_code == 200
    account = world.account(ana.id)
    assert account is not None and "m=19456" in account.clave_hash
    assert world.login(ana.correo).status_code == 200


def test_a_clave_that_is_changed_while_it_is_checked_lets_nobody_in(
    world: World, ana: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches, new_hash = login.clave_matches, login.hash_clave("otra clave larga")

    def matches_and_is_changed(clave_hash: str | None, clave: str) -> bool:
        found = matches(clave_hash, clave)
        with world.parts.database.writing() as tx:
            change_clave(tx, tx.orm.get_one(Account, ana.id), new_hash, keep_token=None)
        return found

    monkeypatch.setattr(login, "clave_matches", matches_and_is_changed)
    assert world.login(ana.correo).status_code == 401
    assert PageUser(world).log_in(ana).status_code == 422
    monkeypatch.setattr(login, "clave_matches", matches)
    with world.parts.database.reading() as tx:
        assert tokens_of(tx, ana.id, world.clock.now(), after=MAX_ID, limit=5) == []
    assert world.login(ana.correo, "otra clave larga").status_code == 200


def test_many_logins_at_once_all_get_in(world: World, ana: Person) -> None:
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: world.login(ana.correo).status_code, range(20)))
    assert answers == [200] * 20
