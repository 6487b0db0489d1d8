"""On a phone: somebody without an account is invited, makes one there and is led to the record; and a record of her own
says what it still lacks until it protects."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ficha.channels.mail import FolderMailer
from ficha.core.clock import SystemClock
from tests.processes import Server
from tests.web.axe import violations
from tests.web.browsing import Visitor
from tests.web.journeys import JOURNEYS, Journey
from tests.web.portal.test_browser_pages import OPEN_ALL, SMALL, WIDTH
from tests.web.sticker.demo_people import DemoPeople
from tests.world import CLAVE, new_correo

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

WORDS = {
    "es": ("Crear la cuenta y aceptar", "Abrir la ficha", "Empezar mi propia ficha", "Guardar", "Todavía no protege"),
    "en": (
        "Create the account and accept",
        "Open the record",
        "Begin a record of my own",
        "Save",
        "It does not protect yet",
    ),
    "pt": ("Criar a conta e aceitar", "Abrir a ficha", "Começar a minha própria ficha", "Salvar", "Ainda não protege"),
}


def mailed_link(server: Server, correo: str) -> str:
    """The path of the page behind the invitation that was mailed to this address."""
    mails = Path(server.env["FICHA_DATA_DIR"]) / "sandbox" / "mail"
    folder, deadline = FolderMailer(mails, "", SystemClock()), time.monotonic() + 60
    while time.monotonic() < deadline:
        for mail in folder.newest():
            if mail.to == correo and (found := mail.text.partition("/invitacion/")[2]):
                return f"/invitacion/{found.split()[0]}"
        time.sleep(0.1)
    raise AssertionError("nothing was mailed")


def check(page: "Page", journey: Journey) -> None:
    """With every fold open. Without scripts there is no axe."""
    if journey.scripts:
        page.wait_for_load_state()
        page.evaluate(OPEN_ALL)
        assert page.evaluate(WIDTH) <= journey.width
        assert page.evaluate(SMALL) == [] and violations(page) == []


@JOURNEYS
def test_who_is_invited_joins_and_learns_what_is_missing(
    visitor: Visitor, demo_people: DemoPeople, journey: Journey
) -> None:
    create, open_record, begin, save, not_yet = WORDS[journey.language]
    owner, correo = demo_people.new_owner(), new_correo()
    offer = {"correo": correo, "tipo": "guardian", "hasta": None}
    assert demo_people.server.post(f"/v2/fmd/{owner.code}/grants", offer, token=owner.token).status_code == 201
    with visitor.at(mailed_link(demo_people.server, correo), **journey.browsing) as page:
        page.get_by_role("button", name=create).click()
        check(page, journey)  # Nothing was typed: the faults stand beside their fields.
        page.locator('[name="nombre"]').fill("Luisa Molina")
        page.locator('[name="clave_nueva"]').fill(CLAVE)
        page.get_by_role("button", name=create).click()
        check(page, journey)
        page.get_by_role("link", name=open_record).click()
        assert page.url.partition("?")[0].endswith(f"/app/{owner.code}")
        check(page, journey)
        page.goto(f"{visitor.address}/app")
        assert page.locator(".card").count() == 1
        check(page, journey)
        page.get_by_role("link", name=begin).click()
        page.get_by_role("button", name=save, exact=True).click()
        assert page.get_by_text(not_yet).count() == 1
        assert page.locator(".next a").count() == 3, "a contact and a sticker are asked for, and one thing is advised"
        check(page, journey)
