"""PostgreSQL's own log, and its list of who is connected: no correo in the one, every part of ours in the other."""

from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url, text
from sqlalchemy.exc import ProgrammingError

from tests.processes import Server, start_ficha, stop
from tests.waiting import eventually
from tests.web.sticker.sticker import sticker_of
from tests.world import World, build_world, registration, settings_for


@pytest.mark.parametrize("database_url", ["postgresql15"], indirect=True)  # Its log is a file beside its socket.
def test_a_correo_that_is_taken_is_not_written_to_the_log_of_the_database(world: World, database_url: str) -> None:
    folder = make_url(database_url).query["host"]
    ana, luis = world.register(), world.register()
    refused = world.client.post("/v2/auth/register", json=registration(correo=ana.correo))
    changed = luis.put("/v1/local/data", luis.body | {"correo": ana.correo})
    with pytest.raises(ProgrammingError), world.parts.database.reading() as tx:
        tx.orm.execute(text("SELECT 1 FROM this_line_is_in_the_log"))
    written = Path(str(folder), "log").read_text()
    taken = [answer.json()["errors"][0]["code"] for answer in (refused, changed)]
    assert taken == ["correo_en_uso", "correo_en_uso"]
    assert "this_line_is_in_the_log" in written and ana.correo not in written


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_every_connection_says_whose_it_is(database_url: str, tmp_path: Path) -> None:
    world = build_world(settings_for(database_url, tmp_path / "data"))
    path = sticker_of(world).path
    world.close()
    plain = make_url(database_url).set(drivername="postgresql").render_as_string(hide_password=False)
    with Server(database_url, tmp_path / "data") as server, psycopg.connect(plain, autocommit=True) as watcher:
        worker = start_ficha("worker", env=server.env, output=tmp_path / "worker")
        expected = {"ficha serve", "ficha serve (lane)", "ficha worker"}

        def names() -> set[str]:
            server.get(path)
            query = "SELECT application_name FROM pg_stat_activity WHERE datname = current_database()"
            return {row[0] for row in watcher.execute(query)}

        try:
            eventually(lambda: expected <= names())
        finally:
            stop(worker)
