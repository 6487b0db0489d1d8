"""Stickers: claimed, lost, retired."""

import base64
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import pytest
from PIL import Image

from ficha.fmd.access import FmdNotFound
from ficha.fmd.scanning import scan
from ficha.products.codes import IssuedCode, issue_code
from tests.qr_reader import read_qr
from tests.world import Person, World


def printed(world: World) -> IssuedCode:
    with world.parts.database.writing() as tx:
        return issue_code(tx, world.clock.now())


def own_code(person: Person) -> str:
    return str(person.data["attributes"]["product_codes"][0])


def opens(world: World, sticker: IssuedCode) -> bool:
    with world.parts.database.reading() as tx:
        try:
            scan(tx, world.parts.keyring, sticker.code, sticker.tag)
        except FmdNotFound:
            return False
    return True


def test_a_record_can_have_many_codes(world: World, ana: Person) -> None:
    sticker = printed(world)
    answer = ana.post(f"/v2/products/{sticker.code.lower()}/claim")
    assert answer.status_code == 200
    assert answer.json()["data"]["attributes"]["state"] == "claimed"
    codes = ana.get("/v2/auth/me").json()["data"]["attributes"]["product_codes"]
    assert sorted(codes) == sorted([own_code(ana), sticker.code])
    for code in codes:
        assert ana.client.put(f"/v2/fmd/{code}/cuerpo", json={"peso_kg": 61}, headers=ana.headers).status_code == 200
        assert ana.get(f"/v2/products/{code}").json()["data"]["attributes"]["state"] == "active"
    later = printed(world)
    assert ana.post(f"/v2/products/{later.code}/claim").json()["data"]["attributes"]["state"] == "claimed"
    ana.client.put(f"/v2/fmd/{own_code(ana)}/cuerpo", json={"peso_kg": 62}, headers=ana.headers)
    assert ana.get(f"/v2/products/{later.code}").json()["data"]["attributes"]["state"] == "active"


def test_a_code_of_one_s_own_is_not_claimed_again(world: World, ana: Person) -> None:
    sticker = printed(world)
    claim = f"/v2/products/{sticker.code}/claim"
    assert ana.post(claim).status_code == 200
    again = ana.post(claim)
    assert again.status_code == 409 and again.json()["errors"][0]["code"] == "codigo_propio"
    assert world.register().post(claim).status_code == 404
    assert ana.post(f"/v2/products/{sticker.code}/lost").status_code == 200
    ended = ana.post(claim)
    assert ended.status_code == 409 and ended.json()["errors"][0]["code"] == "codigo_terminado"


def test_a_sticker_opens_with_its_tag_and_with_no_other(world: World, ana: Person) -> None:
    sticker, other = printed(world), printed(world)
    assert not opens(world, sticker)
    ana.post(f"/v2/products/{sticker.code}/claim", {"product_tag": sticker.tag})
    assert opens(world, sticker)
    assert opens(world, IssuedCode(sticker.code.lower(), sticker.tag.lower()))
    assert not opens(world, IssuedCode(sticker.code, other.tag))
    assert not opens(world, IssuedCode(own_code(ana), sticker.tag))


def test_only_the_hash_of_a_tag_is_stored(world: World) -> None:
    sticker = printed(world)
    assert len(sticker.tag) == 26
    with world.parts.database.reading() as tx:
        rows = tx.connection().exec_driver_sql("SELECT * FROM products").fetchall()
    assert sticker.tag not in str(rows)


@pytest.mark.parametrize(("step", "state"), [("lost", "lost"), ("retire", "retired")])
def test_lost_and_retired_kill_the_tag_and_the_code_at_once(world: World, ana: Person, step: str, state: str) -> None:
    sticker = printed(world)
    ana.post(f"/v2/products/{sticker.code}/claim", {"product_tag": sticker.tag})
    assert opens(world, sticker)
    answer = ana.post(f"/v2/products/{sticker.code}/{step}")
    assert answer.json()["data"]["attributes"]["state"] == state
    assert not opens(world, sticker)
    assert ana.client.patch(f"/v2/fmd/{sticker.code}", json={"salud": {}}, headers=ana.headers).status_code == 404
    assert ana.get(f"/v2/products/{sticker.code}").json()["data"]["attributes"]["ended_at"]
    for again in ("lost", "retire"):
        assert ana.post(f"/v2/products/{sticker.code}/{again}").status_code == 409
    assert world.register().post(f"/v2/products/{sticker.code}/claim").status_code == 404


@pytest.mark.parametrize("step", ["lost", "retire"])
def test_whose_last_code_ends_gets_another(world: World, ana: Person, step: str) -> None:
    """By which alone the record can be opened, changed and given a sticker."""
    [code] = ana.data["attributes"]["product_codes"]
    assert ana.post(f"/v2/products/{code}/{step}").status_code == 200
    [left] = ana.get("/v2/auth/me").json()["data"]["attributes"]["product_codes"]
    assert left != code and ana.get(f"/v2/fmd/{left}").status_code == 200
    assert ana.get(f"/v2/fmd/{code}").status_code == 404


def test_of_fifty_claims_one_wins(world: World) -> None:
    people = [world.register() for _ in range(10)]
    sticker = printed(world)
    with ThreadPoolExecutor(10) as pool:
        answers = list(
            pool.map(lambda turn: people[turn % 10].post(f"/v2/products/{sticker.code}/claim").status_code, range(50))
        )
    assert Counter(answers) == {200: 1, 409: 4, 404: 45}  # Who has it already is told so.


def test_somebody_else_s_code_and_none_are_the_same_404(world: World, ana: Person) -> None:
    stranger = world.register()
    sticker = printed(world)
    for method, path in (("GET", ""), ("POST", "/tag"), ("POST", "/lost"), ("POST", "/retire")):
        answers = [
            ana.client.request(method, f"/v2/products/{code}{path}", headers=ana.headers)
            for code in (own_code(stranger), "ZZZZZZ", sticker.code)
        ]
        assert {answer.status_code for answer in answers} == {404}
        assert len({str(answer.json()["errors"]) for answer in answers}) == 1


def test_a_new_tag_opens_and_the_old_one_is_dead_at_once(world: World, ana: Person) -> None:
    sticker = printed(world)
    ana.post(f"/v2/products/{sticker.code}/claim", {"product_tag": sticker.tag})
    page = f"/e/{sticker.code}/{sticker.tag}"
    assert world.reader.get(page).status_code == 200
    answer = ana.post(f"/v2/products/{sticker.code.lower()}/tag")
    assert answer.status_code == 200 and answer.headers["cache-control"] == "no-store"
    shown = answer.json()["data"]["attributes"]
    assert shown["link"] == f"HTTP://TESTSERVER/E/{sticker.code}/{shown['tag']}" and shown["tag"] != sticker.tag
    # In the fast lane, and in the application behind it.
    for client in (world.reader, world.client):
        assert client.get(page).status_code == 410
        assert client.get(f"/E/{sticker.code}/{shown['tag']}").status_code == 200
    png = base64.b64decode(shown["png"].removeprefix("data:image/png;base64,"))
    found = read_qr(Image.open(BytesIO(png)))
    assert found is not None and found.text == shown["link"]
    assert base64.b64decode(shown["svg"].removeprefix("data:image/svg+xml;base64,")).startswith(b"<svg ")
    with world.parts.database.reading() as tx:
        assert shown["tag"] not in str(tx.connection().exec_driver_sql("SELECT * FROM products").fetchall())
    log = ana.get(f"/v2/fmd/{sticker.code}/access-log").json()["data"]
    assert "code.new_tag" in [entry["attributes"]["action"] for entry in log]


def test_a_code_made_at_registration_can_be_printed_at_home(world: World, ana: Person) -> None:
    shown = ana.post(f"/v2/products/{own_code(ana)}/tag").json()["data"]["attributes"]
    assert opens(world, IssuedCode(own_code(ana), shown["tag"]))


def test_who_only_guessed_a_code_gets_no_tag_for_it(world: World, ana: Person) -> None:
    sticker = printed(world)
    ana.post(f"/v2/products/{sticker.code}/claim")
    refused = ana.post(f"/v2/products/{sticker.code}/tag")
    assert refused.status_code == 409 and refused.json()["errors"][0]["code"] == "codigo_sin_confirmar"
    ana.post(f"/v2/products/{sticker.code}/claim", {"product_tag": sticker.tag})
    assert ana.post(f"/v2/products/{sticker.code}/tag").status_code == 200
    ana.post(f"/v2/products/{sticker.code}/lost")
    assert ana.post(f"/v2/products/{sticker.code}/tag").json()["errors"][0]["code"] == "codigo_terminado"


@pytest.mark.parametrize("code", ["ZZZZZZ", "☃", "x" * 3000])
def test_an_unknown_code_gets_no_tag(ana: Person, code: str) -> None:
    assert ana.post(f"/v2/products/{code}/tag").status_code == 404
