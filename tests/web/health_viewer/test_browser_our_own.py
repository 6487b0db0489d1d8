"""Our own Health Link and Health Card, made over the API as their owner does, open in our viewer."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.processes import Server
from tests.web.health_viewer.health_server import numeric
from tests.web.health_viewer.reader import HealthReader
from tests.web.sticker.demo_people import DemoPeople, StickerOwner

pytestmark = pytest.mark.browser

ALLERGIES = {
    "alergias": [{"medicamento": {"texto": "Penicilina", "sistema": "atc", "codigo": "J01C"}, "criticidad": "alta"}]
}


@pytest.fixture
def owner(ours: Server) -> StickerOwner:
    made = DemoPeople(ours).new_owner()
    saved = ours.client.put(f"/v2/fmd/{made.code}/alergiasm", json=ALLERGIES, headers=bearer(made))
    assert saved.status_code == 200, saved.text
    return made


def bearer(owner: StickerOwner) -> dict[str, str]:
    return {"Authorization": f"Bearer {owner.token}"}


def shared(owner: StickerOwner, **more: Any) -> str:
    """The link for whoever has only a browser."""
    ends = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    order = {"label": "Para la cardióloga", "ends_at": ends, **more}
    made = owner.server.post(f"/v2/fmd/{owner.code}/links", order, owner.token)
    assert made.status_code == 201, made.text
    found: str = made.json()["data"]["attributes"]["viewer_link"]
    return found


@pytest.mark.parametrize("more", [{}, {"direct": True}, {"passcode": "caballo-7"}, {"once": True}])
def test_our_link_opens_in_our_viewer(reader: HealthReader, owner: StickerOwner, more: dict[str, Any]) -> None:
    address, _, fragment = shared(owner, **more).partition("#")
    assert address == f"{reader.address}/ver"
    with reader.at(fragment) as page:
        assert "Para la cardióloga" in page.locator("#about").inner_text()
        if "passcode" in more:
            reader.opens(page, "otra-cosa")
            assert "Quedan 9 intentos" in page.locator("#refused").inner_text()
        reader.opens(page, more.get("passcode", ""))
        text = page.locator("#shown").inner_text()
        assert "Alergias e intolerancias" in text and "Penicilina" in text
        assert page.locator(".stop li").first.inner_text().startswith("Alergia grave")
    key = fragment.partition("/")[2]
    assert not [one for one in reader.asked if key in one]


def test_our_card_is_verified_as_ours_until_it_is_revoked(reader: HealthReader, owner: StickerOwner) -> None:
    """Its keys and the list of revoked cards are asked of us as of any issuer."""
    path = f"/v2/fmd/{owner.code}/health-card"
    [card] = owner.server.get(path, owner.token).json()["verifiableCredential"]
    with reader.at() as page:
        reader.given(page, numeric(card))
        assert "Verificada: emitida por Ficha" in page.locator("[data-verdict=verified]").inner_text()
        text = page.locator("#shown").inner_text()
        assert "Penicilinas (clase)" in text
        [listed] = owner.server.get(f"{path}s", owner.token).json()["data"]
        ended = owner.server.client.delete(f"{path}s/{listed['id']}", headers=bearer(owner))
        assert ended.status_code in (200, 204), ended.text
    with reader.at() as page:
        reader.given(page, card)
        page.locator("[data-verdict=revoked]").wait_for()
