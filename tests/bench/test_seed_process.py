"""People of another commit's database are made by the code in its folder, in a process of its own."""

from pathlib import Path

import pytest
from sqlalchemy import text

from bench.contenders import ROOT, environment
from bench.worktree import DidNotSeed, SeededElsewhere
from ficha.core.db import Database


@pytest.mark.slow
def test_seeds_come_from_the_code_of_that_folder(database_url: str, database: Database, tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    people = SeededElsewhere(data_dir, database_url, environment(data_dir, database_url, ROOT))
    try:
        assert [len(seed["token"]) > 40 for seed in people.tokens(3)] == [True] * 3
        assert all(seed.keys() == {"correo", "clave"} for seed in people.claves(2))
        [owners] = people.record_owners(1)
        assert len(owners["people"].split("\n")) == 1_000
        [stickers] = people.stickers(1)
        assert stickers["paths"].startswith("/e/")
        people.execute("DELETE FROM tokens")
    finally:
        people.close()
    with database.reading() as tx:
        assert tx.orm.scalar(text("SELECT count(*) FROM tokens")) == 0


def test_code_that_cannot_do_it_says_why(tmp_path: Path) -> None:
    code, data_dir, url = tmp_path / "code", tmp_path / "data", f"sqlite:///{tmp_path}/ficha.db"
    (code / "bench").mkdir(parents=True)
    (code / "bench" / "__init__.py").touch()
    data_dir.mkdir()
    people = SeededElsewhere(data_dir, url, environment(data_dir, url, code))
    try:
        with pytest.raises(DidNotSeed, match="No module named"):
            people.tokens(1)
    finally:
        people.close()
