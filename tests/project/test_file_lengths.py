"""How long files are: a longer one has a second idea in it, which deserves a name of its own."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST_LINES = 300
MOSTLY = 200


def test_no_file_is_long_and_nine_in_ten_are_short() -> None:
    files = [file for folder in ("ficha", "tests", "bench") for file in (ROOT / folder).rglob("*.py")]
    lines = {str(file.relative_to(ROOT)): len(file.read_text("utf-8").splitlines()) for file in files}
    assert {name: length for name, length in lines.items() if length > MOST_LINES} == {}
    assert sum(length < MOSTLY for length in lines.values()) >= 0.9 * len(lines)
