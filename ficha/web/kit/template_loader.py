"""Loads a template from its file, once for all who ask for it together."""

from collections.abc import MutableMapping
from pathlib import Path
from threading import Lock
from typing import Any

from jinja2 import Environment, FileSystemLoader, Template


class TemplateLoader(FileSystemLoader):
    """The first readers of a page, all at once, would each compile it: megabytes for each, which stay with the process.
    The environment keeps what was loaded; this is for those who asked before it was."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._lock = Lock()
        self._loaded: dict[str, Template] = {}

    def load(self, environment: Environment, name: str, globals: MutableMapping[str, Any] | None = None) -> Template:
        with self._lock:
            found = self._loaded.get(name)
            if found is None:
                found = self._loaded[name] = super().load(environment, name, globals)
            return found
