"""CONTRIBUTING.md speaks of the code as it is: its map, the files it names, and the examples it shows."""

import re
from pathlib import Path

import pytest

from ficha.code_map import contributing_page, floors

HERE = Path(__file__).parents[2]
TEXT = (HERE / "CONTRIBUTING.md").read_text()
EXAMPLES = dict(re.findall(r"```python\n# (\S+)\n(.*?)```", TEXT, re.DOTALL))


def test_every_package_and_module_is_on_the_map() -> None:
    on_the_map = {place.name for floor in floors() for place in floor}
    there = {place.stem for place in (HERE / "ficha").iterdir() if place.suffix == ".py" or _is_package(place)}
    assert there - {"__init__", "__main__"} == on_the_map


def test_the_map_is_what_the_docstrings_say() -> None:
    assert contributing_page() == TEXT, "run `make docs` and commit CONTRIBUTING.md"


def test_a_newcomer_finds_every_file_by_its_name() -> None:
    rows = re.findall(r"^\| .+? \| (.*`.+) \|$", TEXT, re.MULTILINE)
    assert len(rows) >= 24
    named = [re.findall(r"`(\w+/[\w./]+)`", row) for row in rows]
    assert all(named) and [file for files in named for file in files if not (HERE / file).exists()] == []


def test_whoever_adds_a_language_is_told_of_every_place_that_names_them() -> None:
    told = re.findall(r"`([\w./]+)`", TEXT.partition("**A language**")[2].partition("**A mail**")[0])
    assert [file for file in told if "/" in file and not (HERE / file).exists()] == []
    files = [file for kind in ("py", "js", "html") for file in (HERE / "ficha").rglob(f"*.{kind}")]
    naming = {file.relative_to(HERE) for file in files if re.search(r"\bpt\b|\bIdioma\.PT\b", file.read_text())}
    # Demo people are who they are.
    untold = {str(file) for file in naming if str(file) not in told and file.name not in told}
    assert untold == {"ficha/demo/records.py"}


@pytest.mark.parametrize("file", EXAMPLES)
def test_examples_are_taken_from_the_code(file: str) -> None:
    assert EXAMPLES[file].strip("\n") in (HERE / file).read_text()


def _is_package(place: Path) -> bool:
    return (place / "__init__.py").is_file()
