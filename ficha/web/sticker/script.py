"""The inline script of a sticker's pages: the position for an alert, live progress, a copy for when the network fails.

Every page works without it."""

import re
from pathlib import Path

STATIC = Path(__file__).parents[1] / "static"


def _inlined() -> str:
    """Without comments and indentation, which would cost every reader bytes on the first round trip."""
    lines = (line.strip() for line in (STATIC / "responder.js").read_text("utf-8").splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _numbers_of_zones() -> dict[str, str]:
    """`911Caracas Asuncion,123Bogota` in the script: the emergency number of each city that names a time zone."""
    found = re.search(r'const zones = "([^"]*)"', SCRIPT)
    assert found
    return {city: row[:3] for row in found.group(1).split(",") for city in row[3:].split()}


SCRIPT = _inlined()
NUMBERS_OF_ZONES = _numbers_of_zones()
