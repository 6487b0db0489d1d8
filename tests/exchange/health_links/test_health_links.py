"""SMART Health Links as owners make them and as doctors' programs open them."""

import json
import os
import re
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidTag
from hypothesis import given
from hypothesis import strategies as st

from ficha.accounts.accounts import Role
from ficha.cli.start_checks import MOST_ADDRESS_LETTERS, refuse_unfit
from ficha.core.settings import InsecureSettings
from ficha.exchange.health_links.encryption import SHORTEST_FILE, encrypted_file
from ficha.exchange.health_links.files import CARD_TYPE
from ficha.exchange.health_links.payload import link_payload, link_text
from ficha.exchange.jose import to_base64url
from tests.api.fmd.test_fmd import fmd, patch
from tests.api.fmd.test_grants import let_in
from tests.exchange.health_links.links import JOSE, WHO, Link, ask, listed, order, share
from tests.exchange.samples import SMALL
from tests.world import Person, World, build_world, settings_for

POLICY = {"polizas": [{"aseguradora": "Seguros del Lago", "numero": "ZQ4471"}]}


def texts(bundle: dict[str, Any]) -> str:
    return json.dumps(bundle, ensure_ascii=False)


def test_a_doctor_opens_a_link_and_the_owner_reads_who(world: World, ana: Person) -> None:
    patch(ana, "", {**SMALL, "poliza": POLICY})
    link = share(world, ana)
    payload = link.payload
    assert payload["url"].startswith("http://testserver/shl/") and len(payload["url"]) <= 128
    assert len(payload["url"].rpartition("/")[2]) == 43 and len(payload["key"]) == 43
    assert payload["v"] == 1 and payload["label"] == "Para la cardióloga" and "flag" not in payload
    assert payload["exp"] == int((world.clock.now() + timedelta(hours=1)).timestamp())
    assert Link.of(link.told["viewer_link"]).payload == payload

    answer = ask(world.client, link)
    assert answer.status_code == 200 and answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store" and set(answer.json()) == {"files"}
    summary, insurance = answer.json()["files"]
    assert {name: summary[name] for name in ("contentType", "status", "fhirVersion")} == {
        "contentType": "application/fhir+json",
        "status": "can-change",
        "fhirVersion": "4.0.1",
    }
    assert summary["lastUpdated"].startswith("2026-")
    bundle = link.bundle(summary["embedded"])
    assert bundle["type"] == "document" and "Pérez" in texts(bundle) and "ZQ4471" not in texts(bundle)
    card = link.bundle(insurance["embedded"])
    kinds = [entry["resource"]["resourceType"] for entry in card["entry"]]
    assert card["type"] == "collection" and kinds == ["Patient", "Coverage"] and "ZQ4471" in texts(card)

    told = listed(ana, link)
    assert told["state"] == "live" and told["openings"] == 1 and told["attempts_left"] is None
    assert told["opened_by"] == [{"at": told["opened_at"], "recipient": WHO}]
    assert "link" not in told, "it is told once"
    world.drain_reads()
    log = [entry["attributes"] for entry in ana.get(fmd(ana, "/access-log")).json()["data"]]
    [opening] = [entry for entry in log if entry["action"] == "link.opened"]
    assert opening["actor"] == f"link:{link.id}" and {"alergiasm", "poliza"} <= set(opening["what"])
    assert [entry["action"] for entry in log if entry["action"] == "link.created"]


def test_it_says_what_the_record_says_now_and_what_the_owner_lets_others_see(world: World, ana: Person) -> None:
    patch(ana, "", SMALL)
    link = share(world, ana, long_term=True)
    assert link.payload["flag"] == "L"
    patch(ana, "/cuerpo", {"peso_kg": 61.5})
    first = ask(world.client, link)
    assert "61.5" in texts(link.bundle(first.json()["files"][0]["embedded"]))
    assert int(first.headers["retry-after"]) > 0
    patch(ana, "", {"consentimiento": {"visibilidad": {"cuerpo": "P", "alergiasm": "P"}}})
    hidden = texts(link.bundle(ask(world.client, link).json()["files"][0]["embedded"]))
    assert "61.5" not in hidden and "enicil" not in hidden


def test_an_issued_health_card_comes_along_while_it_is_true(world: World, ana: Person) -> None:
    patch(ana, "", SMALL)
    link, kind = share(world, ana), "application/smart-health-card"
    assert kind not in [one["contentType"] for one in ask(world.client, link).json()["files"]]
    issued = ana.get(fmd(ana, "/health-card"))
    assert issued.status_code == 200
    [card] = [one for one in ask(world.client, link).json()["files"] if one["contentType"] == kind]
    header, content = link.opened(card["embedded"])
    assert header["cty"] == kind and json.loads(content) == issued.json()
    patch(ana, "", {"consentimiento": {"visibilidad": {"alergiasm": "P"}}})
    assert kind not in [one["contentType"] for one in ask(world.client, link).json()["files"]]


def test_a_fresh_nonce_each_time(world: World, ana: Person) -> None:
    link = share(world, ana)
    nonces = {ask(world.client, link).json()["files"][0]["embedded"].split(".")[2] for _ in range(20)}
    assert len(nonces) == 20


def test_the_reader_s_language(world: World, ana: Person) -> None:
    link = share(world, ana)
    told = world.client.post(link.path, json={"recipient": WHO}, headers={"Accept-Language": "pt"}).json()
    assert link.bundle(told["files"][0]["embedded"])["language"] == "pt"


def test_a_passcode_and_its_tries_for_life(world: World, ana: Person) -> None:
    link = share(world, ana, passcode="274915")
    assert link.payload["flag"] == "P" and link.told["attempts_left"] == 10
    missing = ask(world.client, link)
    assert missing.status_code == 401 and missing.json() == {"remainingAttempts": 10}, "nobody has guessed yet"
    for left in range(9, 4, -1):
        wrong = ask(world.client, link, passcode="000000")
        assert wrong.status_code == 401 and wrong.json() == {"remainingAttempts": left}
        assert wrong.headers["cache-control"] == "no-store"
    assert ask(world.client, link, passcode="274915").status_code == 200
    # A right one gives none back.
    for left in range(4, -1, -1):
        assert ask(world.client, link, passcode="").json() == {"remainingAttempts": left}
    for passcode in ("000000", "274915"):
        gone = ask(world.client, link, passcode=passcode)
        assert gone.status_code == 404
    assert listed(ana, link)["state"] == "blocked" and listed(ana, link)["openings"] == 1


def test_once_is_once(world: World, ana: Person) -> None:
    link = share(world, ana, once=True)
    answer = ask(world.client, link)
    assert answer.json()["files"][0]["status"] == "finalized"
    assert ask(world.client, link).status_code == 404
    assert listed(ana, link)["state"] == "used"


def test_a_direct_link_is_one_file(world: World, ana: Person) -> None:
    patch(ana, "", SMALL)
    link = share(world, ana, direct=True, once=True)
    assert link.payload["flag"] == "U"
    assert ask(world.client, link).status_code == 404, "it has no manifest"
    assert world.client.get(link.path).status_code == 422, "who is it?"
    assert world.client.head(link.path, params={"recipient": WHO}).status_code == 200
    answer = world.client.get(link.path, params={"recipient": WHO, "utm_source": "x"})
    assert answer.status_code == 200 and answer.headers["content-type"] == JOSE
    assert "Pérez" in texts(link.bundle(answer.text))
    assert world.client.get(link.path, params={"recipient": WHO}).status_code == 404
    other = share(world, ana)
    assert world.client.get(other.path, params={"recipient": WHO}).status_code == 404


def test_what_is_too_long_has_an_address_of_its_own_for_minutes(world: World, ana: Person) -> None:
    patch(ana, "", {**SMALL, "poliza": POLICY})
    link = share(world, ana, once=True)
    summary, insurance = ask(world.client, link, embeddedLengthMax=2500).json()["files"]
    assert "embedded" not in summary and "location" not in insurance and len(insurance["embedded"]) <= 2500
    place = summary["location"].removeprefix("http://testserver")
    for _ in range(2):  # Who lost the answer may ask again: the link itself was used up.
        file = world.client.get(place)
        assert file.status_code == 200 and file.headers["content-type"] == JOSE
        assert link.bundle(file.text)["type"] == "document"
    kind, number, ends, mark = place.rpartition("/")[2].split(".")
    forged = [
        f"i.{number}.{ends}.{mark}",
        f"{kind}.{int(number) + 1}.{ends}.{mark}",
        f"{kind}.{number}.{int(ends) + 9}.{mark}",
    ]
    for one in [*forged, "x", "s.1.2.3", f"{kind}.{number}.{ends}."]:
        assert world.client.get(f"/shl/file/{one}").status_code == 404
    world.clock.move(minutes=10)
    assert world.client.get(place).status_code == 404
    world.drain_reads()
    log = [entry["attributes"]["action"] for entry in ana.get(fmd(ana, "/access-log")).json()["data"]]
    assert log.count("link.file") == 2


def test_who_wants_none_embedded_gets_addresses_and_each_file_is_noted_when_it_is_fetched(
    world: World, ana: Person
) -> None:
    patch(ana, "", {**SMALL, "poliza": POLICY})
    assert ana.get(fmd(ana, "/health-card")).status_code == 200
    link = share(world, ana)
    files = ask(world.client, link, embeddedLengthMax=0).json()["files"]
    assert [file["contentType"] for file in files] == ["application/fhir+json"] * 2 + [CARD_TYPE]
    assert all("embedded" not in file for file in files)
    fetched = [world.client.get(file["location"].removeprefix("http://testserver")) for file in files]
    assert [link.opened(file.text)[0]["cty"] for file in fetched] == [file["contentType"] for file in files]
    world.drain_reads()
    log = [entry["attributes"] for entry in ana.get(fmd(ana, "/access-log")).json()["data"]]
    told = {name: [entry["what"] for entry in log if entry["action"] == name] for name in ("link.opened", "link.file")}
    assert told["link.opened"] == [[]] and len(told["link.file"]) == 3
    assert {"alergiasm", "poliza"} <= set().union(*told["link.file"])


def test_no_file_is_shorter_than_what_is_never_embedded() -> None:
    # Who asks for files up to that length gets none of them made.
    assert len(encrypted_file(b"k" * 32, CARD_TYPE, b"")) >= SHORTEST_FILE


def test_all_that_opens_nothing_looks_the_same(world: World, ana: Person) -> None:
    ended, expired, used = (share(world, ana, once=True) for _ in range(3))
    lasting = share(world, ana, ends_at=(world.clock.now() + timedelta(days=300)).isoformat())
    place = (
        ask(world.client, used, embeddedLengthMax=1).json()["files"][0]["location"].removeprefix("http://testserver")
    )
    assert ana.delete(fmd(ana, f"/links/{ended.id}")).json()["data"]["attributes"]["state"] == "ended"
    assert ana.delete(fmd(ana, f"/links/{ended.id}")).status_code == 200, "ending twice is ending"
    assert ana.delete(fmd(ana, f"/links/{used.id}")).status_code == 200
    assert world.client.get(place).status_code == 404, "its files end with it"
    answers = [ask(world.client, link) for link in (ended, used)]
    answers += [world.client.post(path, json={"recipient": WHO}) for path in ("/shl/x", "/shl/" + "A" * 43)]
    answers.append(world.client.get("/shl/file/x"))
    assert ask(world.client, lasting).status_code == 200
    world.clock.move(hours=1)
    answers.append(ask(world.client, expired))
    # The account's only record cannot be erased alone: all of it goes.
    assert ask(world.client, lasting).status_code == 200
    ana = Person(ana.client, ana.body, {**ana.data, "attributes": {"token": world.token_for(ana.id)}})
    assert ana.delete("/v1/local/data", {"clave": ana.body["clave"]}).status_code == 200
    answers.append(ask(world.client, lasting))
    assert world.rows()["health_links"] == world.rows()["health_link_openings"] == 0
    assert {(answer.status_code, answer.content) for answer in answers} == {(404, b'{"error":"not_active"}')}


def test_links_end_with_the_right_of_who_gave_them(world: World, ana: Person) -> None:
    tutora, heir = world.register(), world.register()
    let_in(world, ana, tutora, "guardian", hasta=None)
    made = tutora.post(fmd(ana, "/links"), order(world))
    assert made.status_code == 201
    theirs, hers = Link.of(made.json()["data"]["attributes"]["link"]), share(world, ana)
    assert ask(world.client, theirs).status_code == ask(world.client, hers).status_code == 200
    [grant] = ana.get(fmd(ana, "/grants")).json()["data"]
    assert ana.delete(fmd(ana, f"/grants/{grant['id']}")).status_code == 200
    assert ask(world.client, theirs).status_code == 404 and ask(world.client, hers).status_code == 200
    let_in(world, ana, tutora, "guardian", hasta=None)
    assert ask(world.client, theirs).status_code == 404, "it does not come back with another right"
    let_in(world, ana, heir, "owner", hasta=None)
    assert world.confirm_hand_over(ana, fmd(ana).rpartition("/")[2]).status_code == 200
    assert ask(world.client, hers).status_code == 404
    told = heir.get(fmd(ana, "/links")).json()["data"]
    assert {one["attributes"]["state"] for one in told} == {"ended"}


def test_whose_links_they_are(world: World, ana: Person) -> None:
    link, luis, other = share(world, ana), world.register(), world.register()
    strangers = [other, world.somebody_with(Role.ADMIN)]
    for who in strangers:
        assert who.get(fmd(ana, "/links")).status_code == 404
        assert who.post(fmd(ana, "/links"), order(world)).status_code == 404
        assert who.delete(fmd(ana, f"/links/{link.id}")).status_code == 404
    let_in(world, ana, luis, edita=True)
    assert luis.get(fmd(ana, "/links")).status_code == luis.post(fmd(ana, "/links"), order(world)).status_code == 403
    assert luis.delete(fmd(ana, f"/links/{link.id}")).status_code == 403
    # Through a record of one's own nobody ends what is another's.
    assert other.delete(fmd(other, f"/links/{link.id}")).status_code == 404
    assert listed(ana, link)["state"] == "live"


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"label": ""}, "/label"),
        ({"label": "x" * 81}, "/label"),
        ({"ends_at": "2020-01-01T00:00:00+00:00"}, "/ends_at"),
        ({"ends_at": "2099-01-01T00:00:00+00:00"}, "/ends_at"),
        ({"ends_at": "mañana"}, "/ends_at"),
        ({"passcode": "12345"}, "/passcode"),
        ({"passcode": 274915}, "/passcode"),
        ({"passcode": "274915", "direct": True}, "/passcode"),
        ({"once": True, "long_term": True}, "/long_term"),
        ({"once": "yes"}, "/once"),
        ({"recipient": "x"}, "/recipient"),
    ],
)
def test_what_fits_nowhere_is_refused_and_makes_nothing(
    world: World, ana: Person, changes: dict[str, Any], pointer: str
) -> None:
    before = world.rows()
    refused = ana.post(fmd(ana, "/links"), order(world, **changes))
    assert refused.status_code == 422 and refused.json()["errors"][0]["source"]["pointer"] == pointer
    assert world.rows() == before


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    "body",
    [{}, {"recipient": ""}, {"recipient": " "}, {"recipient": 7}, {"recipient": "x" * 201}, {"recipient": "a\0b"}, []]
    + [{"recipient": WHO, "embeddedLengthMax": bad} for bad in (-1, "many", 1.5)]
    + [{"recipient": WHO, "passcode": 274915}],
)
def test_a_bad_request_opens_nothing(world: World, ana: Person, body: Any) -> None:
    link = share(world, ana, once=True)
    assert world.client.post(link.path, json=body).status_code == 422
    assert world.client.post(link.path, content=b"{").status_code in (400, 415)
    assert listed(ana, link)["openings"] == 0
    # What it does not know it ignores, and no cookie or key of ours counts.
    keyed = world.client.post(
        link.path,
        json={"recipient": WHO, "unknown": {"x": 1}},
        headers={"Idempotency-Key": "one-two-three", "Cookie": "x=y"},
    )
    assert keyed.status_code == 200
    again = world.client.post(link.path, json={"recipient": WHO}, headers={"Idempotency-Key": "one-two-three"})
    assert again.status_code == 404


def test_a_repetition_with_its_key_makes_one_link(world: World, ana: Person) -> None:
    body, headers = order(world), {"Idempotency-Key": "enlace-1-para-la-cardiologa"}
    first, again = (ana.post(fmd(ana, "/links"), body, headers=headers) for _ in range(2))
    assert first.json() == again.json() and again.headers["Idempotency-Replayed"] == "true"
    assert first.headers["location"] == fmd(ana, "/links")
    assert len(ana.get(fmd(ana, "/links")).json()["data"]) == 1


def test_scripts_of_any_origin_may_ask(world: World, ana: Person) -> None:
    link = share(world, ana)
    origin = {"Origin": "https://viewer.example.org"}
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    before = world.client.options(link.path, headers=origin | asked)
    assert before.status_code == 200 and before.headers["access-control-allow-origin"] == "*"
    assert "content-type" in before.headers["access-control-allow-headers"].lower()
    for path in (link.path, "/shl/none"):
        answer = world.client.post(path, json={"recipient": WHO}, headers=origin)
        assert answer.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-origin" not in ana.get(fmd(ana, "/links"), headers=origin).headers


def test_what_is_kept_opens_nothing(world: World, ana: Person) -> None:
    """Neither the secret nor the key, nor a word of the label, the passcode or who opened it."""
    link = share(world, ana, passcode="una-clave-larga")
    ask(world.client, link, passcode="una-clave-larga")
    secret = link.payload["url"].rpartition("/")[2]
    with world.parts.database.reading() as tx:
        connection = tx.orm.connection()
        rows = [
            tuple(row)
            for table in ("health_links", "health_link_openings", "audit_entries", "events", "jobs", "idempotency_keys")
            if connection.dialect.has_table(connection, table)
            for row in connection.exec_driver_sql(f"SELECT * FROM {table}").all()
        ]
    kept = b"".join(
        bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode() for row in rows for value in row
    )
    for told in (secret, link.payload["key"], "cardióloga", "una-clave-larga", WHO):
        assert told.encode() not in kept


def test_a_key_is_gone_when_its_link_is_over_and_the_rest_after_a_year(world: World, ana: Person) -> None:
    link = share(world, ana)
    ask(world.client, link)
    world.clock.move(hours=2)
    world.do("limpieza")
    with world.parts.database.reading() as tx:
        [kept] = tx.orm.connection().exec_driver_sql("SELECT sealed_key FROM health_links").all()
    assert kept == (None,)
    world.drain_reads()
    ana = Person(
        ana.client, ana.body, {**ana.data, "attributes": ana.data["attributes"] | {"token": world.token_for(ana.id)}}
    )
    assert listed(ana, link)["state"] == "expired" and listed(ana, link)["opened_by"]
    world.clock.move(days=366)
    world.do("limpieza")
    assert world.rows()["health_links"] == world.rows()["health_link_openings"] == 0


def test_a_record_has_so_many_links_and_no_more(world: World, ana: Person) -> None:
    for _ in range(50):
        share(world, ana)
    full = ana.post(fmd(ana, "/links"), order(world))
    assert full.status_code == 409 and full.json()["errors"][0]["code"] == "demasiados_enlaces"


def test_who_asks_too_often_waits(database_url: str, tmp_path: Path) -> None:
    """Each link for itself: a program that polls one keeps nobody from another."""
    world = build_world(settings_for(database_url, tmp_path / "data", rate_limits="on", limit_health_link="3/minute"))
    try:
        ana = world.register()
        link, other = share(world, ana, long_term=True), share(world, ana)
        assert [ask(world.client, link).status_code for _ in range(4)] == [200, 200, 200, 429]
        assert 0 < int(ask(world.client, link).headers["retry-after"]) <= 60
        assert ask(world.client, other).status_code == 200
        world.clock.move(minutes=2)
        assert ask(world.client, link).status_code == 200
    finally:
        world.close()


def test_a_file_that_is_fetched_again_and_again_counts_for_its_link(database_url: str, tmp_path: Path) -> None:
    """Each is made anew, and is a line in the owner's log."""
    world = build_world(settings_for(database_url, tmp_path / "data", rate_limits="on", limit_health_link="3/minute"))
    try:
        ana = world.register()
        link, other = share(world, ana, once=True), share(world, ana)
        [file, *_] = ask(world.client, link, embeddedLengthMax=0).json()["files"]
        place = file["location"].removeprefix("http://testserver")
        answers = [world.client.get(place) for _ in range(4)]
        assert [answer.status_code for answer in answers] == [200, 200, 429, 429]
        assert 0 < int(answers[-1].headers["retry-after"]) <= 60
        world.drain_reads()
        log = ana.get(fmd(ana, "/access-log")).json()["data"]
        assert [one["attributes"]["action"] for one in log].count("link.file") == 2
        assert ask(world.client, other).status_code == 200
        world.clock.move(minutes=2)
        assert world.client.get(place).status_code == 200
    finally:
        world.close()


@given(
    label=st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=80),
    flag=st.sampled_from(["", "L", "P", "LP", "U", "LU"]),
)
def test_any_label_is_read_back_from_its_link(label: str, flag: str) -> None:
    url, ends = "https://ficha.example/shl/" + "A" * 43, datetime(2033, 1, 31, tzinfo=UTC)
    text = link_text(link_payload(url, "k" * 43, ends, flag, label))
    known = {"url": url, "key": "k" * 43, "exp": int(ends.timestamp()), "v": 1}
    assert Link.of(text).payload == known | ({"flag": flag} if flag else {}) | ({"label": label} if label else {})
    assert re.fullmatch(r"shlink:/[A-Za-z0-9_-]+", text)


@given(content=st.binary(max_size=5_000))
def test_any_file_is_read_back_by_its_key_and_by_no_other(content: bytes) -> None:
    key, other = b"k" * 32, b"o" * 32
    sealed = encrypted_file(key, "application/fhir+json", content)
    link = Link({"key": to_base64url(key)}, 0, {})
    assert link.opened(sealed)[1] == content
    with pytest.raises(InvalidTag):
        Link({"key": to_base64url(other)}, 0, {}).opened(sealed)
    assert encrypted_file(key, "application/fhir+json", content).split(".")[2] != sealed.split(".")[2]


def test_an_address_that_is_too_long_is_no_link() -> None:
    with pytest.raises(ValueError, match="128"):
        link_payload("https://" + "x" * 121, "k" * 43, datetime(2033, 1, 31, tzinfo=UTC), "", "x")


def test_the_longest_address_of_a_service_still_makes_links(database_url: str, tmp_path: Path) -> None:
    """The service does not start with one more letter: sharing would fail."""
    longest = f"https://{'a' * 60}.example".ljust(MOST_ADDRESS_LETTERS, "e")
    settings = settings_for(database_url, tmp_path / "data", base_url=f"{longest}/")
    refuse_unfit(settings)
    world = build_world(settings)
    link = share(world, world.register())
    assert len(link.payload["url"]) == 128 and link.payload["url"].startswith(f"{longest}/shl/")
    world.close()
    with pytest.raises(InsecureSettings, match=r"FICHA_BASE_URL has 81 letters\. It may have 80 at most"):
        refuse_unfit(settings_for(database_url, tmp_path / "data", base_url=f"{longest}e"))


# A thousand where nothing else is asked of the machine.
TRIES = 1_000 if "FICHA_STORM" in os.environ else 60


def test_tries_at_once_are_counted_one_by_one(world: World, ana: Person) -> None:
    """However many come together: of all passcodes that were tried, ten were looked at."""
    link = share(world, ana, passcode="274915")
    answers = at_once(world, link, [{"passcode": f"{number:06}"} for number in range(TRIES)])
    told = [answer.json() for answer in answers]
    assert sorted(one["remainingAttempts"] for one in told if "remainingAttempts" in one) == list(range(10))
    assert [answer.status_code for answer in answers].count(404) == TRIES - 10
    assert ask(world.client, link, passcode="274915").status_code == 404


def test_of_many_at_once_one_opens_what_opens_once(world: World, ana: Person) -> None:
    link = share(world, ana, once=True)
    statuses = [answer.status_code for answer in at_once(world, link, [{}] * 30)]
    assert statuses.count(200) == 1 and statuses.count(404) == 29
    assert listed(ana, link)["openings"] == len(listed(ana, link)["opened_by"]) == 1


def at_once(world: World, link: Link, bodies: list[dict[str, Any]]) -> list[Any]:
    """All of them in threads of their own, begun together."""
    answers: list[Any] = [None] * len(bodies)
    reader = world.reader  # Once: each thread that asked for it first would start a server of its own.
    gate = threading.Barrier(min(len(bodies), 30))

    def send(which: int) -> None:
        gate.wait()
        for index in range(which, len(bodies), gate.parties):
            answers[index] = ask(reader, link, **bodies[index])

    threads = [threading.Thread(target=send, args=(which,)) for which in range(gate.parties)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers
