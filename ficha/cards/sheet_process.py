"""Large sheets are drawn in a process that then ends: a thousand stickers take two seconds of a core and 90 MB, which
the library keeps.

`python -m ficha.cards.sheet_process` reads what to draw from its standard input, where nobody else sees the tags.
"""

import json
import subprocess
import sys
from collections.abc import Sequence

from ficha.accounts.accounts import Idioma
from ficha.cards.stickers import Format, Paper, Sticker, sheet_pdf

# As many as a page or two: to start a process would take longer.
FEW = 50
SECONDS = 120


def drawn_sheet(stickers: Sequence[Sticker], format: Format, paper: Paper, base_url: str) -> bytes:
    """Raises CalledProcessError or TimeoutExpired: bugs of ours."""
    if len(stickers) <= FEW:
        return sheet_pdf(stickers, format, paper, base_url)
    asked = json.dumps({"stickers": stickers, "format": format, "paper": paper, "base_url": base_url})
    # The interpreter that runs this, with fixed words.
    command = [sys.executable, "-m", "ficha.cards.sheet_process"]
    return subprocess.run(command, input=asked.encode(), capture_output=True, check=True, timeout=SECONDS).stdout  # noqa: S603


def _draw() -> None:
    asked = json.load(sys.stdin)
    stickers = [Sticker(code, link, has_tag, tuple(words)) for code, link, has_tag, words in asked["stickers"]]
    drawn = sheet_pdf(stickers, Format(asked["format"]), Paper(asked["paper"]), asked["base_url"], Idioma.ES)
    sys.stdout.buffer.write(drawn)


if __name__ == "__main__":
    _draw()
