"""`ficha roster`, as an operator types it; killed half-way; and as large as rosters come (`make storm`)."""

import json
import os
from pathlib import Path

import psutil
import pytest
from sqlalchemy import func, select

from ficha.audit.verify_entries import verify_all
from ficha.institutions.institution import InstitutionFacts
from ficha.institutions.members import Member
from ficha.institutions.roster_import import BATCH
from tests.institutions.roster_files import pupil, write_csv, write_xlsx
from tests.institutions.test_enrol import new_school
from tests.processes import environment, errors_of, ficha, kill, start_ficha, until_end
from tests.waiting import eventually
from tests.world import World

ROWS = 50_000 if os.environ.get("FICHA_STORM") else 120
MOST_BYTES = 300_000_000
WORDS = ("--institution", "colegio-san-luis")


@pytest.fixture
def school(world: World) -> InstitutionFacts:
    world.clock.catch_up()
    return new_school(world, "colegio-san-luis")


@pytest.fixture
def env(world: World, school: InstitutionFacts) -> dict[str, str]:
    return environment(world.parts.settings.database, world.parts.settings.data_dir)


def count_members(world: World) -> int:
    with world.parts.database.reading() as tx:
        return tx.orm.scalar(select(func.count()).select_from(Member)) or 0


def test_a_roster_is_tried_then_imported_and_doubts_are_decided(
    world: World, env: dict[str, str], tmp_path: Path
) -> None:
    file = str(write_csv(tmp_path / "a.csv", [pupil(1), pupil(2), ("B-1", "=cmd", *[""] * 8)]))
    tried = ficha("roster", "import", file, *WORDS, "--dry-run", env=env, check=False)
    assert tried.returncode == 1 and "fórmula" in tried.stdout and "nothing was changed" in tried.stderr
    assert count_members(world) == 0
    done = ficha("roster", "import", file, *WORDS, "--yes", "--json", env=env, check=False)
    said = json.loads(done.stdout)
    assert done.returncode == 1 and (said["created"], said["refused"], said["told"][0]["row"]) == (2, 1, 4)

    ficha(
        "roster",
        "import",
        str(write_csv(tmp_path / "b.csv", [("Z-1", *pupil(1)[1:])])),
        *WORDS,
        "--yes",
        env=env,
        check=False,
    )
    [doubt] = json.loads(ficha("roster", "doubts", *WORDS, "--json", env=env).stdout)
    assert (doubt["external_id"], doubt["enrolled_as"]) == ("Z-1", "A-1")
    assert "A-1: unchanged" in ficha("roster", "decide", str(doubt["id"]), "--same", *WORDS, env=env).stderr
    again = ficha("roster", "decide", str(doubt["id"]), "--same", *WORDS, env=env, check=False)
    assert again.returncode == 1 and "Esa duda no está" in again.stderr


@pytest.mark.parametrize("words", [("a.csv", "--institution", "nadie"), ("bomb.xlsx", *WORDS), ("none.csv", *WORDS)])
def test_what_cannot_be_imported_is_one_sentence(
    world: World, env: dict[str, str], tmp_path: Path, words: tuple[str, ...]
) -> None:
    write_csv(tmp_path / "a.csv", [pupil(1)])
    (tmp_path / "bomb.xlsx").write_bytes(b"PK\x03\x04")
    answer = ficha("roster", "import", str(tmp_path / words[0]), *words[1:], "--yes", env=env, check=False)
    assert answer.returncode in (1, 2) and "Traceback" not in answer.stderr
    assert count_members(world) == 0


@pytest.mark.slow
def test_killed_half_way_and_run_again_it_is_as_in_one_go(world: World, env: dict[str, str], tmp_path: Path) -> None:
    file = write_csv(tmp_path / "a.csv", [pupil(number) for number in range(200)])
    command = ("roster", "import", str(file), *WORDS, "--yes")
    process = start_ficha(*command, env=env, output=tmp_path / "killed")
    eventually(lambda: count_members(world) > 0 or process.exitcode is not None)
    kill(process)
    assert count_members(world) % BATCH == 0, "a batch is there as a whole or not at all"
    said = json.loads(ficha(*command, "--json", env=env).stdout)
    assert said["created"] + said["unchanged"] == 200 == count_members(world)
    assert json.loads(ficha(*command, "--json", env=env).stdout)["unchanged"] == 200
    rows = world.rows()
    assert rows["institution_members"] == 200 and rows["roster_doubts"] == 0
    with world.parts.database.reading() as tx:
        assert verify_all(tx, lambda _: None) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_a_large_roster_takes_little_memory_and_again_changes_nothing(
    world: World, env: dict[str, str], tmp_path: Path, kind: str
) -> None:
    write = write_csv if kind == "csv" else write_xlsx
    file = write(tmp_path / f"roster.{kind}", (pupil(number) for number in range(ROWS)))
    for expected in ("created", "unchanged"):
        output = tmp_path / expected
        process = start_ficha("roster", "import", str(file), *WORDS, "--yes", "--json", env=env, output=output)
        most = 0
        while process.exitcode is None:
            try:
                most = max(most, psutil.Process(process.pid).memory_info().rss)
            except psutil.NoSuchProcess:
                break
            process.join(0.05)
        ended = until_end(process, output)
        assert ended.returncode == 0, errors_of(output).read_text()
        assert json.loads(ended.stdout)[expected] == ROWS
        assert 0 < most < MOST_BYTES, f"{most / 1e6:.0f} MB"
        print(f"{kind}, {ROWS} rows, {expected}: {most / 1e6:.0f} MB")  # noqa: T201
