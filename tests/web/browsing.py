"""A real server and a real browser, for what only a browser can tell."""

import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

import pytest

from tests.processes import Server, environment, ficha

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

CHROMIUM = shutil.which("chromium")
# The same without a window, its menus and its notifications: two thirds of the work.
LIGHT_CHROMIUM = shutil.which("chromium-headless-shell") or CHROMIUM
# With each window, Chromium starts two pages of its own, which wait to complete an address, and a process for the page
# that may be opened next: more than half of what a window costs. Of two lists the later counts, so the names that
# Playwright gives are in this one too.
UNWANTED = (
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "SpareRendererForSitePerProcess",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
)
ARGUMENTS = [
    f"--disable-features={','.join(UNWANTED)}",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # No page stays long enough to pay for making its scripts faster.
    "--js-flags=--no-turbofan,--no-maglev",
]

IS_ACTIVE = """(scope) => navigator.serviceWorker.getRegistrations().then((all) => all.some((one) =>
  new URL(one.scope).pathname === scope && one.active && one.active.state === "activated"))"""


def demo_server(folder: Path, sqlite_file: Path) -> Server:
    """The service in a process of its own, with its sandbox and the demo people. `ficha serve --demo` would make them
    in a fresh interpreter, which takes longer than all the rest of the start."""
    data = folder / "data"
    data.mkdir(mode=0o700)
    shutil.copy(sqlite_file, data / "ficha.db")
    ficha("demo", env=environment("", data))
    return Server("", data, "--sandbox", FICHA_LOG_LEVEL="warning")


def address_of(server: Server) -> str:
    return f"http://127.0.0.1:{server.port}"


@contextmanager
def launched(executable: str | None = CHROMIUM) -> Iterator["Browser"]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if executable is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        yield browser
        browser.close()


@contextmanager
def whole_browser(browser: "Browser") -> Iterator["Browser"]:
    """Beside the light one, for what only the whole Chromium has."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    whole = browser.browser_type.launch(executable_path=CHROMIUM, args=ARGUMENTS)
    yield whole
    whole.close()


class SharedBrowser:
    """One Chromium for all files of a test process that need one, one after the other: to start it and Playwright takes
    two seconds of work, and what one test does is kept from the next by contexts.

    Playwright's loop stays behind in the thread that started it, where other tests run their own. So it is closed
    before the first test that is no browser's, and opened again if need be.
    """

    def __init__(self) -> None:
        self._browser: Browser | None = None
        self._open = ExitStack()

    def get(self) -> "Browser":
        if self._browser is None:
            self._browser = self._open.enter_context(launched(LIGHT_CHROMIUM))
        return self._browser

    def close(self) -> None:
        self._browser = None
        self._open.close()


def end_session(page: "Page") -> None:
    """Once nothing is under way any more: every answer, a picture's as well, renews the cookies."""
    page.wait_for_load_state("networkidle")
    page.context.clear_cookies()


def until(page: "Page", claim: str, about: Any = None, *, seconds: float = 60) -> None:
    """Asks the page again and again. Playwright's own way of waiting is code that our policies refuse to run."""
    deadline = time.monotonic() + seconds
    while not page.evaluate(claim, about):
        assert time.monotonic() < deadline, f"it never became so: {claim}"
        page.wait_for_timeout(50)


def until_worker_is_active(page: "Page", scope: str) -> None:
    """Only an active service worker has kept everything and answers without a network. `getRegistration(scope)` is not
    asked for this: who asks while the worker is being registered makes Chromium forget, once in fifty times, that there
    is one, also when a page of that scope is opened."""
    until(page, IS_ACTIVE, scope)


def reload_until_shown(page: "Page", found: "Locator", *, seconds: float = 60) -> "Locator":
    """Reloads the sandbox's page until `found` is there: what a job sends may take a while. To load it takes far more
    than to ask whether there is news, so it asks first."""
    deadline = time.monotonic() + seconds
    while not found.count():
        seen = page.locator("#reload").get_attribute("data-news") or ""
        while page.request.get(urljoin(page.url, "/sandbox/news"), params={"seen": seen}).json()["news"] == seen:
            assert time.monotonic() < deadline, f"never shown: {found}"
            page.wait_for_timeout(100)
        page.reload()
    return found


@dataclass
class Visitor:
    """Opens pages and writes down what went wrong in them."""

    browser: "Browser"
    address: str
    faults: list[str] = field(default_factory=list)

    @contextmanager
    def at(
        self, path: str, *, width: int = 1280, scripts: bool = True, dark: bool = False, **more: Any
    ) -> Iterator["Page"]:
        """`more` is said of the browser's context: where it stands, what it speaks."""
        usual: dict[str, Any] = {
            "viewport": {"width": width, "height": 800},
            "java_script_enabled": scripts,
            "color_scheme": "dark" if dark else "light",
            "locale": "es-VE",
        }
        context = self.browser.new_context(**usual | more)
        page = context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda said: self.faults.append(said.text) if "Security Policy" in said.text else None)
        page.on("request", lambda asked: self._check_host(asked.url))
        page.goto(self.address + path)
        yield page
        context.close()

    def each(self, paths: Iterable[str], **more: Any) -> Iterator[tuple[str, "Page"]]:
        """One page after the other in one window: opening another takes longer than most pages."""
        with self.at("/health/live", **more) as page:
            for path in paths:
                page.goto(self.address + path)
                yield path, page

    def _check_host(self, url: str) -> None:
        if not url.startswith((self.address, "data:")):
            self.faults.append(f"a request went elsewhere: {url}")
