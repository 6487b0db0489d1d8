"""The five minutes with curl that the README promises."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.processes import Server

README = Path(__file__).parents[2] / "README.md"

pytestmark = pytest.mark.slow


def values_in(text: str) -> list[Any]:
    found, place = [], 0
    while place < len(text):
        value, place = json.JSONDecoder().raw_decode(text, place)
        found.append(value)
    return found


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_commands_of_the_readme_do_what_it_says(database_url: str, tmp_path: Path) -> None:
    [script] = [block for block in re.findall(r"```sh\n(.*?)```", README.read_text(), re.DOTALL) if "API=" in block]
    with Server(database_url, tmp_path / "data", "--demo") as server:
        script = script.replace("http://127.0.0.1:8000", f"http://127.0.0.1:{server.port}")
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script], env=dict(os.environ), capture_output=True, text=True, check=True
        )
    answers = values_in(done.stdout)
    statuses = [answer["meta"]["status"] for answer in answers]
    assert [status for status in statuses if status >= 400] == [422], done.stdout  # The typing mistake.
    twice = [answer for answer in answers if answer.get("data") == {"state": "queued"}]
    assert len(twice) == 3 and twice[1] == twice[2] != twice[0]
    [drill] = [one["data"]["attributes"] for one in answers if "steps" in str(one.get("data"))]
    assert drill["simulacro"] and [step["nombre"] for step in drill["steps"]][:2] == ["Luis Pérez", "Luis Pérez"]
