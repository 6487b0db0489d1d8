"""The account's own pages: its language, its clave, its sessions, and leaving."""

import re

from ficha.products.product import Product, ProductState
from tests.web.portal.page_session import PageUser, logged_in
from tests.world import CLAVE, Person, World

NEW = "tres palabras nuevas"


def test_the_language_of_mails(world: World, ana: Person) -> None:
    user = logged_in(world, ana)
    assert user.submit("/app/mi-cuenta", idioma="pt").status_code == 303
    account = world.account(ana.id)
    assert account is not None and account.idioma == "pt"
    assert user.submit("/app/mi-cuenta", idioma="xx").status_code == 303
    assert user.get("/app/mi-cuenta").status_code == 200


def test_other_sessions_can_be_closed(world: World, ana: Person) -> None:
    user, other = logged_in(world, ana), logged_in(world, ana)
    assert user.submit("/app/mi-cuenta", do="end").status_code == 303
    assert user.get("/app").status_code == 200
    assert other.get("/app").headers["location"].startswith("/login")
    assert ana.get("/v2/auth/me").status_code == 401


def test_one_session_of_the_list_can_be_closed(world: World, ana: Person) -> None:
    user, other = logged_in(world, ana), logged_in(world, ana)
    strange = logged_in(world, world.register())
    ids = re.findall(r'value="end:(\d+)"', user.get("/app/mi-cuenta").text)
    assert len(ids) == 2, "the other browser and the token of registering, not this session"
    theirs = re.findall(r'value="end:(\d+)"', strange.get("/app/mi-cuenta").text)
    for which in (*ids, *ids, *theirs, "9" * 30, "x"):
        assert user.submit("/app/mi-cuenta", do=f"end:{which}").status_code == 303
    assert user.get("/app").status_code == 200 and other.get("/app").status_code == 303
    assert len(re.findall(r'value="end:(\d+)"', strange.get("/app/mi-cuenta").text)) == len(theirs) == 1


def test_correo_and_phone_are_verified_by_codes(world: World, ana: Person) -> None:
    user, path = logged_in(world, ana), "/app/mi-cuenta/verificar"
    assert world.platform is not None
    world.run_jobs()  # The platform is asked for its templates before anybody needs one.
    for way in ("correo", "telefono"):
        assert f'name="codigo_{way}"' not in user.get(path).text
        sent = user.submit(path, do=f"send:{way}")
        assert sent.headers["location"] == f"{path}?enviado={way}"
        world.run_jobs()
        code = code_sent(world, way)
        wrong = user.submit(sent.headers["location"], to=path, do=f"check:{way}", **{f"codigo_{way}": "12"})
        assert wrong.status_code == 422 and f'href="#codigo_{way}"' in wrong.text
        spaced = f"{code[:3]} {code[3:]}"
        assert user.submit(path, do=f"check:{way}", **{f"codigo_{way}": spaced}).status_code == 303
    page = user.get("/app/mi-cuenta").text
    assert "Sin verificar" not in page and "Verificado" in page
    account = world.account(ana.id)
    assert account is not None and account.correo_verificado_en and account.telefono_verificado_por == "whatsapp"
    assert user.submit("/logout", to=path, do="send:nada").status_code == 303


def code_sent(world: World, way: str) -> str:
    """From the newest mail, or from the newest message that the platform took."""
    if way == "correo":
        said = world.mails()[0].text
    else:
        said = str(world.platform.call(lambda platforms: platforms.whatsapp.journal.accepted[-1].body["template"]))
    found = re.search(r"\b\d{6}\b", said)
    assert found is not None
    return found[0]


def test_a_new_clave_asks_for_the_old_one(world: World, ana: Person) -> None:
    user, other = logged_in(world, ana), logged_in(world, ana)
    path = "/app/mi-cuenta/clave"
    assert user.submit(path, clave="mala", clave_nueva=NEW).status_code == 422
    assert "al menos 10" in user.submit(path, clave=CLAVE, clave_nueva="corta").text
    assert user.submit(path, clave=CLAVE, clave_nueva=NEW).status_code == 303
    assert user.get("/app").status_code == 200
    assert other.get("/app").status_code == 303
    assert world.login(ana.correo, NEW).status_code == 200
    assert world.login(ana.correo, CLAVE).status_code == 401


def test_leaving_offers_what_is_held_and_asks_for_the_clave(world: World, ana: Person) -> None:
    user = logged_in(world, ana)
    path = "/app/mi-cuenta/borrar"
    [code] = ana.data["attributes"]["product_codes"]
    assert f'href="/v2/fmd/{code}/export"' in user.get(path).text
    referer = {"Referer": f"http://testserver{path}"}
    assert user.client.get(f"/v2/fmd/{code}/export", headers=referer).status_code == 200
    assert user.submit(path, clave="mala").status_code == 422
    assert world.account(ana.id) is not None
    gone = user.submit(path, clave=CLAVE)
    assert gone.status_code == 200 and "Su cuenta se borró" in gone.text
    assert "storage" in gone.headers["clear-site-data"]
    assert world.account(ana.id) is None
    assert user.get("/app").status_code == 303


def test_another_site_changes_nothing(world: World, ana: Person) -> None:
    user: PageUser = logged_in(world, ana)
    for path in ("/app/mi-cuenta", "/app/mi-cuenta/clave", "/app/mi-cuenta/borrar", "/app/nueva"):
        assert user.post(path, clave=CLAVE, clave_nueva=NEW).status_code == 419
    assert world.login(ana.correo).status_code == 200


def test_whose_last_sticker_ended_before_can_leave_too(world: World, ana: Person) -> None:
    """Until 2.1.0 a record could be left without any code."""
    [code] = ana.data["attributes"]["product_codes"]
    with world.parts.database.writing() as tx:
        tx.orm.get_one(Product, code).state = ProductState.LOST
    user, path = logged_in(world, ana), "/app/mi-cuenta/borrar"
    assert user.get(path).status_code == 200
    assert user.submit(path, clave=CLAVE).status_code == 200 and world.account(ana.id) is None
