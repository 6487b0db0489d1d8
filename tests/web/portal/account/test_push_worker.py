"""The service worker shows what comes, as a browser that was sent it."""

import json
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING

import pytest

from tests.processes import Server
from tests.waiting import eventually
from tests.web.browsing import Visitor, address_of, until, whole_browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

MESSAGE = {
    "title": "Ana puede necesitar ayuda",
    "body": "Toque para responder.",
    "url": "/a/x",
    "tag": "emergencia:1:1",
    "lang": "es",
}
READY = """navigator.serviceWorker.register("/push-worker.js").then(() => navigator.serviceWorker.ready)
  .then((found) => found.active.state === "activated")"""
SHOWN = """navigator.serviceWorker.ready.then((found) => found.getNotifications())
  .then((all) => all.map((one) => [one.title, one.body, one.tag, one.data.url]))"""


# Counts what the worker has shown.
COUNT = """() => { const show = registration.showNotification.bind(registration);
  self.shown = 0;
  registration.showNotification = (...said) => show(...said).then(() => { shown += 1; }); }"""


@pytest.fixture(scope="module")
def visits(demo: Server, browser: "Browser") -> Iterator[Visitor]:
    with whole_browser(browser) as whole:
        yield Visitor(whole, address_of(demo))


def test_a_message_is_shown_and_a_second_takes_its_place(visitor: Visitor) -> None:
    with visitor.at("/", permissions=["notifications"]) as page:
        until(page, READY)
        eventually(lambda: page.evaluate("true") and page.context.service_workers)
        [worker] = page.context.service_workers
        worker.evaluate(COUNT)
        protocol = page.context.new_cdp_session(page)
        registrations: list[str] = []
        protocol.on(
            "ServiceWorker.workerRegistrationUpdated",
            lambda told: registrations.extend(each["registrationId"] for each in told["registrations"]),
        )
        protocol.send("ServiceWorker.enable")
        eventually(lambda: page.evaluate("true") and registrations)
        messages = count(1)

        def deliver(data: str) -> list[list[str]]:
            """Gives all that are shown then. Whoever asks sooner makes Chromium forget what is stored and not yet
            shown: that it is shown, only the worker may say."""
            sent = {"origin": visitor.address, "registrationId": registrations[-1], "data": data}
            protocol.send("ServiceWorker.deliverPushMessage", sent)
            number = next(messages)
            eventually(lambda: worker.evaluate("shown") == number)
            shown: list[list[str]] = page.evaluate(SHOWN)
            return shown

        expected = [MESSAGE[name] for name in ("title", "body", "tag", "url")]
        assert deliver(json.dumps(MESSAGE)) == [expected]
        [second] = deliver(json.dumps(MESSAGE | {"body": "Otra vez"}))
        assert second[1] == "Otra vez"
        assert "Ficha" in [title for title, *_ in deliver("no es JSON")]
