"""The `ficha` command."""

import gc
import os

# Pydantic would look for plugins of its own in every package that is installed: 12 ms, and we use none.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
# As in ficha/server.py: what is imported stays, so looking through it for rubbish is wasted.
gc.disable()

from ficha.cli.app import main as run  # noqa: E402

__all__ = ["main"]


def main() -> None:
    gc.freeze()
    gc.enable()
    run()
