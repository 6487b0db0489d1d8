"""The inline script of a sticker's pages: the position for an alert, live progress, a copy for when the network fails.

Every page works without it."""

from pathlib import Path

STATIC = Path(__file__).parents[1] / "static"


def _inlined() -> str:
    """Without comments and indentation, which would cost every reader bytes on the first round trip."""
    lines = (line.strip() for line in (STATIC / "responder.js").read_text("utf-8").splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


SCRIPT = _inlined()
