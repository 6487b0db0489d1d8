"""What the pages name is there: settings with their defaults, files, headings, tests, and the paths of the service.

Metrics and alarms of docs/alarms.md are looked for by tests/http/test_alarms.py, those of rules and dashboard by
tests/deploy/test_prometheus.py.
"""

import re
from functools import cache
from pathlib import Path

import pytest

from ficha.asgi.routes import RouteGroup, served_routes
from ficha.core.settings import Settings
from tests.project.documents import FENCE, FILES, HERE, PAGES, spans
from tests.world import World

SETTINGS = {f"FICHA_{name.upper()}": field for name, field in Settings.model_fields.items()}
# Read by the Makefile and the tests, and by compose.
OTHER_VARIABLES = {"FICHA_STORM", "FICHA_CONFORMANCE", "FICHA_VALIDATORS", "FICHA_IMAGE"}
# Where a name may begin: the page says which part of the tree it speaks of.
ROOTS = ("", "ficha", "ficha/web", "docs")
KEPT = ("ficha", "docs", "tests", "bench", "proof", "deploy", "requirements")
ENDING = r"\.(py|md|csv|json|yaml|yml|cfg|conf|sql|html|js|toml|lock)"
# Of a running service or of a machine, and not of this folder.
FILES_OF_OTHERS = {"keys.json", "postgresql.conf"}
# Of a machine, of the platforms and their sandboxes, and of what a decision says is not here.
PATHS_OF_OTHERS = re.compile(r"/(data|tmp|opt/ficha|var/lib/ficha|_sandbox/.*|api/v1|\{api_version\}/.*|sanctum/.*)")


def test_settings_exist_and_have_the_default_that_is_told() -> None:
    for file in [*PAGES, *FILES, HERE / "Makefile"]:
        written = file.read_text()
        assert set(re.findall(r"\bFICHA_[A-Z_]+[A-Z]\b", written)) - SETTINGS.keys() - OTHER_VARIABLES == set(), file
        for name, told in re.findall(r"`(FICHA_[A-Z_]+)` \((\d+)[;)]", written):
            assert str(SETTINGS[name].default) == told, (file, name)


def test_links_lead_to_files_and_headings() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", page.read_text())):
            path, _, heading = target.partition("#")
            there = page.parent / path if path else page
            if "://" not in target:
                assert there.exists() and (not heading or heading in headings(there)), (page, target)


@cache
def headings(page: Path) -> set[str]:
    """As links name them."""
    found = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).strip().replace(" ", "-") for one in found}


def test_files_and_tests_exist() -> None:
    known = {file.name for folder in KEPT for file in (HERE / folder).rglob("*.*")} | {
        one.name for one in HERE.iterdir()
    }
    tests = "\n".join(file.read_text() for file in (HERE / "tests").rglob("test_*.py"))
    for page in PAGES:
        for name in {span.rstrip("/") for span in spans(page)}:
            if re.fullmatch(rf"[\w.-]+(/[\w.@-]+)+{ENDING}|({'|'.join(KEPT)})/[\w./-]+", name):
                assert any((HERE / root / name).exists() for root in ROOTS), (page, name)
            elif re.fullmatch(rf"[\w-]+{ENDING}", name):
                assert name in known | FILES_OF_OTHERS, (page, name)
            elif re.fullmatch(r"test_\w+", name):
                assert f"def {name}(" in tests, (page, name)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_paths_are_answered_by_a_route(world: World) -> None:
    """With its method a path stands there whole; without, a page may tell its end or its beginning alone."""
    routes = [(one.methods or (), re.sub(r"{[^}]+}", "{}", one.path)) for one in served_routes(world.app.routes)]
    routes += [((), str(one.path)) for one in world.app.routes if not isinstance(one, RouteGroup)]  # type: ignore[attr-defined]
    unknown = []
    for page in PAGES:
        for span in spans(page):
            found = re.fullmatch(r"(?:(GET|POST|PUT|PATCH|DELETE) )?(…?/[^\s\[]*)", span)
            if found is None or PATHS_OF_OTHERS.fullmatch(found[2]):
                continue
            path = re.sub(r"{[^}]+}", "{}", re.split(r"[?#]", found[2])[0])
            told = re.compile(
                re.escape(path).replace("…", ".*") if found[1] else f".*{re.escape(path).replace('…', '.*')}(/.*)?"
            )
            fits = [methods for methods, there in routes if told.fullmatch(there)]
            unknown += [] if any(found[1] in (None, *methods) for methods in fits) else [(page.name, span)]
    assert unknown == []
