"""Somebody uses limits up on purpose: a fresh responder still alerts the family, and the victim still logs in."""

import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from httpx2 import Response
from starlette.testclient import TestClient

from ficha.emergencies.statements import called_in
from ficha.emergencies.steps import token_for
from ficha.http.limits import RateLimit, limit_in
from ficha.web.sticker.alert_proof import has_worked
from tests.web.sticker.sticker import ScannedSticker, emergencies, sticker_of
from tests.world import CLAVE, World, build_world, settings_for

BITS = 8
ATTACKER, VICTIM, FRESH = "203.0.113.9", "198.51.100.7", "198.51.100.8"


@pytest.fixture
def world(database_url: str, tmp_path: Path) -> Iterator[World]:
    settings = settings_for(
        database_url, tmp_path / "data", rate_limits="on", limit_typed_all="10/minute", alert_proof_bits=BITS
    )
    world = build_world(settings)
    yield world
    world.close()


def at(world: World, address: str) -> TestClient:
    client = TestClient(world.app, client=(address, 5000))
    client.portal = world.client.portal
    return client


@pytest.fixture
def flooded(world: World) -> ScannedSticker:
    """Everybody together has typed as many codes as they may."""
    sticker = sticker_of(world)
    flood(world)
    return sticker


def flood(world: World) -> None:
    for _ in range(20):
        at(world, ATTACKER).get("/e/222222")


def alert(sticker: ScannedSticker, address: str = FRESH, **form: str) -> Response:
    return at(sticker.world, address).post(f"/e/{sticker.code}/avisar", data=form)


def fields_in(page: Response) -> dict[str, str]:
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page.text))


def worked(challenge: str) -> str:
    return next(str(number) for number in count() if has_worked(challenge, str(number), BITS))


def test_a_fresh_responder_gets_the_number_to_call_and_no_name(flooded: ScannedSticker) -> None:
    page = at(flooded.world, FRESH).get(f"/e/{flooded.code}")
    assert page.status_code == 200
    assert 'href="tel:' in page.text and "Avisar a la familia" in page.text and "Ana" not in page.text
    mine = at(flooded.world, ATTACKER).get("/e/222222")  # Who typed too many is told so, and whom to call.
    assert mine.status_code == 429 and int(mine.headers["Retry-After"]) >= 1 and 'href="tel:' in mine.text


def test_links_to_answer_an_alert_and_typed_codes_are_counted_apart(world: World) -> None:
    """In one household or mobile network: who tries codes keeps no contact from her answer."""
    here, other = at(world, ATTACKER), at(world, FRESH)
    assert {here.get("/e/222222").status_code for _ in range(25)} == {200, 429}
    assert {here.get("/a/nada").status_code for _ in range(25)} == {404, 429}
    assert [other.get("/a/nada").status_code for _ in range(10)] == [404] * 10
    assert other.get(f"/e/{sticker_of(world).code}").status_code == 200


@pytest.mark.parametrize("address", [FRESH, ATTACKER])
def test_an_alert_is_paid_with_a_little_work(flooded: ScannedSticker, address: str) -> None:
    asked = alert(flooded, address, lat="10.5", lon="-66.9")
    assert asked.status_code == 200 and not emergencies(flooded.world)
    assert 'href="tel:' in asked.text and f'data-bits="{BITS}"' in asked.text
    fields = fields_in(asked)
    assert (fields["lat"], fields["lon"]) == ("10.5", "-66.9")
    paid = alert(flooded, address, **fields | {"trabajo": worked(fields["reto"])})
    assert paid.status_code == 200 and "Aviso solicitado" in paid.text and "Ana" not in paid.text
    [emergency] = emergencies(flooded.world)
    assert emergency.entrance == "typed"


def test_without_scripts_it_is_paid_by_waiting(flooded: ScannedSticker) -> None:
    fields = fields_in(alert(flooded))
    flooded.world.clock.move(seconds=10)
    early = alert(flooded, **fields)
    assert not emergencies(flooded.world) and fields_in(early) == fields and "espere 5 segundos" in early.text
    flooded.world.clock.move(seconds=5)
    assert "Aviso solicitado" in alert(flooded, **fields).text
    assert len(emergencies(flooded.world)) == 1


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("work", ["", "x", "-1", "1.5", "9" * 50, "٣"])
def test_what_is_no_work_pays_nothing(flooded: ScannedSticker, work: str) -> None:
    fields = fields_in(alert(flooded))
    if not has_worked(fields["reto"], work, BITS):
        assert fields_in(alert(flooded, **fields | {"trabajo": work}))["reto"] == fields["reto"]
        assert not emergencies(flooded.world)


def test_a_challenge_is_for_one_code_and_ten_minutes_and_only_ours(flooded: ScannedSticker) -> None:
    other = sticker_of(flooded.world)
    fields = fields_in(alert(other))
    fields["trabajo"] = worked(fields["reto"])
    alert(flooded, **fields)
    moment, _, rest = fields["reto"].partition(".")
    forged = f"{int(moment) - 60}.{rest}"
    alert(flooded, reto=forged, trabajo=worked(forged))
    flooded.world.clock.move(minutes=11)
    flood(flooded.world)
    alert(other, **fields)
    assert not emergencies(flooded.world)


def test_ten_wrong_logins_do_not_lock_the_victim_out(world: World) -> None:
    ana = world.register()

    def login(address: str, clave: str = CLAVE) -> int:
        body = {"correo": ana.correo, "clave": clave}
        return at(world, address).post("/v2/auth/login", json=body).status_code

    guesses = [login(f"{ATTACKER.rpartition('.')[0]}.{number // 4}", f"no-es-esta-{number}") for number in range(15)]
    assert guesses == [401] * 15
    assert login(VICTIM) == 200


def test_who_guesses_at_one_address_is_slowed_down_there(world: World) -> None:
    ana, guesser = world.register(), at(world, ATTACKER)
    world.app.state.limiter.limits[RateLimit.LOGIN] = world.app.state.limiter.limits[RateLimit.TOKEN]
    told = [guesser.post("/v2/auth/login", json={"correo": ana.correo, "clave": "x"}).status_code for _ in range(12)]
    assert told[:10] == [401] * 10 and told[-1] == 429
    assert at(world, VICTIM).post("/v2/auth/login", json={"correo": ana.correo, "clave": CLAVE}).status_code == 200


def test_a_known_device_and_a_mailed_link_get_through_a_crowd_of_guessers(world: World) -> None:
    ana, known = world.register(), at(world, VICTIM)
    right, wrong = {"correo": ana.correo, "clave": CLAVE}, {"correo": ana.correo, "clave": "no-es-esta"}
    assert known.post("/v2/auth/login", json=right).status_code == 200

    def crowd() -> int:
        addresses = (f"192.0.2.{number}" for number in range(25))
        return [at(world, address).post("/v2/auth/login", json=wrong).status_code for address in addresses].count(429)

    assert crowd() >= 1
    stranger = at(world, FRESH)
    assert stranger.post("/v2/auth/login", json=right).status_code == 429  # For a minute, not a quarter of an hour.
    assert known.post("/v2/auth/login", json=right).status_code == 200  # Sets all counts to zero as well,
    assert crowd() >= 1  # so they guess once more.
    assert stranger.post("/v2/auth/password/forgot", json={"correo": ana.correo}).status_code == 200
    world.run_jobs()
    token = next(found.group(1) for mail in world.mails() if (found := re.search(r"/clave/(\w+)", mail.text)))
    new = {"token": token, "clave": "otra-clave-larga"}
    assert stranger.post("/v2/auth/password/reset", json=new).status_code == 200
    crowd()
    again = stranger.post("/v2/auth/login", json={"correo": ana.correo, "clave": "otra-clave-larga"})
    assert again.status_code == 200


def test_a_device_is_known_to_one_account_only_and_its_cookie_opens_nothing(world: World) -> None:
    ana, eva = world.register(), world.register()
    device = at(world, VICTIM)
    for _ in range(2):
        assert device.post("/v2/auth/login", json={"correo": ana.correo, "clave": CLAVE}).status_code == 200
    assert device.get("/v2/auth/me").status_code == 401
    name = device.cookies["ficha_device"]
    for place in range(25):
        at(world, f"192.0.2.{place}").post("/v2/auth/login", json={"correo": eva.correo, "clave": "no"})
    for cookie in (name, name.partition(".")[0] + "." + "0" * 64, ".", ""):
        guesser = at(world, f"198.51.100.{len(cookie) % 200}")
        guesser.cookies.set("ficha_device", cookie)
        assert guesser.post("/v2/auth/login", json={"correo": eva.correo, "clave": CLAVE}).status_code == 429


def test_who_has_used_up_her_token_still_alerts_and_ends_the_alert(world: World) -> None:
    ana, sticker = world.register(), sticker_of(world)
    owner = sticker.owner
    world.app.state.limiter.limits[RateLimit.TOKEN] = limit_in("1/9999 days")
    assert [owner.get("/v2/auth/me").status_code for _ in range(3)] == [200, 429, 429]
    drill = owner.post("/v2/emergencies", {"code": sticker.code, "simulacro": True})
    assert drill.status_code == 429
    alerted = owner.post("/v2/emergencies", {"code": sticker.code, "position": {"lat": 10.5, "lng": -66.9}})
    assert alerted.status_code == 201, alerted.text
    emergency = f"/v2/emergencies/{alerted.json()['data']['id']}"
    ended = world.client.patch(emergency, json={"state": "resolved"}, headers=owner.headers)
    assert ended.status_code == 200, ended.text
    assert ana.post("/v2/emergencies", {"code": sticker.code}).status_code == 404


def test_a_contact_answers_from_an_address_that_opened_many_links(world: World) -> None:
    sticker, here = sticker_of(world), at(world, ATTACKER)
    sticker.alert()
    [emergency] = emergencies(world)
    world.do("emergencia.paso", emergency_id=emergency.id, place=1)
    with world.parts.database.reading() as tx:
        [contact_id] = called_in(tx, emergency.id)
    link = f"/a/{token_for(world.parts.secrets, emergency.id, contact_id)}"
    assert [here.get(link).status_code for _ in range(15)] == [200] * 15
    assert {here.get("/a/nada").status_code for _ in range(25)} == {404, 429}
    assert here.post("/a/nada", data={"respuesta": "voy"}).status_code == 429
    assert here.get(link).status_code == 200
    assert here.post(link, data={"respuesta": "voy"}, follow_redirects=False).status_code == 303
    assert emergencies(world)[0].state == "acknowledged"
