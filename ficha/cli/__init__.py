"""The `ficha` command."""

import os

from ficha.cli.signals import end_on_ctrl_c

__all__ = ["main"]


def main() -> None:
    """Imports all the rest afterwards: Ctrl-C would show where the imports were."""
    end_on_ctrl_c()
    from ficha.core.process import begin_loading, end_loading

    # Pydantic would look for plugins of its own in every package that is installed: 12 ms, and we use none.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    begin_loading()
    from ficha.cli.app import main as run

    end_loading()
    run()
