"""A database that does not answer is no bug: whoever asked is told to come again, and nothing was changed."""

from pathlib import Path

import pytest
import structlog
from sqlalchemy import text
from starlette.testclient import TestClient

from ficha.asgi.routes import RouteGroup, Routes
from tests.databases import held, make_impatient
from tests.web.sticker.sticker import sticker_of
from tests.world import World, build_world, registration, settings_for

BROWSER = {"Accept": "text/html"}


def test_a_write_that_others_hold_up_for_too_long_is_a_503_and_changes_nothing(world: World, database_url: str) -> None:
    make_impatient(world.parts.database)
    body, before = registration(), world.rows()
    with held(database_url, "accounts"), structlog.testing.capture_logs() as lines:
        refused = world.client.post("/v2/auth/register", json=body)
    assert refused.status_code == refused.json()["meta"]["status"] == 503
    assert refused.json()["errors"][0]["code"] == "no_disponible" and int(refused.headers["Retry-After"]) > 0
    assert "lock" not in refused.text
    (line,) = [line for line in lines if line["log_level"] == "error" and line["event"] != "alarm.began"]
    assert line["event"] == "request.database_unavailable" and line["route"] == "/v2/auth/register"
    assert body["correo"] not in str(lines)
    assert world.rows() == before
    assert world.client.post("/v2/auth/register", json=body).status_code == 201


def test_a_statement_that_is_wrong_is_a_bug(world: World) -> None:
    """It would fail again."""

    def ask() -> None:
        with world.parts.database.reading() as tx:
            tx.orm.execute(text("SELECT nothing FROM nowhere"))

    routes = Routes()
    routes.get("/roto")(ask)
    world.app.router.routes.append(RouteGroup(routes.under))
    answer = world.client.get("/roto")
    assert answer.status_code == 500 and answer.json()["errors"][0]["code"] == "error_interno"


@pytest.mark.parametrize("name", ["postgresql", "sqlite"])
def test_no_database_at_all(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "gone"
    url = "postgresql://nobody@127.0.0.1:1/none" if name == "postgresql" else f"sqlite:///{folder / 'ficha.db'}"
    world = build_world(settings_for(url, tmp_path / "data"), has_database=False)
    answer = world.client.post("/v2/auth/register", json=registration())
    assert answer.status_code == 503 and answer.json()["errors"][0]["code"] == "no_disponible"
    assert "nobody" not in answer.text and str(folder) not in answer.text
    page = world.client.get("/clave/no-such-link", headers=BROWSER)
    assert page.status_code == 503 and page.headers["content-type"].startswith("text/html")
    world.close()


def test_a_process_whose_disk_takes_no_more_reads_is_not_ready(world: World) -> None:
    """It could show no record, as each look at one is noted first. Proxies send people to the others."""
    sticker, reads = sticker_of(world), world.parts.settings.data_dir / "reads"
    with TestClient(world.app) as client:
        assert client.get("/health/ready").status_code == 200
        reads.write_text("no folder")
        page = client.get(sticker.path, headers=BROWSER)
        assert page.status_code == 503 and 'href="tel:' in page.text
        assert client.get("/health/ready").status_code == 503
        health = client.get("/health").json()["data"]
        assert (health["status"], health["parts"]["reads"]["status"]) == ("down", "down")
        reads.unlink()
        assert client.get("/health/ready").status_code == 200
        assert client.get(sticker.path, headers=BROWSER).status_code == 200
