"""After the first opening the network goes: what the phone still shows, for how long, and what it says of an alert."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.api.products.test_qr import scanned_png
from tests.waiting import eventually
from tests.web.browsing import Visitor, until, until_worker_is_active
from tests.web.sticker.blockable_proxy import proxy_to
from tests.web.sticker.demo_people import TOLD, DemoPeople

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

pytestmark = pytest.mark.browser

KEPT = "caches.keys().then((names) => names.filter((name) => name.startsWith('ficha /E/')))"
WORKERS = "navigator.serviceWorker.getRegistrations().then((found) => found.map((one) => new URL(one.scope).pathname))"
AGED = """async (hours) => {
  const [name] = await caches.keys(), cache = await caches.open(name), [key] = await cache.keys();
  const html = await (await cache.match(key)).text();
  await cache.put(key, new Response(html, { headers: { "x-seen": Date.now() - hours * 3600 * 1000 } }));
}"""


@contextmanager
def kept(visitor: Visitor, path: str, **more: Any) -> Iterator[Any]:
    """A phone that opened the page once, and has had the moment it takes to put it aside."""
    with visitor.at(path, width=390, **more) as page:
        until_worker_is_active(page, path)
        until(page, "(name) => caches.match(name, { cacheName: `ficha ${name}` }).then(Boolean)", path.upper())
        yield page


def is_gone(page: Any) -> bool:
    """Nothing but the browser's own page."""
    address = page.url
    page.goto("about:blank")
    with pytest.raises(sync_api.Error, match="net::ERR_"):
        page.goto(address)
    return not page.locator(".stop").count()


@pytest.mark.parametrize("case", [str.upper, str.lower], ids=["printed", "lower"])
def test_the_page_stays_readable_and_says_that_it_is_a_copy(
    visitor: Visitor, demo_people: DemoPeople, case: Any
) -> None:
    person = demo_people.new_owner()
    with kept(visitor, case(person.scanned)) as page:
        eventually(person.readings)  # Where a writer is at work, the log shows them a moment later.
        assert person.readings() == 1, "putting it aside is no second reading"
        signs = page.locator(".stop li").all_inner_texts()
        page.context.set_offline(True)
        page.reload()
        assert page.locator(".stop li").all_inner_texts() == signs
        assert "Sin conexión. Esta es la copia" in page.locator("#kept").inner_text()
        assert page.locator("a[href='tel:911']").is_visible()
        assert page.locator(f"a[href='tel:{person.contact_phone}']").is_visible()
        assert page.evaluate("getComputedStyle(document.querySelector('.stop')).color") == "rgb(255, 255, 255)"
        page.goto(f"{visitor.address}{case(person.scanned)}?l=en")
        assert page.locator(".stop li").all_inner_texts() == signs, "better in Spanish than not at all"
        page.context.set_offline(False)
        page.reload()
        assert page.locator("#kept").count() == 0
        assert page.evaluate(KEPT) == [f"ficha {person.scanned}"]
        eventually(lambda: person.readings() >= 2)
        assert person.readings() == 2, "one for each time that it was opened with a network"


def test_browsers_that_do_not_preload_get_the_fresh_page_too(visitor: Visitor, demo_people: DemoPeople) -> None:
    """There the worker asks the network itself, which its own policy must allow."""
    person = demo_people.new_owner()
    with kept(visitor, person.scanned) as page:
        page.evaluate("navigator.serviceWorker.ready.then((found) => found.navigationPreload.disable())")
        page.reload()
        assert page.locator("#kept").count() == 0
        assert page.locator(".stop").is_visible()


def test_a_copy_never_grows_younger_and_is_gone_after_a_day(visitor: Visitor, demo_people: DemoPeople) -> None:
    person = demo_people.new_owner()
    with kept(visitor, person.scanned) as page:
        page.context.set_offline(True)
        page.evaluate(AGED, 23.9)
        page.reload()
        page.reload()
        assert page.locator("#kept").is_visible()
        page.evaluate(AGED, 24.1)
        assert is_gone(page)
        page.context.set_offline(False)
        page.goto(visitor.address)
        assert page.evaluate(KEPT) == []


def test_copies_of_other_stickers_are_swept_when_their_day_is_over(visitor: Visitor, demo_people: DemoPeople) -> None:
    one, other = demo_people.new_owner(), demo_people.new_owner()
    with kept(visitor, one.scanned) as page:
        page.evaluate(AGED, 30)
        page.goto(visitor.address + other.scanned)
        until(page, f"{KEPT}.then((names) => names.join() === 'ficha {other.scanned}')")


def test_a_sticker_that_is_lost_is_wiped_from_the_phone(visitor: Visitor, demo_people: DemoPeople) -> None:
    person = demo_people.new_owner()
    with kept(visitor, person.scanned) as page:
        person.lose()
        page.reload()
        assert page.get_by_role("heading", name="Este QR ya no sirve").is_visible()
        until(page, f"{KEPT}.then((names) => names.length === 0)")
        assert person.scanned not in page.evaluate(WORKERS)
        page.context.set_offline(True)
        assert is_gone(page)


def test_a_network_that_never_answers_does_not_hold_the_page_back(visitor: Visitor, demo_people: DemoPeople) -> None:
    """One bar of signal is worse than none. What the answer says still counts when it comes: here, that it was lost."""
    person = demo_people.new_owner()
    with (
        proxy_to(demo_people.server.port) as proxy,
        kept(Visitor(visitor.browser, proxy.address), person.scanned) as page,
    ):
        proxy.block()
        page.reload()
        assert page.locator("#kept").is_visible()
        assert page.locator(".stop").is_visible()
        person.lose()
        proxy.unblock()
        until(page, f"{KEPT}.then((names) => names.length === 0)")


def test_a_copy_says_more_than_a_service_that_cannot_answer(visitor: Visitor, demo_people: DemoPeople) -> None:
    person = demo_people.new_owner()
    with (
        proxy_to(demo_people.server.port) as proxy,
        kept(Visitor(visitor.browser, proxy.address), person.scanned) as page,
    ):
        proxy.has_server = False
        page.reload()
        assert page.locator("#kept").is_visible() and page.locator(".stop").is_visible()
        proxy.has_server = True
        page.reload()
        assert not page.locator("#kept").count() and page.locator(".stop").is_visible()


def test_a_sticker_never_seen_before_opens_in_the_viewer(visitor: Visitor, demo_people: DemoPeople) -> None:
    """Its QR holds its lines; the page of another sticker left the viewer behind, once there was time for it."""
    person, other = demo_people.new_owner(), demo_people.new_owner()
    asked = {"code": other.code, "kind": "hybrid", "format": "png"}
    headers = {"Authorization": f"Bearer {other.token}"}
    link = scanned_png(demo_people.server.client.get("/v2/generators/qr", params=asked, headers=headers).content)
    sticker = f"/E/{urlsplit(link).path.partition('/E/')[2]}"
    with (
        proxy_to(demo_people.server.port) as proxy,
        Visitor(visitor.browser, proxy.address).at("/health/live", width=390) as page,
    ):
        page.clock.install()
        page.goto(proxy.address + person.scanned)
        page.clock.fast_forward(6000)
        until_worker_is_active(page, "/E/")
        page.context.set_offline(True)
        page.goto(f"{proxy.address}{sticker}#{urlsplit(link).fragment}")
        page.locator(".stop").wait_for()
        assert page.get_by_role("heading", name="Luis Alberto Molina").is_visible()
        page.context.set_offline(False)
        proxy.has_server = False  # What the QR holds is more than a service that cannot answer has to say.
        page.goto(f"{proxy.address}{sticker}?l=en#{urlsplit(link).fragment}")
        page.locator(".stop").wait_for()
        assert page.get_by_role("heading", name="Luis Alberto Molina").is_visible()


def test_what_broken_glass_shows_is_not_kept(visitor: Visitor, demo_people: DemoPeople) -> None:
    person = demo_people.new_owner()
    with kept(visitor, person.path) as page:
        page.get_by_text("Ver más datos").click()
        page.get_by_label("Su nombre o credencial").fill("Dra. Gil")
        page.get_by_label("Motivo").fill("Caída")
        page.get_by_role("button", name="Abrir más datos").click()
        page.get_by_text("Está viendo más datos").wait_for()
        page.context.set_offline(True)
        page.reload()
        assert page.locator("#kept").is_visible()
        assert page.locator("#deep").count() == 0


@pytest.mark.parametrize("after", ["first load", "copy"])
def test_an_alert_without_a_network_is_never_lost_in_silence(
    visitor: Visitor, demo_people: DemoPeople, after: str
) -> None:
    """It says so, the numbers stay, and it goes out once by itself when the network is back."""
    person = demo_people.new_owner()
    with kept(visitor, person.scanned) as page:
        page.context.set_offline(True)
        if after == "copy":
            page.reload()
        page.get_by_role("button", name="Avisar a la familia").click()
        page.get_by_role("alert").get_by_text("el aviso no ha salido todavía").wait_for()
        assert page.locator(f"a[href='tel:{person.contact_phone}']").is_visible()
        assert page.locator(".stop").is_visible()
        assert person.emergencies() == []
        page.context.set_offline(False)
        page.get_by_text("Recibimos su aviso").wait_for()
        assert page.get_by_role("alert").count() == 0
        page.get_by_text(TOLD).first.wait_for()
    [emergency] = person.emergencies()
    assert emergency["attributes"]["state"] == "open"


def test_an_alert_into_a_network_that_never_answers_says_so_too(visitor: Visitor, demo_people: DemoPeople) -> None:
    person = demo_people.new_owner()
    with proxy_to(demo_people.server.port) as proxy, Visitor(visitor.browser, proxy.address).at("/health/live") as page:
        page.clock.install()
        page.goto(proxy.address + person.scanned)
        proxy.block()
        page.get_by_role("button", name="Avisar a la familia").click()
        page.wait_for_timeout(200)
        assert page.get_by_role("alert").count() == 0
        page.clock.fast_forward(9000)
        page.get_by_role("alert").get_by_text("el aviso no ha salido todavía").wait_for()
        proxy.unblock()
        page.get_by_text("Recibimos su aviso").wait_for()
    assert len(person.emergencies()) == 1


def test_an_alert_by_a_sticker_that_was_just_lost_says_what_the_server_says(
    visitor: Visitor, demo_people: DemoPeople
) -> None:
    person = demo_people.new_owner()
    with visitor.at(person.scanned) as page:
        person.lose()
        page.get_by_role("button", name="Avisar a la familia").click()
        page.get_by_role("heading", name="Este QR ya no sirve").wait_for()
    assert person.emergencies() == []


def test_the_alert_is_part_of_what_is_kept(visitor: Visitor, demo_people: DemoPeople) -> None:
    """Whoever reloads without a network must not think that nobody was told."""
    person = demo_people.new_owner()
    with kept(visitor, person.scanned) as page:
        page.get_by_role("button", name="Avisar a la familia").click()
        page.get_by_text("Recibimos su aviso").wait_for()
        page.wait_for_timeout(300)
        page.context.set_offline(True)
        page.reload()
        assert page.locator("#kept").is_visible()
        assert page.get_by_text("Recibimos su aviso").is_visible()
