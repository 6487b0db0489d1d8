"""Importing a library without another one that it would load although nothing of ours needs it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def hidden_module(name: str) -> Iterator[None]:
    """Meanwhile importing the module fails as if it were not installed: that is what None in its place means to Python.
    Nothing changes if it is loaded already."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[name]
