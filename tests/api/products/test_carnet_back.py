"""The Health Card on the back of a carnet: only where its owner asks for it, and only where phones read it."""

import shutil
import subprocess
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from ficha.exchange.health_cards.reading import CardRevoked, HealthCard, read_card
from ficha.exchange.health_cards.writing import qr_text
from tests.api.fmd.test_fmd import fmd, patch
from tests.api.fmd.test_grants import let_in
from tests.api.products.test_carnet import file, issued, own_code, scanned
from tests.api.products.test_qr import opened
from tests.exchange.health_cards.test_health_cards import card_of, kinds, told_actions, verify
from tests.exchange.samples import SMALL, WHOLE
from tests.qr_reader import read_all_qr
from tests.world import Person, World

LARGE = {"form": "large", "health_card": "true"}
NEEDS_POPPLER = pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="apt-get install poppler-utils")
# In dots per inch: a good print, and a page as a cheap printer makes it.
RESOLUTIONS = (300, 150)


def printed(pdf: bytes, dots_per_inch: int, folder: Path) -> Image.Image:
    (folder / "carnet.pdf").write_bytes(pdf)
    names = [str(folder / "carnet.pdf"), str(folder / "carnet")]
    subprocess.run(["pdftoppm", "-r", str(dots_per_inch), "-gray", "-singlefile", *names], check=True)
    return Image.open(folder / "carnet.pgm")


def qr_codes(page: Image.Image) -> tuple[str, HealthCard]:
    """What the carnet's own says, and the Health Card."""
    said = sorted(one.text for one in read_all_qr(page.convert("L")))
    assert len(said) == 2, said
    return said[0], read_card(said[1])


def on_picture(owner: Person, **asked: str) -> tuple[str, HealthCard]:
    return qr_codes(Image.open(BytesIO(file(owner, "png", **asked))))


def listed(owner: Person) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = owner.get(fmd(owner, "/health-cards")).json()["data"]
    return found


def refusal(person: Person, owner: Person, asked: dict[str, str]) -> tuple[int, str]:
    answer = person.get(f"/v2/carnet/{own_code(owner)}.pdf", params=asked)
    return answer.status_code, answer.json()["errors"][0]["code"]


@NEEDS_POPPLER
@pytest.mark.parametrize("record", [SMALL, WHOLE], ids=["a few facts", "more than it holds"])
def test_it_is_read_from_the_printed_pdf_and_verified(
    world: World, ana: Person, record: dict[str, Any], tmp_path: Path
) -> None:
    patch(ana, "", record)
    issued(ana)
    pdf = file(ana, "pdf", **LARGE)
    assert pdf.startswith(b"%PDF-") and b"pdfaid" in pdf
    links = set()
    for dots_per_inch in RESOLUTIONS:
        link, card = qr_codes(printed(pdf, dots_per_inch, tmp_path))
        verify(world, card)
        assert card.signed == card_of(ana).signed
        links.add(link)
    assert links == {scanned(file(ana, "png"))}, "the carnet's own QR is what it was"
    drawing = file(ana, "svg", **LARGE)
    assert drawing.startswith(b"<svg") and len(drawing) > len(file(ana, "svg", form="large"))


def test_it_is_issued_listed_noted_and_revoked_like_any(world: World, ana: Person) -> None:
    patch(ana, "", SMALL)
    issued(ana)
    file(ana, "png", form="large")
    assert listed(ana) == [], "nobody asked for one"
    _, card = on_picture(ana, **LARGE)
    assert on_picture(ana, **LARGE)[1].signed == card.signed, "nothing changed, so it is the same"
    [shown] = listed(ana)
    actions = told_actions(world, ana)
    assert [actions.count(one) for one in ("health_card.issued", "health_card.taken")] == [1, 1]
    assert [actions.count(one) for one in ("carnet.health_card", "carnet.printed")] == [2, 1]
    assert ana.delete(fmd(ana, f"/health-cards/{shown['id']}")).status_code == 200
    with pytest.raises(CardRevoked):
        verify(world, card)
    verify(world, on_picture(ana, **LARGE)[1])


def test_the_small_carnet_refuses_and_nothing_is_issued(ana: Person) -> None:
    patch(ana, "", SMALL)
    assert refusal(ana, ana, LARGE) == (409, "sin_carnet")
    issued(ana)
    for asked in ({"health_card": "true"}, {"health_card": "true", "form": "wallet"}):
        answer = ana.get(f"/v2/carnet/{own_code(ana)}.png", params=asked)
        [error] = answer.json()["errors"]
        assert (answer.status_code, error["code"]) == (422, "carnet_pequeno")
        assert error["source"] == {"parameter": "form"} and "letra grande" in error["detail"]
    assert listed(ana) == []


def test_a_guardian_may_and_nobody_else(world: World, ana: Person) -> None:
    patch(ana, "", SMALL)
    issued(ana)
    guardian, delegate, stranger = (world.register() for _ in range(3))
    let_in(world, ana, guardian, "guardian")
    let_in(world, ana, delegate)
    assert refusal(delegate, ana, LARGE) == (403, "solo_titular")
    assert refusal(stranger, ana, LARGE) == (404, "ficha_no_encontrada")
    assert ana.client.get(f"/v2/carnet/{own_code(ana)}.pdf", params=LARGE).status_code == 401
    assert listed(ana) == []
    assert guardian.get(f"/v2/carnet/{own_code(ana)}.pdf", params=LARGE).status_code == 200
    assert len(listed(ana)) == 1


def test_what_the_owner_hides_is_not_on_it(ana: Person) -> None:
    patch(ana, "", SMALL)
    issued(ana)
    assert "AllergyIntolerance" in kinds(on_picture(ana, **LARGE)[1])
    patch(ana, "", {"consentimiento": {"visibilidad": {"alergiasm": "P"}}})
    assert "AllergyIntolerance" not in kinds(on_picture(ana, **LARGE)[1])


@NEEDS_POPPLER
def test_beside_the_lines_that_are_read_without_a_network_both_are_read(
    world: World, ana: Person, tmp_path: Path
) -> None:
    patch(ana, "", WHOLE)
    carnet = issued(ana)
    pdf = file(ana, "pdf", **LARGE, offline="true")
    for dots_per_inch in RESOLUTIONS:
        link, card = qr_codes(printed(pdf, dots_per_inch, tmp_path))
        assert opened(world, "#" + link.partition("#")[2])[0].startswith(carnet["code"])
        verify(world, card)
        assert qr_text(card.signed) == qr_text(card_of(ana).signed)
    actions = told_actions(world, ana)
    assert actions.count("carnet.offline") == actions.count("carnet.health_card") == 1


@NEEDS_POPPLER
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("idioma", ["es", "en", "pt"])
def test_contacts_however_long_leave_it_readable(world: World, ana: Person, idioma: str, tmp_path: Path) -> None:
    """They get smaller, and nothing is cut off."""
    contacts = [
        {
            "nombre": f"María de los Ángeles Rodríguez Fernán{n}",
            "relacion": "representante legal",
            "cod_telefono": "+58",
            "telefono": f"412555111{n}",
        }
        for n in range(3)
    ]
    patch(ana, "", {**WHOLE, "emergencia": {"contactos": contacts}})
    issued(ana)
    pdf = file(ana, "pdf", **LARGE, idioma=idioma)
    verify(world, qr_codes(printed(pdf, 150, tmp_path))[1])
    done = subprocess.run(["pdftotext", "-", "-"], input=pdf, capture_output=True, check=True)
    said = " ".join(done.stdout.decode().split())
    assert all(f"412-555111{n}" in said for n in range(3)) and "SMART Health Card" in said
