"""What is written beside the code: generated documents, locks, the README, and the rule of the imports."""

import subprocess
import sys
from pathlib import Path

import pytest

from ficha import __version__
from ficha.describe import DOCUMENTS

HERE = Path(__file__).parents[2]


def test_imports_go_one_way() -> None:
    answer = subprocess.run(
        [Path(sys.executable).with_name("lint-imports")], cwd=HERE, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stdout


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_what_is_made_from_the_code_is_committed_as_it_is(name: str) -> None:
    committed = HERE / name
    assert committed.exists() and committed.read_text() == DOCUMENTS[name](), f"run `make docs` and commit {name}"


def test_locks_name_no_registry() -> None:
    for lock in (HERE / "requirements").glob("*.lock"):
        text = lock.read_text()
        assert "--hash=sha256:" in text
        assert "://" not in text and "index-url" not in text and "find-links" not in text


def test_the_readme_shows_the_two_commands() -> None:
    readme = (HERE / "README.md").read_text()
    assert "make run" in readme and "make test" in readme


def test_the_changelog_and_the_pages_where_people_look_name_this_version() -> None:
    sections = [line for line in (HERE / "CHANGELOG.md").read_text().splitlines() if line.startswith("## ")]
    assert sections[0].startswith(f"## {__version__} (")
    for page in ("README.md", "docs/running.md"):
        assert f"Ficha {__version__}" in (HERE / page).read_text(), page
