"""Somebody who opens the viewer in a real browser, and everything that her browser asks of anybody."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.web.browsing import until
from tests.web.health_viewer.health_server import HealthServer, SharedLink, base64url

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

READY = "document.getElementById('viewer').dataset.ready === 'yes'"
IDLE = "document.getElementById('wait').textContent === ''"


@dataclass
class HealthReader:
    browser: "Browser"
    address: str
    server: HealthServer
    asked: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    @contextmanager
    def at(self, fragment: str = "", *, width: int = 390, query: str = "", **more: Any) -> Iterator["Page"]:
        """The certificate of the test's server is its own."""
        usual: dict[str, Any] = {"viewport": {"width": width, "height": 800}, "locale": "es-VE"}
        context = self.browser.new_context(ignore_https_errors=True, **usual | more)
        context.on("request", lambda one: self.asked.append(f"{one.url}\n{one.headers}\n{one.post_data or ''}"))
        page = context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("dialog", lambda dialog: self.faults.append(f"a script of others ran: {dialog.message}"))
        page.on("console", lambda said: self.faults.append(said.text) if "Security Policy" in said.text else None)
        page.goto(f"{self.address}/ver{query}{f'#{fragment}' if fragment else ''}")
        until(page, READY)
        yield page
        context.close()

    @contextmanager
    def opened(self, link: SharedLink, passcode: str = "", **claims: Any) -> Iterator["Page"]:
        with self.at(self.server.text_of(link, **claims)) as page:
            self.opens(page, passcode)
            yield page
        self.kept_to_herself(link)

    def opens(self, page: "Page", passcode: str = "", recipient: str = "Hospital Central") -> None:
        page.locator("#recipient").fill(recipient)
        if passcode:
            page.locator("#passcode").fill(passcode)
        page.locator("#open").click()
        until(page, IDLE)
        page.locator("#shown:visible, #refused:visible").first.wait_for()

    def given(self, page: "Page", text: str) -> "Page":
        page.locator("#text").fill(text)
        page.locator("#give button").first.click()
        until(page, IDLE)
        page.locator("#shown:visible, #refused:visible, #ask:visible").first.wait_for()
        return page

    def kept_to_herself(self, link: SharedLink) -> None:
        """Nobody was told the key: neither us nor the link's own server, in no address, header or body."""
        key = base64url(link.key)
        told = [*self.asked, *("\n".join(one) for one in self.server.seen)]
        assert told and not [one for one in told if key in one or link.key.hex() in one or "shlink" in one]
