"""Stickers over HTTP: what staff preview, what a batch's sheets hold, and what an owner prints."""

import base64
import shutil
import subprocess
from io import BytesIO
from pathlib import Path
from typing import Any

import psutil
import pytest
from PIL import Image

from ficha.accounts.accounts import Role
from ficha.products.codes import issue_code
from tests.api.products.test_qr import opened
from tests.qr_reader import read_qr
from tests.world import Person, World

PREVIEW = "/v2/dev/inventory/stickers/preview"
PDF = {"Accept": "application/pdf"}


@pytest.fixture
def admin(world: World) -> Person:
    return world.somebody_with(Role.ADMIN)


def own_code(person: Person) -> str:
    return str(person.data["attributes"]["product_codes"][0])


def batch_of(admin: Person, count: int) -> tuple[int, dict[str, str]]:
    batch = admin.post("/v2/generators/codes", {"count": count}).json()["data"]["id"]
    lines = admin.get(f"/v2/batches/{batch}/csv", params={"tags": True}).text.split("\r\n")[1:-1]
    return batch, dict(line.split(",") for line in lines)


def scanned(uri: str) -> str:
    picture = Image.open(BytesIO(base64.b64decode(uri.removeprefix("data:image/png;base64,")))).convert("L")
    found = read_qr(picture)
    assert found is not None
    return found.text


def previewed(staff: Person, *codes: str, **asked: str) -> dict[str, Any]:
    answer = staff.get(PREVIEW, params={"codes": ",".join(codes)} | asked)
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


def test_a_preview_shows_each_sticker_and_names_the_unknown(world: World, admin: Person, ana: Person) -> None:
    staff = world.somebody_with(Role.STAFF)
    _, links = batch_of(admin, 2)
    code = min(links)
    with world.parts.database.writing() as tx:
        loose = issue_code(tx, world.clock.now()).code
    data = previewed(staff, code.lower(), loose, own_code(ana), "ZZZZZZ", code)
    assert data["unknown"] == ["ZZZZZZ"]
    shown = {each["id"]: each["attributes"] for each in data["stickers"]}
    assert list(shown) == [code, loose, own_code(ana)]
    assert (shown[code]["url"], shown[code]["has_tag"], shown[code]["notice"]) == (links[code], True, None)
    for typed in (loose, own_code(ana)):
        assert shown[typed]["url"] == f"HTTP://TESTSERVER/E/{typed}"
        assert shown[typed]["has_tag"] is False and "código escrito" in shown[typed]["notice"]
    for each in shown.values():
        assert scanned(each["png"]) == each["url"]
        assert base64.b64decode(each["svg"].removeprefix("data:image/svg+xml;base64,")).startswith(b"<svg")


def test_the_sheet_comes_as_a_pdf(world: World, admin: Person) -> None:
    _, links = batch_of(admin, 1)
    answer = admin.get(PREVIEW, params={"codes": min(links), "format": "band", "paper": "letter"}, headers=PDF)
    assert answer.headers["content-type"] == "application/pdf" and answer.content.startswith(b"%PDF-")
    assert admin.get(PREVIEW, params={"codes": "ZZZZZZ"}, headers=PDF).status_code == 200
    assert previewed(admin, "ZZZZZZ")["stickers"] == []


def test_a_preview_has_bounds(world: World, admin: Person) -> None:
    many = ",".join(["K7M2QX"] * 51)
    refused = admin.get(PREVIEW, params={"codes": many})
    assert refused.status_code == 422 and refused.json()["errors"][0]["code"] == "demasiadas_etiquetas"
    assert admin.get(PREVIEW, params={"codes": "K7M2QX", "format": "triangle"}).status_code == 422
    assert world.register().get(PREVIEW, params={"codes": "K7M2QX"}).status_code == 403


def test_the_tag_of_a_claimed_sticker_is_not_in_a_preview(world: World, admin: Person, ana: Person) -> None:
    _, links = batch_of(admin, 1)
    [(code, link)] = links.items()
    ana.post(f"/v2/products/{code}/claim", {"product_tag": link.rpartition("/")[2]})
    [sticker] = previewed(admin, code)["stickers"]
    assert sticker["attributes"]["url"] == f"HTTP://TESTSERVER/E/{code}"


def test_tags_are_destroyed_once_the_sheet_is_confirmed(world: World, admin: Person) -> None:
    batch = admin.post("/v2/generators/codes", {"count": 2}).json()["data"]["id"]
    early = admin.post(f"/v2/batches/{batch}/confirm")
    assert early.status_code == 409 and early.json()["errors"][0]["code"] == "pliego_sin_descargar"
    sheet = admin.get(f"/v2/batches/{batch}/sheet", params={"format": "helmet"})
    assert sheet.status_code == 200 and sheet.content.startswith(b"%PDF-")
    assert admin.get(f"/v2/batches/{batch}/sheet", params={"part": 2}).status_code == 404
    confirmed = admin.post(f"/v2/batches/{batch}/confirm").json()["data"]["attributes"]
    assert confirmed["has_tags"] is False and confirmed["confirmed_at"]
    again = admin.get(f"/v2/batches/{batch}/sheet")
    assert again.status_code == 409 and again.json()["errors"][0]["code"] == "marcas_destruidas"
    assert admin.post(f"/v2/batches/{batch}/confirm").status_code == 409
    code = admin.get("/v2/codes", params={"batch": batch}).json()["data"][0]["id"]
    assert previewed(admin, code)["stickers"][0]["attributes"]["has_tag"] is False


@pytest.mark.slow
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_large_sheet_is_drawn_apart_and_leaves_no_memory_behind(world: World, admin: Person) -> None:
    batch, links = batch_of(admin, 300)
    admin.get(PREVIEW, params={"codes": min(links)})  # What is loaded once stays.
    before = psutil.Process().memory_info().rss
    sheet = admin.get(f"/v2/batches/{batch}/sheet")
    assert sheet.status_code == 200 and sheet.content.startswith(b"%PDF-") and len(sheet.content) > 300_000
    shown = previewed(admin, *sorted(links)[:30])["stickers"]
    assert [scanned(each["attributes"]["png"]) for each in shown] == [links[code] for code in sorted(links)[:30]]
    assert psutil.Process().memory_info().rss - before < 15_000_000


def test_an_owner_prints_her_own_with_words_only_if_she_wants(world: World, ana: Person) -> None:
    code = own_code(ana)
    allergy = {"agente": {"texto": "Penicilina"}, "criticidad": "alta"}
    assert ana.put(f"/v2/fmd/{code}/alergiasa", {"alergias": [allergy]}).status_code == 200
    tag = ana.post(f"/v2/products/{code}/tag").json()["data"]["attributes"]["tag"]
    for body in ({}, {"product_tag": tag, "words": True, "format": "wallet", "count": 3, "idioma": "en"}):
        answer = ana.post(f"/v2/products/{code}/sticker", body)
        assert answer.status_code == 200, answer.text
        assert answer.content.startswith(b"%PDF-")
    actions = [each["attributes"]["action"] for each in ana.get(f"/v2/fmd/{code}/access-log").json()["data"]]
    assert {"sticker.printed", "sticker.words"} <= set(actions)
    wrong = ana.post(f"/v2/products/{code}/sticker", {"product_tag": "A" * 26})
    assert wrong.status_code == 422 and wrong.json()["errors"][0]["code"] == "tag_incorrecto"
    ana.put(f"/v2/fmd/{code}/consentimiento", {"visibilidad": {"alergiasa": "P"}})
    ana.post(f"/v2/products/{code}/sticker", {"words": True})
    newest = ana.get(f"/v2/fmd/{code}/access-log").json()["data"]
    assert [each["attributes"]["action"] for each in newest].count("sticker.words") == 1, (
        "what she hides is not printed"
    )


@pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="apt-get install poppler-utils")
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_an_owner_may_choose_a_qr_that_is_read_without_a_network(world: World, ana: Person, tmp_path: Path) -> None:
    code = own_code(ana)
    allergy = {"agente": {"texto": "Jugo de la abuela"}, "notas": "Anafilaxia"}
    assert ana.put(f"/v2/fmd/{code}/alergiasa", {"alergias": [allergy]}).status_code == 200
    tag = ana.post(f"/v2/products/{code}/tag").json()["data"]["attributes"]["tag"]
    link = f"HTTP://TESTSERVER/E/{code}/{tag}"
    for asked, has_lines in (({}, False), ({"offline": False}, False), ({"offline": True}, True)):
        for format in ("wallet", "helmet"):
            answer = ana.post(f"/v2/products/{code}/sticker", {"product_tag": tag, "format": format} | asked)
            read, _, fragment = printed_qr(answer.content, tmp_path).partition("#")
            assert read == link and bool(fragment) is has_lines
    assert "uJugo de la abuela: Anafilaxia" in opened(world, f"#{fragment}")
    actions = [each["attributes"]["action"] for each in ana.get(f"/v2/fmd/{code}/access-log").json()["data"]]
    assert actions.count("sticker.offline") == 2
    for small in ("round", "band", "bike"):
        refused = ana.post(f"/v2/products/{code}/sticker", {"format": small, "offline": True})
        assert refused.status_code == 422 and refused.json()["errors"][0]["code"] == "formato_pequeno"


def printed_qr(pdf: bytes, folder: Path) -> str:
    (folder / "sheet.pdf").write_bytes(pdf)
    names = [str(folder / "sheet.pdf"), str(folder / "sheet")]
    subprocess.run(["pdftoppm", "-r", "200", "-gray", "-singlefile", *names], check=True)
    found = read_qr(Image.open(folder / "sheet.pgm"))
    assert found is not None
    return found.text


def test_stickers_of_batches_never_carry_lines(world: World, admin: Person, ana: Person) -> None:
    """Not even those that somebody has claimed and filled; nobody can ask for it."""
    batch, links = batch_of(admin, 2)
    [(code, link), _] = links.items()
    ana.post(f"/v2/products/{code}/claim", {"product_tag": link.rpartition("/")[2]})
    ana.put(f"/v2/fmd/{code}/alergiasa", {"alergias": [{"agente": {"texto": "Maní"}, "criticidad": "alta"}]})
    for format in ("wallet", "helmet"):
        for each in previewed(admin, *links, format=format)["stickers"]:
            assert "#" not in each["attributes"]["url"] == scanned(each["attributes"]["png"])
    for path, asked in ((PREVIEW, {"codes": code}), (f"/v2/batches/{batch}/sheet", {})):
        assert admin.get(path, params=asked | {"offline": True}).status_code == 422


def test_a_sheet_that_is_asked_for_again_is_the_same_file(ana: Person) -> None:
    first, again = (
        ana.post(f"/v2/products/{own_code(ana)}/sticker", {}, headers={"Idempotency-Key": "hoja"}) for _ in range(2)
    )
    assert first.status_code == 200 and first.content.startswith(b"%PDF-"), first.text
    assert again.headers["Idempotency-Replayed"] == "true" and again.content == first.content
    for name in ("content-type", "content-disposition"):
        assert again.headers[name] == first.headers[name]
