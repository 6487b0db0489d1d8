"""A real server and a real browser, for what only a browser can tell."""

import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.server.process import free_port

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """`ficha serve` in a process of its own; gives its address."""
    port, sandbox_port = free_port(), free_port()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FICHA_")}
    environment |= {
        "FICHA_DATA_DIR": str(folder / "data"),
        "FICHA_PORT": str(port),
        "FICHA_SANDBOX_PORT": str(sandbox_port),
        "FICHA_RATE_LIMITS": "off",
        "FICHA_LOG_LEVEL": "warning",
    }
    command = [sys.executable, "-m", "ficha", "serve", "--demo"]
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    try:
        _wait(f"{address}/health/live", server)
        yield address
    finally:
        server.terminate()
        server.wait(30)


@contextmanager
def launched() -> Iterator["Browser"]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@dataclass
class Visitor:
    """Opens pages and writes down what went wrong in them."""

    browser: "Browser"
    address: str
    faults: list[str] = field(default_factory=list)

    @contextmanager
    def at(self, path: str, *, width: int = 1280, scripts: bool = True, dark: bool = False) -> Iterator["Page"]:
        context = self.browser.new_context(
            viewport={"width": width, "height": 800},
            java_script_enabled=scripts,
            color_scheme="dark" if dark else "light",
            locale="es-VE",
        )
        page = context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda said: self.faults.append(said.text) if "Security Policy" in said.text else None)
        page.on("request", lambda asked: self._check_host(asked.url))
        page.goto(self.address + path)
        yield page
        context.close()

    def _check_host(self, url: str) -> None:
        if not url.startswith((self.address, "data:")):
            self.faults.append(f"a request went elsewhere: {url}")


def _wait(url: str, server: "subprocess.Popen[bytes]") -> None:
    for _ in range(300):
        assert server.poll() is None, "the server stopped"
        try:
            urllib.request.urlopen(url, timeout=2).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the server never answered")
