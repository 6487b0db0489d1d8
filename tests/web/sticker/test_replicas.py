"""Stickers answered from a replica: a real one, that streams from a primary, falls behind, and outlives it."""

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Response
from sqlalchemy import text

from ficha.core.db import Database
from ficha.core.live_processes import Heartbeat, ProcessRole
from ficha.core.replicas import Replicas
from ficha.fastlane.replica_watch import ReplicaWatch
from ficha.migrations import migrate
from tests.app_client import client_of
from tests.clock import MovableClock
from tests.databases import POSTGRES_15
from tests.replicated_postgres import ReplicatedPostgres, replicated_postgres
from tests.waiting import eventually
from tests.web.sticker.sticker import ScannedSticker, actions, sticker_of
from tests.world import World, build_world, settings_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.postgresql,
    pytest.mark.skipif(
        not POSTGRES_15.exists(), reason="PostgreSQL 15 is not installed: apt-get install postgresql-15"
    ),
]
OLD, NEW = "Epilepsia", "Asma"
NOTE = {
    "es": "el servicio central no responde",
    "en": "the central service does not answer",
    "pt": "o serviço central não responde",
}
READ = ("tag", "record.read")
WorldWith = Callable[..., World]


@pytest.fixture(scope="module")
def servers() -> Iterator[ReplicatedPostgres]:
    with replicated_postgres() as servers:
        database = Database(servers.primary.url)
        migrate(database)
        database.close()
        yield servers


@pytest.fixture(scope="module")
def key_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All worlds of this file have one database."""
    return tmp_path_factory.mktemp("keys") / "keys.json"


@pytest.fixture
def world_with(servers: ReplicatedPostgres, key_file: Path, tmp_path: Path) -> Iterator[WorldWith]:
    """A service on the two servers, started. The bounds are of seconds and minutes that no test lasts, where it does
    not say others."""
    made: list[World] = []

    def make(**changes: float) -> World:
        values: dict[str, Any] = {"replica_urls": servers.replica.url, "replica_lag_seconds": 60, "key_file": key_file}
        made.append(build_world(settings_for(servers.primary.url, tmp_path / f"data{len(made)}", **values | changes)))
        add_worker(made[-1])
        assert made[-1].reader
        return made[-1]

    yield make
    for world in made:
        world.close()


def add_worker(world: World) -> None:
    """One that runs elsewhere, and is seen alive for an hour: without any the service is never "up"."""
    keys = ",".join(world.parts.keyring.ids)
    Heartbeat(world.parts.database, ProcessRole.WORKER, runs_jobs=lambda: True, key_ids=lambda: keys).beat()
    with world.parts.database.writing() as tx:
        tx.orm.execute(text("UPDATE processes SET seen_at = seen_at + interval '1 hour' WHERE runs_jobs"))


def scan(sticker: ScannedSticker, language: str = "es") -> Response:
    """By a stranger, whose browser never was here."""
    return client_of(sticker.world.app).get(sticker.path, params={"l": language})


def change(sticker: ScannedSticker) -> None:
    models = {"salud": {"condiciones": [{"condicion": {"texto": NEW}}]}}
    assert sticker.world.client.patch(f"/v2/fmd/{sticker.code}", json=models, headers=sticker.owner.headers).is_success


def wait_for_replica(sticker: ScannedSticker) -> None:
    """Until it has all that happened until now, and the service knows."""
    replicas = sticker.world.parts.replicas
    assert replicas is not None
    asked = time.monotonic()
    eventually(lambda: replicas.all[0].complete_at > asked)


def readiness(world: World) -> str:
    answer = world.client.get("/health/ready").json()
    return str(answer["data"]["status"] if "data" in answer else answer["errors"][0]["code"])


def test_a_stranger_is_answered_by_the_replica_and_an_author_is_never_answered_older(
    servers: ReplicatedPostgres, world_with: WorldWith
) -> None:
    sticker = sticker_of(world_with())
    wait_for_replica(sticker)
    with servers.replaying_paused():
        change(sticker)
        eventually(lambda: OLD in scan(sticker).text)  # The replica is within its bound, and is asked.
        of_author = sticker.world.client.get(sticker.path).text
        assert NEW in of_author and OLD not in of_author
        read = sticker.world.client.get(f"/v2/fmd/{sticker.code}/salud", headers=sticker.owner.headers)
        assert NEW in read.text, "who shows who she is, is answered by the primary"
        # A sticker that the replica does not know yet.
        newer = sticker_of(sticker.world)
        assert OLD in scan(newer).text
    eventually(lambda: NEW in scan(sticker).text)


def test_a_replica_that_fell_behind_or_is_gone_is_not_asked_and_nobody_notices(
    servers: ReplicatedPostgres, world_with: WorldWith
) -> None:
    sticker = sticker_of(world_with(replica_lag_seconds=0.2))
    with servers.replaying_paused():
        change(sticker)
        eventually(lambda: NEW in scan(sticker).text)
        assert NEW in scan(sticker).text
    near = sticker_of(world_with())
    wait_for_replica(near)
    with servers.without(servers.replica):
        assert [scan(one).status_code for one in (near, near, sticker)] == [200] * 3


def test_a_region_that_lost_the_primary_answers_stickers_and_says_how_old_that_is(
    servers: ReplicatedPostgres, world_with: WorldWith
) -> None:
    strict, world = world_with(), world_with(replica_age_minutes=60)
    sticker, lost = sticker_of(world), sticker_of(world)
    wait_for_replica(lost)
    eventually(lambda: NOTE["es"] not in scan(sticker).text)
    eventually(lambda: readiness(world) == "up")
    noted = actions(world).count(READ)
    with servers.without(servers.primary):
        # Also who meets a dead primary first, as who just changed something does.
        eventually(lambda: NOTE["es"] in world.client.get(sticker.path).text)
        eventually(lambda: all(note in scan(sticker, language).text for language, note in NOTE.items()))
        assert "Ana Lucía" in scan(sticker).text
        # With the form for more, and what the replica cannot know: a code may have been given out since.
        eventually(lambda: NOTE["es"] in client_of(world.app).get(sticker.path, params={"mas": "1"}).text)
        assert client_of(world.app).get(f"/e/222222/{sticker.tag}").status_code == 503
        assert sticker.owner.get(f"/v2/fmd/{sticker.code}").status_code == 503
        # A proxy keeps sending strangers here.
        eventually(lambda: readiness(world) == "degraded")
        # Nobody is answered so whose service was not told to.
        eventually(lambda: client_of(strict.app).get(sticker.path).status_code == 503)
        assert readiness(strict) == "no_listo"
        # A process that begins now knows the age by the transactions.
        eventually(lambda: asyncio.run(_new_process_finds_the_replica(servers)))
        assert list((world.parts.settings.data_dir / "reads").iterdir()), "who read is in files"
    eventually(lambda: scan(sticker).is_success and NOTE["es"] not in scan(sticker).text)
    eventually(lambda: actions(world).count(READ) >= noted + 6)


def test_a_tag_that_ended_behind_a_lost_primary_opens_until_the_bound(
    servers: ReplicatedPostgres, world_with: WorldWith
) -> None:
    """The risk that decision 42 takes for who asks for it."""
    far, near = world_with(replica_age_minutes=60), world_with(replica_age_minutes=0.01)
    sticker = sticker_of(far)
    wait_for_replica(sticker)
    with servers.replaying_paused():
        sticker.lose()
        with servers.without(servers.primary):
            eventually(lambda: "Ana Lucía" in scan(sticker).text)
            eventually(lambda: client_of(near.app).get(sticker.path).status_code == 503)
    eventually(lambda: scan(sticker).status_code == 410)


async def _new_process_finds_the_replica(servers: ReplicatedPostgres) -> bool:
    replicas = Replicas([servers.replica.url], MovableClock(), max_lag=2, max_age=3600)
    await ReplicaWatch(replicas, servers.primary.url, max_lag=2).look()
    replicas.close()
    return replicas.is_primary_lost and replicas.fresh() is None
