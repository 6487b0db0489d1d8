"""The `ficha` command."""

import os

from ficha.core.process import begin_loading, end_loading

# Pydantic would look for plugins of its own in every package that is installed: 12 ms, and we use none.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
begin_loading()

from ficha.cli.app import main as run  # noqa: E402

__all__ = ["main"]


def main() -> None:
    end_loading()
    run()
