"""Linters find nothing to say about openapi.json, and TypeScript takes the types that are made of it."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.openapi.test_python_client import lines_in_readme

HERE = Path(__file__).parent
DOCUMENT = HERE.parents[1] / "openapi.json"
TOOLS = HERE / "node_modules" / ".bin"

pytestmark = pytest.mark.slow


def run(tool: str, *words: str, folder: Path) -> str:
    if shutil.which("node") is None:
        pytest.skip("node is not installed: openapi.json is not linted")
    if not (TOOLS / tool).exists():
        pytest.skip(f"{tool} is not installed: npm ci in tests/openapi")
    quiet = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "NO_COLOR": "1"}
    done = subprocess.run(
        [TOOLS / tool, *words], cwd=folder, env=os.environ | quiet, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_spectral_finds_nothing(tmp_path: Path) -> None:
    ruleset = str(HERE / "spectral.yaml")
    run("spectral", "lint", str(DOCUMENT), "--ruleset", ruleset, "--fail-severity", "hint", folder=tmp_path)


def test_redocly_finds_nothing(tmp_path: Path) -> None:
    words = ("lint", str(DOCUMENT), "--config", str(HERE / "redocly.yaml"), "--format", "json")
    assert json.loads(run("redocly", *words, folder=tmp_path))["problems"] == []


def test_typescript_takes_the_types_and_a_client_written_with_them(tmp_path: Path) -> None:
    for name in ("typed_client.ts", "tsconfig.json"):
        shutil.copy(HERE / name, tmp_path)
    imported, _, told = lines_in_readme("ts").partition("\n")
    given = "API: string, CODE: string, headers: Record<string, string>"
    (tmp_path / "readme.ts").write_text(
        f"{imported}\nexport async function shown({given}) {{\n{told}return data;\n}}\n"
    )
    run("openapi-typescript", str(DOCUMENT), "--output", "ficha.d.ts", folder=tmp_path)
    run("tsc", "--project", "tsconfig.json", folder=tmp_path)


def test_no_lock_names_a_host() -> None:
    for lock in (HERE / "package-lock.json", *(HERE.parents[1] / "requirements").glob("*.lock")):
        assert "://" not in lock.read_text(), f"{lock.name}: see .npmrc; `funding` is taken out by hand"
