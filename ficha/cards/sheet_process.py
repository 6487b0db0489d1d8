"""Many stickers are drawn in a process that then ends: a thousand take two seconds of a core and 90 MB, which the
library keeps.

`python -m ficha.cards.sheet_process` reads what to draw from its standard input, where nobody else sees the tags.
"""

import json
import os
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Any

from ficha.accounts.accounts import Idioma
from ficha.cards.stickers import Paper, Sticker, StickerFormat, pictures, sheet_pdf
from ficha.core.process import end_with_parent, on_all_cores

# To start a process takes longer than to draw these.
FEW = 8
SECONDS = 120


def drawn_sheet(
    stickers: Sequence[Sticker], format: StickerFormat, paper: Paper, base_url: str, idioma: Idioma = Idioma.ES
) -> bytes:
    """Raises CalledProcessError or TimeoutExpired: bugs of ours."""
    if len(stickers) <= FEW:
        return sheet_pdf(stickers, format, paper, base_url, idioma)
    return _drawn_apart(stickers, format, base_url, idioma, paper=paper)[0]


def drawn_pictures(stickers: Sequence[Sticker], format: StickerFormat, base_url: str) -> list[tuple[bytes, bytes]]:
    """SVG and PNG of each; raises the same."""
    if len(stickers) <= FEW:
        return pictures(stickers, format, base_url) if stickers else []
    drawn = _drawn_apart(stickers, format, base_url, Idioma.ES, paper=None)
    return list(zip(drawn[::2], drawn[1::2], strict=True))


def _drawn_apart(
    stickers: Sequence[Sticker], format: StickerFormat, base_url: str, idioma: Idioma, *, paper: Paper | None
) -> list[bytes]:
    asked = json.dumps({"stickers": stickers, "format": format, "base_url": base_url, "idioma": idioma, "paper": paper})
    # The interpreter that runs this, with fixed words.
    command = [sys.executable, "-m", "ficha.cards.sheet_process"]
    with on_all_cores():
        done = subprocess.run(command, input=asked.encode(), capture_output=True, check=True, timeout=SECONDS)  # noqa: S603
    return [b64decode(one) for one in done.stdout.split(b"\n")]


def _draw(asked: dict[str, Any]) -> list[bytes]:
    stickers = [Sticker(code, link, has_tag, tuple(words)) for code, link, has_tag, words in asked["stickers"]]
    format, base_url, idioma = StickerFormat(asked["format"]), asked["base_url"], Idioma(asked["idioma"])
    if asked["paper"] is not None:
        return [sheet_pdf(stickers, format, Paper(asked["paper"]), base_url, idioma)]
    return [one for both in pictures(stickers, format, base_url, idioma) for one in both]


if __name__ == "__main__":
    end_with_parent(os.getppid())
    sys.stdout.buffer.write(b"\n".join(b64encode(one) for one in _draw(json.load(sys.stdin))))
