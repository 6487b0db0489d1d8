"""The sandbox page: what would have reached people, kept here instead. Development only."""

from ficha.web.sandbox.page import routes

__all__ = ["routes"]
