"""A photo, a carnet, a page for the school and a lock screen, made by a mother on the pages of the portal."""

import base64
import re
from io import BytesIO
from pathlib import Path

import pytest
import skimage
from httpx2 import Response
from PIL import Image
from sqlalchemy import select

from ficha.administration.plans import BASE
from ficha.audit.log import Actor
from ficha.audit.verify_entries import verify_record
from ficha.exchange.health_cards.reading import CardRevoked, read_card
from ficha.fmd.record_codes import add_code
from ficha.photos.photos import LEFTOVER_AFTER, Photo
from tests.api.accounts.test_user_pic import stored_files
from tests.exchange.health_cards.test_health_cards import verify
from tests.photos.pictures import MARKS, encoded, face, located
from tests.qr_reader import read_all_qr, read_qr
from tests.web.portal.page_session import TOKEN, PageUser, logged_in
from tests.world import Person, World

# A public-domain portrait that comes with a library.
PORTRAIT = Path(skimage.__file__).parent / "data" / "astronaut.png"
MEDICAL = ("Penicilina", "María", "4125551111")
KEPT = re.compile(r'value="keep:(\w+)"')
DATA = re.compile(r'(?:href|src)="data:([\w/+]+);base64,([^"]+)"')


@pytest.fixture
def mother(world: World) -> Person:
    person = world.register()
    contact = {"nombre": "María Rojas", "relacion": "madre", "cod_telefono": "+58", "telefono": "4125551111"}
    models = {
        "personal": {"nombres": "Ana Lucía", "apellidos": "Pérez", "fecha_nacimiento": "2012-05-01"},
        "alergiasm": {"alergias": [{"medicamento": {"texto": "Penicilina"}, "criticidad": "alta"}]},
        "emergencia": {"contactos": [contact]},
        "estudiante": {"institucion": "Colegio San José"},
    }
    for model, body in models.items():
        assert person.put(f"/v2/fmd/{code_of(person)}/{model}", body).status_code == 200
    return person


def code_of(person: Person) -> str:
    return str(person.data["attributes"]["product_codes"][0])


def send(user: PageUser, path: str, content: bytes | None, field: str = "elegida") -> Response:
    token = TOKEN.search(user.get(path).text)
    assert token is not None
    files = {field: ("foto.jpg", content or b"", "image/jpeg")}
    return user.client.post(path, data={"_token": token.group(1)}, files=files, follow_redirects=False)


def files_in(page: Response) -> dict[str, bytes]:
    """By media type, the last of each."""
    return {kind: base64.b64decode(content) for kind, content in DATA.findall(page.text)}


def scanned(picture: bytes) -> str:
    found = read_qr(Image.open(BytesIO(picture)).convert("L"))
    assert found is not None
    return found.text


def codes_on(picture: bytes) -> list[str]:
    return sorted(one.text for one in read_all_qr(Image.open(BytesIO(picture)).convert("L")))


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # Pictures take seconds on any.
def test_a_photo_is_cut_cleaned_shown_and_kept_as_she_chooses(world: World, mother: Person, tmp_path: Path) -> None:
    user, path = logged_in(world, mother), f"/app/{code_of(mother)}/retrato"
    page = user.get(path).text
    assert 'capture="environment"' in page and 'src="/app/' not in page
    choice = send(user, path, PORTRAIT.read_bytes(), "tomada")
    assert choice.status_code == 200 and "Guardar sin fondo" in choice.text and "Guardar con su fondo" in choice.text
    clean, plain = KEPT.findall(choice.text)
    corners = [
        Image.open(BytesIO(base64.b64decode(one))).convert("RGB").getpixel((3, 3))
        for _, one in DATA.findall(choice.text)
    ]
    assert corners[0] == (255, 255, 255) != corners[1]
    # Nothing is changed before she has chosen.
    assert mother.get("/v2/user_pic").status_code == 404
    for wrong in ("keep:", "keep:../../etc/passwd", f"keep:{'A' * 24}"):
        gone = user.submit(path, do=wrong)
        assert gone.status_code == 422 and "ya no está" in gone.text
    assert user.submit(path, do=f"keep:{clean}").headers["location"] == f"{path}?guardada=1"
    assert 'src="/app/' in user.get(f"{path}?guardada=1").text
    kept = Image.open(BytesIO(user.get(f"/app/{code_of(mother)}/foto").content)).convert("RGB")
    assert abs(kept.width / kept.height - 0.8) < 0.01 and kept.getpixel((3, 3)) == (255, 255, 255)
    # Her second thought: with its background. What is not kept is gone after an hour.
    user.submit(path, do=f"keep:{plain}")
    world.clock.move(seconds=LEFTOVER_AFTER.total_seconds())
    world.run_jobs()
    assert len(stored_files(tmp_path)) == 1
    with world.parts.database.reading() as tx:
        assert tx.orm.scalars(select(Photo)).one().width < 512
    user = logged_in(world, mother)
    assert user.submit(path, do=f"keep:{plain}").status_code == 422
    assert user.submit(path, do="delete").headers["location"] == path
    assert 'src="/app/' not in user.get(path).text
    # Another mother cannot keep it, not even knowing its name.
    other = world.register()
    choice = send(user, path, PORTRAIT.read_bytes())
    stranger = logged_in(world, other)
    name = KEPT.findall(choice.text)[0]
    assert stranger.submit(f"/app/{code_of(other)}/retrato", do=f"keep:{name}").status_code == 422
    assert stranger.get(path).status_code == 404


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # Pictures take seconds on any.
def test_a_photo_in_which_nobody_is_seen_is_said_to_be_so_and_can_be_declined(world: World, mother: Person) -> None:
    user, path = logged_in(world, mother), f"/app/{code_of(mother)}/retrato"
    choice = send(user, path, located())
    assert "No encontramos una cara" in choice.text and len(KEPT.findall(choice.text)) == 1
    assert not any(mark in files_in(choice)["image/jpeg"] for mark in MARKS)
    assert "We did not find a face" in send(user, f"{path}?l=en", encoded(face(), "PNG")).text
    for content, said in ((None, "Tome una foto o elija una"), (b"GIF89a", "Eso no es una imagen")):
        refused = send(user, path, content)
        assert refused.status_code in (415, 422) and said in refused.text and 'aria-invalid="true"' in refused.text
    assert mother.get("/v2/user_pic").status_code == 404


def test_a_carnet_is_made_downloaded_and_ended_without_the_stickers(world: World, mother: Person) -> None:
    user, path = logged_in(world, mother), f"/app/{code_of(mother)}/papeles"
    carnet = f"/app/{code_of(mother)}/carnet"
    assert "Falta la foto" in user.get(path).text
    assert user.get(f"{carnet}?tipo=pdf").headers["location"] == path
    for _ in range(2):  # Tapped twice, it is one.
        assert user.submit(path, do="carnet").headers["location"] == path
    assert "Válido hasta el 15/11/2027" in user.get(path).text
    for query in ("tipo=pdf", "tipo=pdf&forma=large&idioma=en"):
        file = user.get(f"{carnet}?{query}")
        assert file.content.startswith(b"%PDF") and file.headers["content-disposition"].endswith('"carnet.pdf"')
        assert file.headers["cache-control"] == "no-store"
    link = scanned(user.get(f"{carnet}?tipo=png&idioma=pt").content).removeprefix("HTTP://TESTSERVER")
    assert "#" not in link and "#" in scanned(user.get(f"{carnet}?tipo=png&offline=1").content)
    assert "Penicilina" in world.reader.get(link).text
    assert "Carnet · <code>" in user.get(f"/app/{code_of(mother)}/etiquetas").text
    log = user.get(f"/app/{code_of(mother)}/accesos").text
    assert "Usted pidió un carnet" in log and "Usted descargó el carnet" in log
    assert user.submit(path, do="anular").headers["location"] == path
    assert world.reader.get(link).status_code == 410 and "se anuló" in user.get(path).text
    assert user.get(path).status_code == 200


def test_the_health_card_is_on_the_back_only_where_she_ticks_the_box(world: World, mother: Person) -> None:
    user, code = logged_in(world, mother), code_of(mother)
    path, carnet = f"/app/{code}/papeles", f"/app/{code}/carnet"
    user.submit(path, do="carnet")
    page = user.get(path).text
    assert 'name="tarjeta" value="1" required' in page
    shared = f"/app/{code}/compartido"
    assert shared not in page, "none was issued"
    assert len(codes_on(user.get(f"{carnet}?tipo=png&forma=large").content)) == 1
    link, card = codes_on(user.get(f"{carnet}?tipo=png&tarjeta=1").content)
    verify(world, read_card(card))
    assert "Penicilina" in world.reader.get(link.removeprefix("HTTP://TESTSERVER")).text
    assert "Health Card emitida" in user.get(shared).text and shared in user.get(path).text
    log = user.get(f"/app/{code}/accesos").text
    assert "Usted pidió una SMART Health Card" in log
    assert "Usted descargó el carnet con la SMART Health Card al dorso" in log
    # Who loses the carnet ends both.
    [listed] = mother.get(f"/v2/fmd/{code}/health-cards").json()["data"]
    user.submit(shared, do=f"tarjeta:{listed['id']}")
    with pytest.raises(CardRevoked):
        verify(world, read_card(card))
    assert shared not in user.get(path).text


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("language", "said"), [("es", "Hoja, 15/11/2026"), ("en", "Sheet, 15 Nov 2026"), ("pt", "Folha, 15/11/2026")]
)
def test_a_sheet_for_the_school_has_a_code_of_its_own(world: World, mother: Person, language: str, said: str) -> None:
    user, code = logged_in(world, mother), code_of(mother)
    path, stickers = f"/app/{code}/papeles?l={language}", f"/app/{code}/etiquetas"
    links = []
    for asked in ({"que": "R", "papel": "a4"}, {"que": "B", "papel": "letter"}):
        page = user.submit(path, do="sheet", idioma=language, **asked)
        assert page.status_code == 200 and page.headers["referrer-policy"] == "no-referrer"
        made = files_in(page)
        assert made["application/pdf"].startswith(b"%PDF")
        links.append(scanned(made["image/png"]).removeprefix("HTTP://TESTSERVER"))
    venezuelan = user.client.get(path, headers={"Accept-Language": "es-VE"}).text
    assert '<option value="letter" selected>' in venezuelan and '<option value="a4" selected>' in user.get(path).text
    assert len({link.split("/")[2] for link in (*links, f"/E/{code}/")}) == 3
    for link in links:
        assert "Penicilina" in world.reader.get(link).text
    assert user.get(f"{stickers}?l={language}").text.count(f"{said} · <code>") == 2
    # One is lost: the other sheet and the sticker go on.
    user.submit(stickers, do=f"lost:{links[0].split('/')[2]}")
    assert [world.reader.get(link).status_code for link in links] == [410, 200]
    assert "Usted hizo una hoja para imprimir" in user.get(f"/app/{code}/accesos").text
    with world.parts.database.reading() as tx:
        assert verify_record(tx, mother.data["attributes"]["fmd_code"]) == []


def test_a_lock_screen_is_made_in_the_size_of_the_phone(
    world: World, mother: Person, capsys: pytest.CaptureFixture[str]
) -> None:
    user, path = logged_in(world, mother), f"/app/{code_of(mother)}/papeles"
    page = user.submit(path, do="screen", pantalla="1170x2532", idioma="es")
    picture = files_in(page)["image/png"]
    link = scanned(picture)
    assert Image.open(BytesIO(picture)).size == (1170, 2532) and 'download="pantalla-' in page.text
    assert "Penicilina" in world.reader.get(link.removeprefix("HTTP://TESTSERVER")).text
    alone = files_in(user.submit(path, do="screen", pantalla="nonsense", idioma="xx", solo_qr="1"))["image/png"]
    assert Image.open(BytesIO(alone)).size == (1080, 2400) and scanned(alone) != link
    assert "imagen para la pantalla de bloqueo" in user.get(f"/app/{code_of(mother)}/accesos").text
    logged = capsys.readouterr()
    assert not any(word in logged.out + logged.err for word in (*MEDICAL, link.rpartition("/")[2]))


def test_no_more_papers_are_made_than_the_plan_has_stickers(world: World, mother: Person) -> None:
    user, path = logged_in(world, mother), f"/app/{code_of(mother)}/papeles"
    record_id = mother.data["attributes"]["fmd_code"]
    with world.parts.database.writing() as tx:
        for _ in range(BASE.allows.stickers - 1):
            add_code(tx, record_id, Actor("account", mother.id), world.clock.now())
    refused = user.submit(path, do="sheet")
    assert refused.status_code == 409 and "máximo de etiquetas" in refused.text and 'href="#sheet"' in refused.text
    assert "as many stickers" in user.submit(f"{path}?l=en", do="screen").text
    assert user.submit(path, do="x").headers["location"] == path
