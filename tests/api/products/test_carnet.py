"""The carnet: issued, printed, verified by anybody, revoked."""

import shutil
import subprocess
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from sqlalchemy import select

from ficha.accounts.accounts import Role
from ficha.audit.verify_entries import verify_record
from ficha.cards.carnets import Carnet
from tests.api.products.test_qr import opened
from tests.fmd.documents import example_of, model_named
from tests.qr_reader import read_qr
from tests.world import Person, World

MEDICAL = ("Penicilina", "María", "4125551111", "Ana", "Pérez")
SERVICE = {"name": "Colegio San José", "primary_color": "#f4d35e"}


@pytest.fixture
def owner(world: World) -> Person:
    person = world.register()
    contact = {"nombre": "María Rojas", "relacion": "madre", "cod_telefono": "+58", "telefono": "4125551111"}
    models: dict[str, Any] = {
        "personal": {"nombres": "Ana Lucía", "apellidos": "Pérez", "fecha_nacimiento": "2012-05-01"},
        "alergiasa": {"alergias": [{"agente": {"texto": "Penicilina"}, "criticidad": "alta"}]},
        "emergencia": {"contactos": [contact]},
    }
    for model, body in models.items():
        assert person.put(f"/v2/fmd/{own_code(person)}/{model}", body).status_code == 200
    return person


def own_code(person: Person) -> str:
    return str(person.data["attributes"]["product_codes"][0])


def issued(owner: Person, **body: Any) -> dict[str, Any]:
    answer = owner.post(f"/v2/carnet/{own_code(owner)}/issue", body or None)
    assert answer.status_code == 201, answer.text
    attributes: dict[str, Any] = answer.json()["data"]["attributes"]
    return attributes


def file(owner: Person, kind: str, **asked: str) -> bytes:
    answer = owner.get(f"/v2/carnet/{own_code(owner)}.{kind}", params=asked)
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    return answer.content


def scanned(png: bytes) -> str:
    found = read_qr(Image.open(BytesIO(png)).convert("L"))
    assert found is not None
    return found.text


def state(owner: Person) -> str:
    return str(owner.get(f"/v2/carnet/{own_code(owner)}").json()["data"]["attributes"]["state"])


def test_a_carnet_is_issued_printed_and_opens_the_record(world: World, owner: Person) -> None:
    assert state(owner) == "none"
    assert owner.get(f"/v2/carnet/{own_code(owner)}.pdf").status_code == 409
    carnet = issued(owner)
    assert state(owner) == "issued" and carnet["verify_url"] == f"http://testserver/carnet/{carnet['serial']}"
    again = owner.post(f"/v2/carnet/{own_code(owner)}/issue")
    assert again.status_code == 409 and again.json()["errors"][0]["code"] == "carnet_vigente"
    link = scanned(file(owner, "png"))
    assert link.startswith(f"HTTP://TESTSERVER/E/{carnet['code']}/")
    page = world.reader.get(link.removeprefix("HTTP://TESTSERVER"))
    assert page.status_code == 200 and "Penicilina" in page.text
    with world.parts.database.reading() as tx:
        [row] = tx.orm.scalars(select(Carnet))
        assert row.sealed is not None and link.rpartition("/")[2].encode() not in row.sealed
    actions = [
        each["attributes"]["action"] for each in owner.get(f"/v2/fmd/{own_code(owner)}/access-log").json()["data"]
    ]
    assert {"carnet.issued", "carnet.printed"} <= set(actions)
    with world.parts.database.reading() as tx:
        assert verify_record(tx, owner.data["attributes"]["fmd_code"]) == []


@pytest.mark.skipif(not shutil.which("pdftotext"), reason="pdftotext is not installed: apt-get install poppler-utils")
def test_it_says_what_is_still_true_in_a_year(owner: Person, tmp_path: Path) -> None:
    models: dict[str, Any] = {
        "personal": {"nombres": "Eva", "apellidos": "Pérez", "fecha_nacimiento": "2026-09-01"},
        "cuerpo": {"peso_kg": 4.2},
        "salud": {"embarazo": {"estado": "embarazada", "fecha_probable_parto": "2027-02-01"}},
    }
    for model, body in models.items():
        assert owner.put(f"/v2/fmd/{own_code(owner)}/{model}", body).status_code == 200
    issued(owner)
    (tmp_path / "carnet.pdf").write_bytes(file(owner, "pdf", idioma="es"))
    told = subprocess.run(["pdftotext", "-layout", str(tmp_path / "carnet.pdf"), "-"], check=True, capture_output=True)
    words = " ".join(told.stdout.decode().split())
    assert "nac. 09/2026" in words and "parto hacia el 01/02/2027" in words
    assert not any(one in words for one in ("4,2 kg", "meses", "semanas"))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["wallet", "large"])
@pytest.mark.parametrize("idioma", ["es", "en", "pt"])
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_it_is_printed_in_two_forms_and_three_languages(
    world: World, owner: Person, form: str, idioma: str, tmp_path: Path
) -> None:
    admin = world.somebody_with(Role.ADMIN)
    assert admin.put("/v1/services/colegio", SERVICE).status_code == 200
    issued(owner, service="colegio")
    pdf = file(owner, "pdf", form=form, idioma=idioma)
    assert pdf.startswith(b"%PDF-") and b"pdfaid" in pdf
    assert file(owner, "svg", form=form, idioma=idioma).startswith(b"<svg")
    link = scanned(file(owner, "png", form=form, idioma=idioma))
    if shutil.which("pdftoppm"):
        (tmp_path / "carnet.pdf").write_bytes(pdf)
        names = [str(tmp_path / "carnet.pdf"), str(tmp_path / "carnet")]
        subprocess.run(["pdftoppm", "-r", "200", "-gray", "-singlefile", *names], check=True)
        found = read_qr(Image.open(tmp_path / "carnet.pgm"))
        assert found is not None and found.text == link


def test_a_name_in_letters_that_we_cannot_print_still_has_a_carnet(world: World, owner: Person) -> None:
    body = {"nombres": '名前 #panic("x")', "apellidos": "Ñandú ☃ العربية"}
    assert owner.put(f"/v2/fmd/{own_code(owner)}/personal", body).status_code == 200
    issued(owner)
    assert file(owner, "pdf").startswith(b"%PDF-")


def test_anybody_verifies_and_learns_nothing_medical(world: World, owner: Person) -> None:
    serial = issued(owner)["serial"]
    for typed in (serial, serial.lower(), f"{serial[:4]}-{serial[4:8]}-{serial[8:]}"):
        attributes = world.client.get(f"/v2/carnet/verify/{typed}").json()["data"]["attributes"]
        assert (attributes["state"], attributes["initials"]) == ("issued", "A. L. P.")
    answer = world.client.get(f"/v2/carnet/verify/{serial}").text + world.client.get(f"/carnet/{serial}").text
    assert not any(word in answer for word in (*MEDICAL, own_code(owner), str(owner.data["attributes"]["fmd_code"])))
    assert "Carnet válido" in answer and "A. L. P." in answer
    world.drain_reads()
    log = owner.get(f"/v2/fmd/{own_code(owner)}/access-log").json()["data"]
    assert "carnet.verified" in [each["attributes"]["action"] for each in log]
    assert world.client.get("/v2/carnet/verify/ZZZZZZZZZZZZ").status_code == 404
    assert world.client.get("/carnet/ZZZZZZZZZZZZ").status_code == 404


@pytest.mark.parametrize(
    ("language", "word"), [("es", "Carnet válido"), ("en", "Valid card"), ("pt", "Carteira válida")]
)
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_page_speaks_three_languages(world: World, owner: Person, language: str, word: str) -> None:
    serial = issued(owner)["serial"]
    page = world.client.get(f"/carnet/{serial}", params={"l": language})
    assert page.status_code == 200 and word in page.text
    assert page.headers["x-robots-tag"] == "noindex"


def test_a_revoked_carnet_opens_nothing_and_says_so(world: World, owner: Person) -> None:
    serial = issued(owner)["serial"]
    link = scanned(file(owner, "png")).removeprefix("HTTP://TESTSERVER")
    assert owner.post(f"/v2/carnet/{own_code(owner)}/revoke").json()["data"]["attributes"]["state"] == "revoked"
    for client in (world.reader, world.client):
        assert client.get(link).status_code == 410
    attributes = world.client.get(f"/v2/carnet/verify/{serial}").json()["data"]["attributes"]
    assert (attributes["state"], attributes["initials"]) == ("revoked", None)
    assert "Carnet anulado" in world.client.get(f"/carnet/{serial}").text
    assert owner.post(f"/v2/carnet/{own_code(owner)}/revoke").status_code == 409
    assert issued(owner)["serial"] != serial
    assert owner.get(f"/v2/fmd/{own_code(owner)}").status_code in (200, 404), "the sticker's own code is untouched"


def test_a_lost_carnet_is_revoked_and_an_old_one_expired(world: World, owner: Person) -> None:
    first = issued(owner)
    assert owner.post(f"/v2/products/{first['code']}/lost").status_code == 200
    assert state(owner) == "revoked"
    second = issued(owner)
    world.clock.move(days=366)
    owner.data["attributes"]["token"] = world.token_for(owner.id)
    assert state(owner) == "expired"
    assert world.client.get(f"/v2/carnet/verify/{second['serial']}").json()["data"]["attributes"]["state"] == "expired"
    assert owner.get(f"/v2/carnet/{own_code(owner)}.pdf").json()["errors"][0]["code"] == "sin_carnet"
    assert issued(owner)["serial"] != second["serial"]


def test_its_qr_is_read_without_a_network_only_if_the_owner_asks(world: World, owner: Person) -> None:
    carnet = issued(owner)
    link = scanned(file(owner, "png"))
    assert "#" not in link
    for form in ("wallet", "large"):
        read, _, fragment = scanned(file(owner, "png", form=form, offline="true")).partition("#")
        lines = opened(world, f"#{fragment}")
        assert read == link and lines[0].startswith(carnet["code"])
        assert "!{Alergia grave}: Penicilina" in lines and "c+584125551111 María Rojas, madre" in lines
    for kind in ("pdf", "svg"):
        assert len(file(owner, kind, offline="true")) > len(file(owner, kind))
    actions = [
        each["attributes"]["action"] for each in owner.get(f"/v2/fmd/{own_code(owner)}/access-log").json()["data"]
    ]
    assert actions.count("carnet.offline") == 4


def text_on(pdf: bytes) -> str:
    done = subprocess.run(["pdftotext", "-", "-"], input=pdf, capture_output=True, check=True)
    return " ".join(done.stdout.decode().split())


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="apt-get install poppler-utils")
def test_what_the_owner_hides_is_not_on_it_and_nobody_claims_that_it_is_not_there(world: World, owner: Person) -> None:
    issued(owner)
    shown = text_on(file(owner, "pdf"))
    assert "Alergia grave: Penicilina" in shown and "María Rojas" in shown
    owner.put(f"/v2/fmd/{own_code(owner)}/consentimiento", {"visibilidad": {"alergiasa": "P", "emergencia": "P"}})
    hidden = text_on(file(owner, "pdf"))
    assert "Penicilina" not in hidden and "María" not in hidden
    assert "Sin alertas graves en lo que se puede mostrar." in hidden


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="apt-get install poppler-utils")
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("form", ["wallet", "large"])
def test_it_says_where_the_autoinjector_is_however_many_signs_there_are(world: World, owner: Person, form: str) -> None:
    """Nothing is cut off: letters get smaller, and details that help less go first."""
    many: list[dict[str, Any]] = [
        {"agente": {"texto": f"Fruta del árbol número {place}"}, "criticidad": "alta"} for place in range(8)
    ]
    many[0] |= {"autoinyector": True, "guardado_en": "bolsillo rojo de la mochila"}
    models: dict[str, Any] = {wire: example_of(model_named(wire)) for wire in ("cardiologico", "salud", "medicacion")}
    for model, body in (models | {"alergiasa": {"alergias": many}}).items():
        assert owner.put(f"/v2/fmd/{own_code(owner)}/{model}", body).status_code == 200
    issued(owner)
    said = text_on(file(owner, "pdf", form=form))
    assert "Lleva autoinyector de adrenalina: bolsillo rojo de la mochila" in said
    assert "Usa insulina" in said and "Epilepsia" in said and "Marcapasos" in said
