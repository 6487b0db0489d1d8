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
    rows = re.findall(r"^\| (.+?) \| `(\S+)` \|$", TEXT, re.MULTILINE)
    assert len(rows) >= 20
    assert [file for _, file in rows if not (HERE / file).is_file()] == []


@pytest.mark.parametrize("file", EXAMPLES)
def test_examples_are_taken_from_the_code(file: str) -> None:
    assert EXAMPLES[file].strip("\n") in (HERE / file).read_text()


def _is_package(place: Path) -> bool:
    return (place / "__init__.py").is_file()
