"""Who is let in: the same people as on the other lane, and the same words to those who are not."""

from datetime import timedelta
from typing import Any

import pytest
from httpx2 import Response
from sqlalchemy import update

from ficha.accounts.accounts import Account, Role
from ficha.audit.log import Actor
from ficha.fmd.grants import Grant, GrantKind, end_grants
from ficha.fmd.records import erase_record, records_of
from ficha.products.product import Product, ProductState
from tests.fastlane.lane import SALUD, Lane, code_of, path_of
from tests.world import CLAVE, Person

READS = ["", "/exists", "/models", "/salud", "/salud/exists"]
OURS = {"Origin": "http://testserver"}


def content_of(answer: Response) -> tuple[int, Any, dict[str, str]]:
    headers = {name: value for name, value in answer.headers.items() if name != "x-request-id"}
    return answer.status_code, answer.json(), headers


@pytest.mark.parametrize("below", READS)
def test_strangers_get_the_401_of_the_other_lane(lane: Lane, ana: Person, below: str) -> None:
    expected = content_of(lane.get("/v2/auth/me"))
    assert expected[0] == 401
    number, _, secret = ana.token.partition("|")
    for authorization in (
        None,
        "",
        "Bearer",
        "Bearer x",
        f"Basic {ana.token}",
        f"Bearer {number}|{secret[:-1]}x",
        f"Bearer {int(number) + 999}|{secret}",
        f"Bearer {'9' * 30}|{secret}",
        f"Bearer {secret}",
        "Bearer 1|ñandú",
    ):
        headers = {} if authorization is None else {b"Authorization": authorization.encode()}
        assert content_of(lane.client.get(path_of(ana, below), headers=headers)) == expected, authorization
    assert not lane.noted_reads()


def test_bearer_is_read_as_generously_as_on_the_other_lane(lane: Lane, ana: Person) -> None:
    for text in (f"bearer {ana.token}", f"Bearer   {ana.token} "):
        assert lane.get(path_of(ana, "/exists"), Authorization=text).status_code == 200


def test_an_expired_token_is_none(lane: Lane, ana: Person) -> None:
    lane.world.clock.move(minutes=59)
    assert lane.get(path_of(ana, "/exists"), ana).status_code == 200
    lane.world.clock.move(minutes=1)
    assert lane.get(path_of(ana, "/exists"), ana).status_code == 401


def test_a_revoked_token_is_none(lane: Lane, ana: Person) -> None:
    ana.post("/v2/auth/logout", {})
    assert lane.get(path_of(ana, "/exists"), ana).status_code == 401


@pytest.mark.parametrize("path", ["/v2/auth/me", "/v2/fmd/{code}/exists"])
def test_an_account_that_vanished_is_none(lane: Lane, ana: Person, path: str) -> None:
    """On both lanes, with its token and with its browser session."""
    path = path.format(code=code_of(ana))
    _log_in(lane, ana)
    with lane.world.parts.database.writing() as tx:
        soon = lane.world.clock.now() + timedelta(minutes=5)
        tx.orm.execute(update(Account).where(Account.id == ana.id).values(vanishes_at=soon))
    assert lane.get(path, ana).status_code == lane.get(path, None, **OURS).status_code == 200
    lane.world.clock.move(minutes=5)
    assert lane.get(path, ana).status_code == lane.get(path, None, **OURS).status_code == 401


@pytest.mark.parametrize("below", READS)
def test_what_one_may_not_see_is_what_does_not_exist(lane: Lane, ana: Person, below: str) -> None:
    """Unknown, printed, lost, erased, somebody else's: one answer, also for staff."""
    lane.save(ana, salud=SALUD)
    others = [lane.world.register(), *(lane.world.somebody_with(role) for role in (Role.STAFF, Role.ADMIN))]
    for other in others:
        expected = content_of(lane.get(f"/v2/fmd/222222{below}", other))
        assert expected[0] == 404 and expected[1]["errors"][0]["code"] == "ficha_no_encontrada"
        assert content_of(lane.get(path_of(ana, below), other)) == expected
    _set_state(lane, code_of(ana), ProductState.LOST)
    assert content_of(lane.get(path_of(ana, below), ana)) == expected
    _set_state(lane, code_of(ana), ProductState.ACTIVE)
    assert lane.get(path_of(ana, below), ana).status_code == 200
    with lane.world.parts.database.writing() as tx:
        erase_record(tx, records_of(tx, ana.id)[0], Actor("account", ana.id), lane.world.clock.now())
    assert content_of(lane.get(path_of(ana, below), ana)) == expected


def test_the_404_is_that_of_the_other_lane(lane: Lane, ana: Person) -> None:
    other = lane.client.patch("/v2/fmd/222222", json={"salud": {}}, headers=ana.headers)
    assert content_of(lane.get("/v2/fmd/222222", ana)) == content_of(other)


@pytest.mark.parametrize("kind", list(GrantKind))
def test_a_grant_opens_until_it_ends_or_is_withdrawn(lane: Lane, ana: Person, kind: GrantKind) -> None:
    eva = lane.world.register()
    lane.grant(ana, eva, kind, days=0.01)
    assert lane.get(path_of(ana), eva).status_code == 200
    lane.world.clock.move(days=0.01)
    assert lane.get(path_of(ana), eva).status_code == 404
    grant = lane.grant(ana, eva, kind)
    assert lane.get(path_of(ana), eva).status_code == 200
    with lane.world.parts.database.writing() as tx:
        assert end_grants(tx, grant.record_id, lane.world.clock.now(), Grant.id == grant.id)
    assert lane.get(path_of(ana), eva).status_code == 404


def test_a_page_of_ours_needs_only_its_cookie(lane: Lane, ana: Person) -> None:
    lane.save(ana, salud=SALUD)
    _log_in(lane, ana)
    answer = lane.get(path_of(ana, "/salud"), None, **OURS)
    assert answer.status_code == 200 and answer.json()["data"]["attributes"]["data"] == SALUD
    renewed = answer.headers.get_list("set-cookie")
    assert [cookie.partition("=")[0] for cookie in renewed] == ["ficha_session", "XSRF-TOKEN"]
    # The cookie of another site's page counts for nothing.
    assert lane.get(path_of(ana, "/salud"), Origin="https://evil.example").status_code == 401
    assert lane.get(path_of(ana, "/salud")).status_code == 401


def test_the_session_wins_over_the_token_and_a_dead_one_gives_way(lane: Lane, ana: Person) -> None:
    eva = lane.world.register()
    _log_in(lane, ana)
    assert lane.get(path_of(ana, "/exists"), eva, **OURS).status_code == 200
    assert lane.get(path_of(eva, "/exists"), eva, **OURS).status_code == 404
    lane.client.cookies.clear()
    lane.client.cookies.set("ficha_session", "x" * 43)
    assert lane.get(path_of(eva, "/exists"), eva, **OURS).status_code == 200


def test_a_session_lives_by_its_own_clock_and_use_renews_it(lane: Lane, ana: Person) -> None:
    _log_in(lane, ana)
    parts = lane.world.parts
    for _ in range(3):  # Longer than a token lives, and in all longer than a session does unused.
        lane.world.clock.move(minutes=100)
        assert lane.get(path_of(ana, "/exists"), None, **OURS).status_code == 200
        parts.last_used.write(parts.database, parts.settings.session_minutes)
    lane.world.clock.move(minutes=parts.settings.session_minutes)
    assert lane.get(path_of(ana, "/exists"), None, **OURS).status_code == 401


def test_use_of_a_token_is_noted(lane: Lane, ana: Person) -> None:
    lane.get(path_of(ana, "/exists"), ana)
    lane.world.parts.last_used.write(lane.world.parts.database, 120)
    assert ana.get("/v2/auth/tokens").json()["data"][0]["attributes"]["last_used_at"] == "2026-11-15T12:00:00+00:00"


def _log_in(lane: Lane, person: Person) -> None:
    lane.client.get("/sanctum/csrf-cookie", headers=OURS)
    answer = lane.client.post(
        "/v2/auth/login",
        json={"correo": person.correo, "clave": CLAVE},
        headers=OURS | {"Sec-Fetch-Site": "same-origin"},
    )
    assert answer.status_code == 200, answer.text


def _set_state(lane: Lane, code: str, state: ProductState) -> None:
    with lane.world.parts.database.writing() as tx:
        tx.orm.execute(update(Product).where(Product.code == code).values(state=state))
