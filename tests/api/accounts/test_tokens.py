"""Listing, renewing and revoking tokens."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.world import Person, World


def test_a_person_sees_her_sessions_newest_first(world: World, ana: Person) -> None:
    world.clock.move(minutes=5)
    later = Person(world.client, {}, world.login(ana.correo).json()["data"])
    listed = later.get("/v2/auth/tokens").json()
    assert [entry["attributes"]["session_key"] for entry in listed["data"]] == [
        later.data["attributes"]["session_key"],
        ana.data["attributes"]["session_key"],
    ]
    assert [entry["attributes"]["is_current"] for entry in listed["data"]] == [True, False]
    assert listed["meta"]["page"] == {"size": 50, "next": None}


def test_pages_follow_each_other_without_gaps(world: World, ana: Person) -> None:
    for _ in range(4):
        world.login(ana.correo)
    seen: list[int] = []
    cursor = None
    while True:
        listed = ana.get("/v2/auth/tokens", params={"size": 2} | ({"cursor": cursor} if cursor else {})).json()
        seen += [entry["id"] for entry in listed["data"]]
        cursor = listed["meta"]["page"]["next"]
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 5 and seen == sorted(seen, reverse=True)


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    "query", ["cursor=x", "cursor=aWQ6LTU", "cursor=%00", "size=0", "size=201", "size=a", "otro=1"]
)
def test_a_bad_page_is_422_and_names_the_parameter(ana: Person, query: str) -> None:
    answer = ana.get(f"/v2/auth/tokens?{query}")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["source"] == {"parameter": query.partition("=")[0]}


def test_expired_tokens_are_not_listed(world: World, ana: Person) -> None:
    world.clock.move(hours=2)
    again = Person(world.client, {}, world.login(ana.correo).json()["data"])
    assert len(again.get("/v2/auth/tokens").json()["data"]) == 1


def test_renewal_gives_a_new_token_for_the_same_session_and_ends_the_old_one(world: World, ana: Person) -> None:
    world.clock.move(minutes=50)
    answer = ana.post("/v2/auth/tokens")
    assert answer.status_code == 201
    renewed = Person(world.client, {}, answer.json()["data"])
    assert renewed.data["attributes"]["session_key"] == ana.data["attributes"]["session_key"]
    assert ana.get("/v2/auth/me").status_code == 401
    world.clock.move(minutes=59)
    assert renewed.get("/v2/auth/me").status_code == 200


def test_of_many_renewals_at_once_one_wins(ana: Person) -> None:
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: ana.post("/v2/auth/tokens").status_code, range(10)))
    assert Counter(answers) == {201: 1, 401: 9}


def test_a_session_can_be_ended_from_another_one(world: World, ana: Person) -> None:
    other = Person(world.client, {}, world.login(ana.correo).json()["data"])
    token_id = other.token.partition("|")[0]
    assert ana.delete(f"/v2/auth/tokens/{token_id}").json()["data"] == {"revoked": True}
    assert other.get("/v2/auth/me").status_code == 401


def test_somebody_else_s_token_and_none_at_all_are_the_same_404(world: World, ana: Person) -> None:
    stranger = world.register()
    theirs = ana.delete(f"/v2/auth/tokens/{stranger.token.partition('|')[0]}")
    none = ana.delete("/v2/auth/tokens/999999")
    assert theirs.status_code == none.status_code == 404
    assert theirs.json()["errors"] == none.json()["errors"]
    assert stranger.get("/v2/auth/me").status_code == 200


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("token_id", ["0", "-1", "x", "9223372036854775808", "1.5"])
def test_an_impossible_id_is_422(ana: Person, token_id: str) -> None:
    assert ana.delete(f"/v2/auth/tokens/{token_id}").status_code == 422


def test_use_is_written_down_after_a_while(world: World, ana: Person) -> None:
    ana.get("/v2/auth/me")
    world.parts.last_used.write(world.parts.database, 120)
    listed = ana.get("/v2/auth/tokens").json()["data"]
    assert listed[0]["attributes"]["last_used_at"] == world.clock.now().isoformat()
