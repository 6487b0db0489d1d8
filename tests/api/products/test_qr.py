"""The QR of a sticker: made for those who may open the record, and read as a phone would read it."""

import re
from io import BytesIO
from typing import Any

import pytest
import zxingcpp
from PIL import Image

from ficha.audit.verify_entries import verify_record
from ficha.cards.qr import MAX_LETTERS, NotReadable, Symbol, link_of, symbol_of
from ficha.fmd.catalog import CATALOG
from ficha.fmd.offline.keys import signing_keys
from ficha.fmd.offline.packing import unpack
from ficha.products.codes import IssuedCode, issue_code
from tests.qr_reader import read_qr
from tests.world import Person, World

QR = "/v2/generators/qr"
LINK = "HTTPS://FICHA.EXAMPLE/E/K7M2QX"


def own_code(person: Person) -> str:
    return str(person.data["attributes"]["product_codes"][0])


def read(pixels: bytes, side: int) -> zxingcpp.Barcode:
    found = read_qr(memoryview(pixels).cast("B", (side, side)))
    assert found is not None
    return found


def scanned_png(content: bytes) -> str:
    """As a camera would: the file is opened again, one bit a pixel."""
    with Image.open(BytesIO(content), formats=["PNG"]) as opened:
        assert opened.mode == "1" and opened.width == opened.height
        return read(opened.convert("L").tobytes(), opened.width).text


def scanned_svg(text: str, scale: int = 3) -> zxingcpp.Barcode:
    """Draws the runs of the path."""
    side = int(re.findall(r'viewBox="0 0 (\d+) \1"', text)[0]) * scale
    pixels = bytearray(b"\xff" * side * side)
    for x, y, length in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\3z", text):
        for row in range(int(y) * scale, (int(y) + 1) * scale):
            start = row * side + int(x) * scale
            pixels[start : start + int(length) * scale] = bytes(int(length) * scale)
    return read(bytes(pixels), side)


def sticker_of(world: World, person: Person) -> IssuedCode:
    with world.parts.database.writing() as tx:
        sticker = issue_code(tx, world.clock.now())
    assert person.post(f"/v2/products/{sticker.code}/claim", {"product_tag": sticker.tag}).status_code == 200
    return sticker


def filled(person: Person) -> None:
    """Every model with its own example, and the owner hides nothing."""
    for model in CATALOG:
        document: dict[str, Any] = dict(model.about.example)
        if model.about.wire == "consentimiento":
            document["visibilidad"] = {}
        assert person.put(f"/v2/fmd/{own_code(person)}/{model.about.wire}", document).status_code == 200


def opened(world: World, link: str) -> list[str]:
    with world.parts.database.reading() as tx:
        keys = {key.id: key.public for key in signing_keys(tx, world.parts.keyring)}
    return unpack(link.partition("#")[2], keys).split("\n")


def test_a_code_has_a_qr_that_leads_to_its_door(ana: Person) -> None:
    answer = ana.get(QR, params={"code": own_code(ana).lower()})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.headers["cache-control"] == "no-store"
    found = scanned_svg(answer.text)
    assert found.text == f"HTTP://TESTSERVER/E/{own_code(ana)}"
    assert found.ec_level == "H"
    png = ana.get(QR, params={"code": own_code(ana), "format": "png"})
    assert png.headers["content-type"] == "image/png"
    assert scanned_png(png.content) == found.text


def test_whoever_holds_the_sticker_gets_its_tag_into_the_qr(world: World, ana: Person) -> None:
    sticker = sticker_of(world, ana)
    for tag in (sticker.tag, sticker.tag.lower()):
        answer = ana.get(QR, params={"code": sticker.code, "tag": tag})
        assert scanned_svg(answer.text).text == f"HTTP://TESTSERVER/E/{sticker.code}/{sticker.tag}"


def test_a_tag_that_is_not_the_sticker_s_is_refused(world: World, ana: Person) -> None:
    sticker = sticker_of(world, ana)
    for code, tag in ((own_code(ana), sticker.tag), (sticker.code, "A" * 26), (sticker.code, "")):
        answer = ana.get(QR, params={"code": code, "tag": tag})
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["code"] == "tag_incorrecto"
        assert answer.json()["errors"][0]["source"] == {"parameter": "tag"}


def test_a_hybrid_qr_carries_the_emergency_lines(world: World, ana: Person) -> None:
    filled(ana)
    sticker = sticker_of(world, ana)
    answer = ana.get(QR, params={"code": sticker.code, "tag": sticker.tag, "kind": "hybrid"})
    found = scanned_svg(answer.text)
    assert found.text.startswith(f"HTTP://TESTSERVER/E/{sticker.code}/{sticker.tag}#")
    assert found.ec_level == "M"
    assert len(found.text) <= MAX_LETTERS
    lines = opened(world, found.text)
    assert lines[:3] == [
        f"{sticker.code}20261115201205",
        "Ana Lucía Pérez Rojas",
        "!{Alergia grave}: {Penicilinas (clase)}, {Maní (cacahuate)}",
    ]
    assert "c+584125551111 María Rojas, madre" in lines
    assert "m{Insulina glargina}, 18 U" in lines
    png = ana.get(QR, params={"code": sticker.code, "tag": sticker.tag, "kind": "hybrid", "format": "png"})
    assert opened(world, scanned_png(png.content)) == lines


def test_what_the_owner_hides_is_not_in_the_qr_even_for_herself(world: World, ana: Person) -> None:
    filled(ana)
    hidden = {"visibilidad": {"alergiasm": "B", "emergencia": "P"}}
    ana.put(f"/v2/fmd/{own_code(ana)}/consentimiento", hidden)
    text = "\n".join(opened(world, scanned_svg(ana.get(QR, params=hybrid(ana)).text).text))
    assert "Maní" in text
    assert "Penicilina" not in text and "María" not in text


def hybrid(person: Person) -> dict[str, str]:
    return {"code": own_code(person), "kind": "hybrid"}


def test_the_longest_record_still_fits(world: World, ana: Person) -> None:
    """Fifty severe allergies in somebody's own words, and ten contacts with long names."""
    long = "ñandú ☃ " * 9
    contact = {"relacion": "vecina", "cod_telefono": "+58", "telefono": "4125551111"}
    bodies: dict[str, Any] = {
        "personal": {"nombres": "Ñ" * 120, "apellidos": "Á" * 120},
        "alergiasa": {
            "alergias": [{"agente": {"texto": f"{place} {long}"}, "criticidad": "alta"} for place in range(50)]
        },
        "emergencia": {"contactos": [{"nombre": f"{place} {long}", **contact} for place in range(10)]},
    }
    for model, body in bodies.items():
        assert ana.put(f"/v2/fmd/{own_code(ana)}/{model}", body).status_code == 200
    symbol = scanned_svg(ana.get(QR, params=hybrid(ana)).text)
    assert len(symbol.text) <= MAX_LETTERS
    lines = opened(world, symbol.text)
    assert lines[2].startswith("!{Alergia grave}") and re.fullmatch(r"~[0-9]+", lines[-1])


def test_unknown_lost_and_foreign_codes_are_the_same_404(world: World, ana: Person) -> None:
    luis = world.register()
    sticker = sticker_of(world, ana)
    ana.post(f"/v2/products/{sticker.code}/lost")
    answers = [
        ana.get(QR, params={"code": "ZZZZZZ"}),
        ana.get(QR, params={"code": sticker.code}),
        luis.get(QR, params={"code": own_code(ana)}),
        luis.get(QR, params={"code": own_code(ana), "tag": sticker.tag}),
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert len({str(answer.json()["errors"]) for answer in answers}) == 1
    assert ana.client.get(QR, params={"code": own_code(ana)}).status_code == 401


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("wrong", [{"format": "gif"}, {"kind": "todo"}, {"otro": "1"}, {"code": "x" * 21}])
def test_what_is_not_offered_is_refused(ana: Person, wrong: dict[str, str]) -> None:
    assert ana.get(QR, params={"code": own_code(ana)} | wrong).status_code == 422


def test_every_qr_is_written_down(world: World, ana: Person) -> None:
    ana.get(QR, params={"code": own_code(ana)})
    ana.get(QR, params=hybrid(ana))
    log = ana.get(f"/v2/fmd/{own_code(ana)}/access-log").json()["data"]
    actions = [entry["attributes"]["action"] for entry in log]
    assert {"qr.link", "qr.hybrid"} <= set(actions)
    with world.parts.database.reading() as tx:
        assert verify_record(tx, ana.data["attributes"]["fmd_code"]) == []


def test_a_sticker_s_link_is_small_and_strong() -> None:
    link = link_of("https://ficha.example", "k7m2qx", "a" * 26)
    assert link == f"HTTPS://FICHA.EXAMPLE/E/K7M2QX/{'A' * 26}"
    assert symbol_of(link, "H").version == 5


def test_a_full_fragment_stays_within_reach_of_a_phone() -> None:
    assert symbol_of("HTTPS://FICHA.EXAMPLE/E/K7M2QX#".ljust(MAX_LETTERS, "A"), "M").version <= 16


@pytest.mark.parametrize(
    "drawn",
    [
        lambda: Symbol(((True,) * 25,) * 25),
        lambda: symbol_of("HTTPS://FICHA.EXAMPLE/E/ZZZZZZ", "H"),
        lambda: symbol_of(LINK, "L"),
    ],
    ids=["unreadable", "another link", "another level"],
)
def test_a_symbol_that_does_not_say_what_it_should_is_never_returned(
    monkeypatch: pytest.MonkeyPatch, drawn: Any
) -> None:
    """The drawing goes wrong on purpose, and what is read back tells."""
    wrong, pixels = drawn(), Symbol.pixels
    monkeypatch.setattr(Symbol, "pixels", lambda _symbol, scale: pixels(wrong, scale))
    with pytest.raises(NotReadable):
        symbol_of(LINK, "H")
