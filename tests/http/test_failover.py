"""A PostgreSQL that is frozen, cut off or read-only: nobody waits for it for long, and the next one is asked."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text
from sqlalchemy.exc import OperationalError

from tests.databases import disconnect
from tests.emergencies.scenario import EmergencyScenario, contact
from tests.processes import environment, ficha
from tests.silent_proxy import SilentProxy
from tests.world import World, build_world, registration, settings_for

pytestmark = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)

KEY = {"Idempotency-Key": "one-and-the-same"}


@pytest.fixture
def proxies(database_url: str) -> Iterator[list[SilentProxy]]:
    """Two ways to the same database, as to a primary and to the one that takes its place."""
    disconnect(database_url)  # No connection of theirs is kept for the next test.
    with ExitStack() as stack:
        yield [stack.enter_context(SilentProxy(database_url)) for _ in range(2)]


def address(database_url: str, *proxies: SilentProxy, more: str = "") -> str:
    """As PostgreSQL documents it."""
    url = make_url(database_url)
    hosts = ",".join(f"127.0.0.1:{proxy.port}" for proxy in proxies)
    return f"postgresql://{url.username}@{hosts}/{url.database}{more}"


@pytest.fixture
def hurried(database_url: str, proxies: list[SilentProxy], tmp_path: Path) -> Iterator[World]:
    """A service that soon gives up who does not answer, and has another to ask. Its clock stands still: no claim ends
    by itself."""
    url = address(database_url, *proxies, more="?target_session_attrs=read-write&connect_timeout=2")
    world = build_world(settings_for(url, tmp_path / "data", database_answer_seconds=1.5))
    yield world
    proxies[0].speak()
    world.close()


def accounts(world: World) -> int:
    return world.rows()["accounts"]


def test_a_frozen_server_is_given_up_and_the_next_one_is_asked(hurried: World, proxies: list[SilentProxy]) -> None:
    hurried.register()
    with hurried.parts.database.reading() as one, hurried.parts.database.reading() as other:
        one.connection(), other.connection()  # Several that are idle afterwards.
    proxies[0].freeze()
    refused = hurried.client.post("/v2/auth/register", json=registration())
    assert refused.status_code == 503 and int(refused.headers["Retry-After"]) > 0
    assert refused.json()["errors"][0]["code"] == "no_disponible"
    for _ in range(3):
        assert hurried.client.post("/v2/auth/register", json=registration()).status_code == 201


def test_a_stranger_does_not_notice_a_frozen_server(hurried: World, proxies: list[SilentProxy]) -> None:
    """What only reads is asked again on the other side."""
    sticker = EmergencyScenario(hurried).sticker(contact())
    page = f"/e/{sticker.code}/{sticker.tag}"
    assert hurried.reader.get(page).status_code == 200
    proxies[0].freeze()
    assert "Ana Lucía" in hurried.reader.get(page).text


def test_the_retry_after_a_503_does_not_wait_for_its_own_claim(hurried: World, proxies: list[SilentProxy]) -> None:
    hurried.register()
    body, before = registration(), accounts(hurried)
    database = hurried.parts.database
    database.on_statement = lambda sql: proxies[0].freeze() if sql.startswith("INSERT INTO accounts") else None
    assert hurried.client.post("/v2/auth/register", json=body, headers=KEY).status_code == 503
    database.on_statement = None
    again = hurried.client.post("/v2/auth/register", json=body, headers=KEY)
    assert again.status_code == 201 and "Idempotency-Replayed" not in again.headers
    assert accounts(hurried) == before + 1


def test_a_claim_whose_commit_nobody_answered_is_given_back_too(hurried: World, proxies: list[SilentProxy]) -> None:
    hurried.register()
    body = registration()
    database = hurried.parts.database
    database.on_statement = lambda sql: proxies[0].swallow_answers() if sql == "COMMIT" else None
    assert hurried.client.post("/v2/auth/register", json=body, headers=KEY).status_code == 503
    database.on_statement = None
    assert hurried.client.post("/v2/auth/register", json=body, headers=KEY).status_code == 201


def test_what_was_done_unheard_is_not_done_again(hurried: World, proxies: list[SilentProxy]) -> None:
    """The commit arrived and only its answer was lost: the retry gets the answer that was kept."""
    hurried.register()
    body, before = registration(), accounts(hurried)
    seen: list[str] = []

    def swallow_last(sql: str) -> None:
        seen.append(sql)
        if sql == "COMMIT" and any(one.startswith("INSERT INTO accounts") for one in seen):
            proxies[0].swallow_answers()

    database = hurried.parts.database
    database.on_statement = swallow_last
    assert hurried.client.post("/v2/auth/register", json=body, headers=KEY).status_code == 503
    database.on_statement = None
    again = hurried.client.post("/v2/auth/register", json=body, headers=KEY)
    assert again.status_code == 201 and again.headers["Idempotency-Replayed"] == "true"
    assert accounts(hurried) == before + 1


def test_a_read_only_node_is_a_503_and_its_connections_are_dropped(database_url: str, tmp_path: Path) -> None:
    disconnect(database_url)
    world = build_world(settings_for(database_url, tmp_path / "data"))
    admin = create_engine(database_url, isolation_level="AUTOCOMMIT")
    name = make_url(database_url).database
    setting = f'ALTER DATABASE "{name}" {{}} default_transaction_read_only'
    with admin.connect() as connection:
        connection.execute(text(setting.format("SET") + " = on"))
    try:
        world.parts.database.engine.dispose()
        with world.parts.database.reading() as one, world.parts.database.reading() as other:
            one.connection(), other.connection()
        refused = world.client.post("/v2/auth/register", json=registration())
        assert refused.status_code == 503 and int(refused.headers["Retry-After"]) > 0
        with pytest.raises(OperationalError), world.parts.database.writing() as tx:
            tx.orm.execute(text("DELETE FROM jobs"))
    finally:
        with admin.connect() as connection:
            connection.execute(text(setting.format("RESET")))
        admin.dispose()
    # A connection keeps what it was opened with: those that follow are new ones.
    with world.parts.database.writing() as one, world.parts.database.writing() as other:
        for tx in (one, other):
            assert tx.orm.scalar(text("SHOW transaction_read_only")) == "off"
    assert world.client.post("/v2/auth/register", json=registration()).status_code == 201
    world.close()


def test_of_several_hosts_the_one_that_takes_changes_is_used(
    database_url: str, oldest_postgres_url: str, proxies: list[SilentProxy], tmp_path: Path
) -> None:
    """By both drivers, the commands and the migrations."""
    name = make_url(oldest_postgres_url).database
    admin = create_engine(oldest_postgres_url, isolation_level="AUTOCOMMIT")
    with SilentProxy(oldest_postgres_url) as standby, admin.connect() as connection:
        connection.execute(text(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on'))
        url = address(database_url, standby, proxies[0], more="?target_session_attrs=read-write")
        env = environment(url, tmp_path / "data")
        assert "up to date" in ficha("migrate", env=env).stderr
        world = build_world(settings_for(url, tmp_path / "data"))
        sticker = EmergencyScenario(world).sticker(contact())
        assert "Ana Lucía" in world.client.get(f"/e/{sticker.code}/{sticker.tag}").text
        world.close()
        connection.execute(text(f'ALTER DATABASE "{name}" RESET default_transaction_read_only'))
    admin.dispose()
