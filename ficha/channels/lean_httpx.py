"""httpx without its command line, which it loads where the libraries for one are installed: eighty modules and five
megabytes in a process that serves."""

from ficha.core.hidden_module import hidden_module

with hidden_module("click"), hidden_module("pygments"):
    import httpx

__all__ = ["httpx"]
