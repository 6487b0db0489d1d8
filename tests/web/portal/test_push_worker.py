"""The service worker shows what comes, as a browser that was sent it."""

import json

import pytest

from tests.web.browsing import Visitor, until

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


def test_a_message_is_shown_and_a_second_takes_its_place(visitor: Visitor) -> None:
    with visitor.at("/", permissions=["notifications"]) as page:
        until(page, READY)
        protocol = page.context.new_cdp_session(page)
        registrations: list[str] = []
        protocol.on(
            "ServiceWorker.workerRegistrationUpdated",
            lambda told: registrations.extend(each["registrationId"] for each in told["registrations"]),
        )
        protocol.send("ServiceWorker.enable")
        until(page, "true")
        page.wait_for_timeout(0)
        assert registrations

        def deliver(data: str) -> None:
            sent = {"origin": visitor.address, "registrationId": registrations[-1], "data": data}
            protocol.send("ServiceWorker.deliverPushMessage", sent)

        expected = [MESSAGE[name] for name in ("title", "body", "tag", "url")]
        deliver(json.dumps(MESSAGE))
        until(page, f"{SHOWN}.then((all) => JSON.stringify(all) === JSON.stringify([{json.dumps(expected)}]))")
        deliver(json.dumps(MESSAGE | {"body": "Otra vez"}))
        until(page, f'{SHOWN}.then((all) => all.length === 1 && all[0][1] === "Otra vez")')
        deliver("no es JSON")
        until(page, f'{SHOWN}.then((all) => all.some((one) => one[0] === "Ficha"))')
