"""The `ficha` command."""

import gc

# As in ficha/server.py: what is imported stays, so looking through it for rubbish is wasted.
gc.disable()

from ficha.cli.app import main as run  # noqa: E402

__all__ = ["main"]


def main() -> None:
    gc.freeze()
    gc.enable()
    run()
