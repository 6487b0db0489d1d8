"""What the responder page adds where scripts run: a position for the alert, live news, and a copy for when the network
goes. Everything works without it."""

from functools import cache
from pathlib import Path

STATIC = Path(__file__).parents[1] / "static"


@cache
def _read(name: str) -> str:
    return (STATIC / name).read_text("utf-8").strip()


SCRIPT = _read("responder.js")
WORKER = _read("responder-worker.js")
