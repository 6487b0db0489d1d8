"""Passkeys in a real browser, with a device that Chromium plays."""

import pytest

from tests.processes import Server
from tests.web.axe import violations
from tests.web.browsing import Visitor, end_session
from tests.world import CLAVE, registration

pytestmark = pytest.mark.browser

DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def test_a_passkey_is_made_and_is_a_way_in(visits: Visitor, demo: Server) -> None:
    # Browsers know passkeys at names only, so the laptop is called by its name.
    visitor = Visitor(visits.browser, f"http://localhost:{demo.port}")
    body = registration()
    assert demo.post("/v2/auth/register", body).status_code == 201
    with visitor.at("/login?next=/app/mi-cuenta/llaves", width=390) as page:
        tools = page.context.new_cdp_session(page)
        tools.send("WebAuthn.enable")
        device = tools.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})["authenticatorId"]
        page.get_by_label("Correo").fill(body["correo"])
        page.get_by_label("Clave").fill(CLAVE)
        page.get_by_role("button", name="Entrar", exact=True).click()
        page.get_by_label("Su clave actual").fill(CLAVE)
        page.get_by_label("Nombre, para reconocerla").fill("mi teléfono")
        page.keyboard.press("Enter")
        make = page.get_by_role("button", name="Crear la llave ahora")
        make.wait_for()
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        # A device that refuses: said, and tried again.
        tools.send("WebAuthn.setUserVerified", {"authenticatorId": device, "isUserVerified": False})
        page.evaluate("document.querySelector('[data-passkey]').dataset.passkey = '{}'")
        make.click()
        page.get_by_text("El dispositivo no terminó").wait_for()
        tools.send("WebAuthn.setUserVerified", {"authenticatorId": device, "isUserVerified": True})
        page.go_back()
        page.get_by_label("Su clave actual").fill(CLAVE)
        page.get_by_label("Nombre, para reconocerla").fill("mi teléfono")
        page.keyboard.press("Enter")
        make.click()
        page.get_by_role("heading", name="Guarde estos códigos").wait_for()
        end_session(page)
        page.goto(f"{visitor.address}/login")
        page.get_by_role("button", name="Entrar con llave de acceso").click()
        page.wait_for_url("**/app")
        page.goto(f"{visitor.address}/app/mi-cuenta/llaves")
        assert page.get_by_text("mi teléfono").first.is_visible()
        assert violations(page) == []
        # After the clave, as a second step.
        end_session(page)
        page.goto(f"{visitor.address}/login")
        page.get_by_label("Correo").fill(body["correo"])
        page.get_by_label("Clave").fill(CLAVE)
        page.get_by_role("button", name="Entrar", exact=True).click()
        page.get_by_role("heading", name="Un paso más").wait_for()
        assert violations(page) == []
        page.get_by_role("button", name="Entrar con llave de acceso").click()
        page.wait_for_url("**/app")
    assert visitor.faults == []
