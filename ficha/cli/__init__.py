"""The `ficha` command."""

from ficha.cli.signals import end_on_ctrl_c

__all__ = ["main"]


def main() -> None:
    """Imports all the rest afterwards: Ctrl-C would show where the imports were."""
    end_on_ctrl_c()
    from ficha.core.process import begin_loading, end_loading

    begin_loading()
    from ficha.cli.app import main as run

    end_loading()
    run()
