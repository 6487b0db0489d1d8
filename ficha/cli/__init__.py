"""The `ficha` command."""

from ficha.cli.app import main

__all__ = ["main"]
