"""Exports of a full record, logins and a school's roster, again and again: an alert does not wait behind them.

A few of them with the other tests; FICHA_STORM=1 runs 8 exports, 64 logins and a roster of 20,000 at once, and holds
alerts to a second.
"""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import func, select

from ficha.core.db import Database
from ficha.institutions.members import Member
from tests.attack.attackers import Attack, run_attack
from tests.attack.test_export import change
from tests.institutions.roster_files import pupil, write_csv
from tests.institutions.test_enrol import new_school
from tests.local_http import PATIENCE
from tests.processes import Server, kill, start, start_ficha
from tests.waiting import eventually
from tests.web.sticker.sticker import ScannedSticker, sticker_of
from tests.world import CLAVE, Person, build_world, settings_for

pytestmark = pytest.mark.slow

IS_STORM = "FICHA_STORM" in os.environ
ALERTS, CHANGES, EXPORTS, LOGINS, ROWS = (40, 200, 8, 64, 20_000) if IS_STORM else (4, 20, 2, 4, 1_000)
P95_SECONDS = 1.0
SCHOOL = "colegio-san-luis"


@pytest.fixture
def people(database_url: str, tmp_path: Path) -> Iterator[tuple[Person, list[ScannedSticker]]]:
    """Somebody with a full record, others with stickers, and a school."""
    world = build_world(settings_for(database_url, tmp_path / "data"))
    world.clock.catch_up()
    new_school(world, SCHOOL)
    busy = world.register()
    for number in range(CHANGES):
        assert change(busy, number) == 200
    stickers = [sticker_of(world) for _ in range(ALERTS)]
    yield busy, stickers
    world.close()


def test_alerts_do_not_wait_behind_ordinary_work(
    database_url: str, tmp_path: Path, people: tuple[Person, list[ScannedSticker]]
) -> None:
    busy, stickers = people
    file = write_csv(tmp_path / "roster.csv", (pupil(number) for number in range(ROWS)))
    settings = {"FICHA_RATE_LIMITS": "off", "FICHA_LOG_LEVEL": "warning"}
    with (
        Server(database_url, tmp_path / "data", **settings) as server,
        httpx2.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=PATIENCE) as client,
    ):
        login = client.post("/v2/auth/login", json={"correo": busy.correo, "clave": CLAVE})
        token = login.json()["data"]["attributes"]["token"]
        export = f"/v2/fmd/{busy.data['attributes']['product_codes'][0]}/export"
        begun = tmp_path / "begun"
        attack = Attack(logins=LOGINS, exports=EXPORTS, export_path=export, token=token)
        attackers = start(run_attack, attack, server.port, begun)
        roster = ("roster", "import", str(file), "--institution", SCHOOL, "--yes", "--json")
        importing = start_ficha(*roster, env=server.env, output=tmp_path / "roster")
        try:
            eventually(lambda: begun.exists() and _count_members(database_url) > 0, 120)
            taken = sorted(_alert_seconds(client, sticker) for sticker in stickers)
            rows = _count_members(database_url)
        finally:
            kill(attackers)
            kill(importing)
    p95 = taken[int(len(taken) * 0.95)]
    sys.stderr.write(
        f"\n{database_url.partition(':')[0]}: {EXPORTS} exports, {LOGINS} logins, a roster ({rows} rows so far): "
        f"alert p95 {p95 * 1e3:.0f} ms, longest {taken[-1] * 1e3:.0f} ms\n"
    )
    assert not IS_STORM or p95 < P95_SECONDS


def _alert_seconds(client: httpx2.Client, sticker: ScannedSticker) -> float:
    started = time.perf_counter()
    answer = client.post("/v2/emergencies", json={"code": sticker.code, "tag": sticker.tag, "position": None})
    assert answer.status_code == 201, answer.text
    return time.perf_counter() - started


def _count_members(database_url: str) -> int:
    database = Database(database_url)
    try:
        with database.reading() as tx:
            return tx.orm.scalar(select(func.count()).select_from(Member)) or 0
    finally:
        database.close()
