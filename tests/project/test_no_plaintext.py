"""What people write is stored encrypted: a marked word is found in no file, log, metric, queue or database page."""

import io
from collections.abc import Iterator
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from ficha.core.log import configure_logs
from ficha.fmd.catalog import CATALOG
from tests.world import World, settings_for

WORD = "zanahoriasecreta"


def with_word(value: Any, name: str = "") -> Any:
    """The model's own example, with the word in every free text."""
    if isinstance(value, dict):
        return {inner: with_word(item, inner) for inner, item in value.items()}
    if isinstance(value, list):
        return [with_word(item, "") for item in value]
    return f"{WORD} {value}"[:60] if isinstance(value, str) and name in FREE_TEXTS else value


FREE_TEXTS = frozenset(
    [
        "nombres",
        "apellidos",
        "texto",
        "notas",
        "dosis",
        "frecuencia",
        "motivo",
        "plan",
        "instrucciones",
        "hospital_preferido",
        "descripcion",
        "como_ayudar",
        "resumen",
        "lugar",
        "nombre",
        "institucion",
        "grado",
        "seccion",
        "aseguradora",
        "titular",
        "senas_particulares",
        "fabricante",
        "modelo",
        "cardiologo",
        "especialidad",
        "relacion",
        "transporte",
        "calle",
        "ciudad",
    ]
)


@pytest.fixture
def log_stream(tmp_path: Path) -> Iterator[io.StringIO]:
    with redirect_stderr(io.StringIO()) as stream:
        configure_logs(settings_for("", tmp_path, log_level="debug", log_format="json"))
        yield stream
    configure_logs(settings_for("", tmp_path))


def test_the_word_is_nowhere(world: World, tmp_path: Path, log_stream: io.StringIO) -> None:
    ana = world.register()
    code = ana.data["attributes"]["product_codes"][0]
    filled = 0
    for model in CATALOG:
        document = with_word(dict(model.about.example))
        answer = ana.put(f"/v2/fmd/{code}/{model.about.wire}", document)
        assert answer.status_code == 200, answer.text
        filled += WORD in answer.text
        ana.put(f"/v2/fmd/{code}/{model.about.wire}", document | {"no_existe": WORD})
        world.reader.get(f"/v2/fmd/{code}/{model.about.wire}", headers=ana.headers)
    assert filled >= 13  # Those whose fields are all codes, dates and switches have no place for it.
    for rest in ("", "/models", "/history", "/access-log", "/export"):
        assert world.reader.get(f"/v2/fmd/{code}{rest}", headers=ana.headers).status_code == 200
    world.reader.get(f"/v2/fmd/{WORD}", headers=ana.headers)
    ana.post("/v2/email/request-code")
    world.run_jobs()
    world.drain_reads()
    assert log_stream.getvalue() and WORD not in log_stream.getvalue()
    assert WORD.encode() not in world.app.state.metrics.text()
    _search_database(world)
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert WORD.encode() not in file.read_bytes(), file


def _search_database(world: World) -> None:
    with world.parts.database.engine.connect() as connection:
        if world.parts.database.is_sqlite:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(FULL)")
            return  # The file itself is searched with the others.
        names = connection.execute(text("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).scalars().all()
        for name in names:
            rows = connection.execute(text(f'SELECT "{name}"::text FROM "{name}"')).scalars().all()
            assert not any(WORD in row or WORD.encode().hex() in row for row in rows), name
