"""Rich's console for the commands that print tables, colours and progress."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def rich_console(*, stderr: bool = False) -> "Console":
    # Loaded when something is printed: `ficha serve` does without Rich, which would be a twentieth of its start.
    from rich.console import Console

    return Console(stderr=stderr)
