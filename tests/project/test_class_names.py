"""One word, one thing. Classes that share a name must be told apart by their files, and the OpenAPI document shows the
paths of those that are in it."""

import re

from tests.source_code import PACKAGE, texts

CLASS = re.compile(r"^class (\w+)", re.MULTILINE)


def test_no_two_classes_share_a_name() -> None:
    places: dict[tuple[str, str], list[str]] = {}
    for file, text in texts().items():
        path = file.relative_to(PACKAGE)
        # It plays other platforms, each of which has names of its own.
        world = "/".join(path.parts[:2]) if path.parts[0] == "sandbox" else ""
        for name in CLASS.findall(text):
            places.setdefault((world, name), []).append(str(path))
    assert {name: files for (_, name), files in places.items() if len(files) > 1} == {}


def test_the_openapi_document_shows_none_of_our_paths() -> None:
    assert "ficha__" not in (PACKAGE.parent / "openapi.json").read_text("utf-8")
