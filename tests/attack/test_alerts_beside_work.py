"""Exports of a full record and logins, again and again: an alert does not wait behind them.

A few of them with the other tests; FICHA_STORM=1 runs 8 exports and 64 logins at once, and holds alerts to a second.
"""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.attack.attackers import Attack, run_attack
from tests.attack.test_export import change
from tests.processes import FreshServer, kill, start
from tests.waiting import eventually
from tests.web.sticker.sticker import Sticker, sticker_of
from tests.world import CLAVE, Person, build_world, settings_for

pytestmark = pytest.mark.slow

IS_STORM = "FICHA_STORM" in os.environ
ALERTS, CHANGES, EXPORTS, LOGINS = (40, 200, 8, 64) if IS_STORM else (4, 20, 2, 4)
P95_SECONDS = 1.0


@pytest.fixture
def people(database_url: str, tmp_path: Path) -> Iterator[tuple[Person, list[Sticker]]]:
    """Somebody with a full record, and others with stickers."""
    world = build_world(settings_for(database_url, tmp_path / "data"))
    busy = world.register()
    for number in range(CHANGES):
        assert change(busy, number) == 200
    stickers = [sticker_of(world) for _ in range(ALERTS)]
    yield busy, stickers
    world.close()


def test_alerts_do_not_wait_behind_exports_and_logins(
    database_url: str, tmp_path: Path, people: tuple[Person, list[Sticker]]
) -> None:
    busy, stickers = people
    settings = {"FICHA_RATE_LIMITS": "off", "FICHA_LOG_LEVEL": "warning"}
    with (
        FreshServer(database_url, tmp_path / "data", **settings) as server,
        httpx2.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=60) as client,
    ):
        login = client.post("/v2/auth/login", json={"correo": busy.correo, "clave": CLAVE})
        token = login.json()["data"]["attributes"]["token"]
        export = f"/v2/fmd/{busy.data['attributes']['product_codes'][0]}/export"
        begun = tmp_path / "begun"
        attack = Attack(logins=LOGINS, exports=EXPORTS, export_path=export, token=token)
        attackers = start(run_attack, attack, server.port, begun)
        try:
            eventually(begun.exists, 120)
            taken = sorted(_alert_seconds(client, sticker) for sticker in stickers)
        finally:
            kill(attackers)
    p95 = taken[int(len(taken) * 0.95)]
    sys.stderr.write(
        f"\n{EXPORTS} exports, {LOGINS} logins: alert p95 {p95 * 1e3:.0f} ms, longest {taken[-1] * 1e3:.0f} ms\n"
    )
    assert not IS_STORM or p95 < P95_SECONDS


def _alert_seconds(client: httpx2.Client, sticker: Sticker) -> float:
    started = time.perf_counter()
    answer = client.post("/v2/emergencies", json={"code": sticker.code, "tag": sticker.tag, "position": None})
    assert answer.status_code == 201, answer.text
    return time.perf_counter() - started
