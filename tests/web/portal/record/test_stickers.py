"""The stickers of a record and who looked at it, on pages."""

import re
from datetime import timedelta

from ficha.products.codes import issue_code
from tests.api.products.test_qr import scanned_png
from tests.web.portal.page_session import PageUser, logged_in
from tests.world import Person, World


def code_of(person: Person) -> str:
    return str(person.data["attributes"]["product_codes"][0])


def with_sticker(world: World, ana: Person) -> tuple[str, str]:
    """A second sticker of hers, with its tag."""
    with world.parts.database.writing() as tx:
        issued = issue_code(tx, world.clock.now())
    claimed = ana.post(f"/v2/products/{issued.code}/claim", {"product_tag": issued.tag})
    assert claimed.status_code == 200
    return issued.code, issued.tag


def test_a_lost_sticker_opens_nothing_after_two_taps(world: World, ana: Person) -> None:
    code, tag = with_sticker(world, ana)
    user, path = logged_in(world, ana), f"/app/{code_of(ana)}/etiquetas"
    assert f"Marcar {code} como perdida" in user.get(path).text and "Desde 15/11/2026" in user.get(path).text
    assert "Since 15 Nov 2026" in user.get(f"{path}?l=en").text
    assert world.reader.get(f"/E/{code}/{tag}").status_code == 200
    assert user.submit(path, do=f"lost:{code}").headers["location"] == path
    assert "Perdida: no abre nada" in user.get(path).text
    assert ana.get(f"/v2/products/{code}").json()["data"]["attributes"]["state"] == "lost"
    # Again, or for a sticker of somebody else, nothing happens.
    other = code_of(world.register())
    for do in (f"lost:{code}", f"retire:{other}", f"tag:{other}", "x", ""):
        assert user.submit(path, do=do).status_code == 303
    assert world.client.get(f"/e/{other}").status_code == 200


def test_the_page_goes_on_by_another_code_when_its_own_ends(world: World, ana: Person) -> None:
    code, _ = with_sticker(world, ana)
    first = code_of(ana)
    gone = logged_in(world, ana).submit(f"/app/{first}/etiquetas", do=f"retire:{first}")
    assert gone.headers["location"] == f"/app/{code}/etiquetas"


def test_a_new_qr_is_shown_once_and_the_old_one_dies(world: World, ana: Person) -> None:
    code, tag = with_sticker(world, ana)
    user, path = logged_in(world, ana), f"/app/{code_of(ana)}/etiquetas"
    page = user.submit(path, do=f"tag:{code}")
    assert page.headers["referrer-policy"] == "no-referrer"
    found = re.search(rf"HTTP://TESTSERVER(/E/{code}/[A-Z2-7]{{26}})", page.text)
    assert found is not None and tag not in found.group(1)
    assert world.reader.get(found.group(1)).status_code == 200
    assert world.reader.get(f"/E/{code}/{tag}").status_code == 410
    assert found.group(1) not in user.get(path).text
    # While the tag is at hand: a page to print, whose QR says the same.
    new = found.group(1).rpartition("/")[2]
    sheet = user.submit(path, to=f"{path}/hoja", which=code, tag=new, format="wallet")
    assert sheet.headers["content-type"] == "application/pdf" and sheet.content.startswith(b"%PDF")
    # The QR that is read without a network is chosen, never given: its box is empty, and a warning stands above it.
    assert "Lo impreso no se puede retirar." in page.text and " checked" not in page.text
    assert re.search(r'<input type="checkbox" name="offline" value="1" required>', page.text)
    offered = page.text.partition('id="offline-format"')[2].partition("</select>")[0]
    assert re.findall(r'value="(\w+)"', offered) == ["helmet", "wallet"]
    asked = {"which": code, "tag": new, "do": "qr"}
    assert user.submit(path, to=f"{path}/hoja", **asked).headers["content-type"] == "application/pdf"
    picture = user.submit(path, to=f"{path}/hoja", offline="1", **asked)
    assert picture.headers["content-type"] == "image/png"
    assert scanned_png(picture.content).startswith(f"HTTP://TESTSERVER{found.group(1)}#")
    with_lines = user.submit(path, to=f"{path}/hoja", which=code, tag=new, offline="1", format="helmet")
    assert with_lines.content.startswith(b"%PDF")
    refused = user.submit(path, to=f"{path}/hoja", which=code, tag=new, offline="1", format="round")
    assert refused.status_code == 422 and "no se leería" in refused.text
    assert "un QR con datos que se leen sin red" in user.get(f"/app/{code}/accesos").text
    for wrong in ({"which": code, "tag": tag}, {"which": code_of(world.register()), "tag": new}, {}):
        assert user.submit(path, to=f"{path}/hoja", **wrong).headers["location"] == path
    assert user.get(f"{path}/hoja").headers["location"] == path


def test_a_sticker_is_replaced_by_one_to_print_at_home(world: World, ana: Person) -> None:
    code, tag = with_sticker(world, ana)
    user, path = logged_in(world, ana), f"/app/{code}/etiquetas"
    user.submit(path, do=f"name:{code}", name="  Casco   azul ")
    page = user.submit(path, do=f"replace:{code}")
    found = re.search(r"HTTP://TESTSERVER(/E/(\w+)/[A-Z2-7]{26})", page.text)
    assert found is not None and found.group(2) != code
    assert page.text.count("data:image/png") == 2 and len(page.content) < 40_000
    assert world.reader.get(found.group(1)).status_code == 200
    assert world.reader.get(f"/E/{code}/{tag}").status_code == 410
    after = user.get(f"/app/{found.group(2)}/etiquetas").text
    assert after.count("Casco azul · ") == 2 and "Retirada: no abre nada" in after and "Nunca escaneada" in after
    assert f"Imprima la etiqueta nueva: {found.group(2)}" in page.text and f"{code} ya no abre nada" in page.text
    assert "se cambió por otro" in world.reader.get(f"/E/{code}/{tag}").text
    # The last one ended: the record gets a code, and is not lost to its owner.
    for one in (found.group(2), code_of(ana)):
        gone = user.submit(f"/app/{code_of(ana)}/etiquetas", do=f"retire:{one}")
    assert user.get(gone.headers["location"]).status_code == 200


def test_who_looked_is_told_in_sentences_and_to_the_owner_alone(world: World, ana: Person) -> None:
    code, tag = with_sticker(world, ana)
    world.reader.get(f"/E/{code}/{tag}")
    user: PageUser = logged_in(world, ana)
    path = f"/app/{code}/accesos"
    page = user.get(path)
    assert page.status_code == 200
    for sentence in ("Una persona desconocida abrió la ficha hoy", "Usted miró este registro", "Usted creó la ficha"):
        assert sentence in page.text
    others = user.get(f"{path}?ver=otros")
    assert "Una persona desconocida" in others.text and "Usted miró" not in others.text
    assert "A stranger opened the record" in user.get(f"{path}?l=en").text
    luis = world.register()
    hasta = (world.clock.now() + timedelta(days=3)).isoformat()
    ana.post(f"/v2/fmd/{code}/grants", {"correo": luis.correo, "tipo": "delegate", "hasta": hasta})
    world.accept_invitation(luis)
    delegate = logged_in(world, luis)
    assert delegate.get(path).status_code == 403
    assert delegate.get(f"/app/{code}/etiquetas").status_code == 403
    assert "accesos" not in delegate.get(f"/app/{code}").text
