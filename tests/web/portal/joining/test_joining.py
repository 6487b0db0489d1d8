"""From the front page to a claimed sticker and a record that helps, without scripts."""

import re
from html import unescape

import pytest

from ficha.products.codes import issue_code
from tests.web.portal.page_session import HIDDEN, PageUser
from tests.world import CLAVE, World, new_correo

PERSON = {
    "nombre": "Ana Rojas",
    "relacion": "titular",
    "cod_telefono": "+58",
    "telefono": "0412-555 11 11",
    "clave": CLAVE,
}
CONTACT = {"nombre": "María", "relacion": "madre", "cod_telefono": "+58", "telefono": "4125551111"}


def printed(world: World) -> str:
    with world.parts.database.writing() as tx:
        return issue_code(tx, world.clock.now()).code


def contact(place: int, **changes: str) -> dict[str, str]:
    return {f"contacto.{place}.{name}": value for name, value in (CONTACT | changes).items()}


def joined(world: World, code: str = "") -> tuple[PageUser, str]:
    """Somebody new, and the address of her first questions."""
    user = PageUser(world)
    answer = user.submit("/registro", code=code, correo=new_correo(), **PERSON)
    assert answer.status_code == 303, answer.text
    return user, answer.headers["location"]


def test_a_typed_code_leads_to_the_person_or_to_joining(world: World) -> None:
    user = PageUser(world)
    assert user.get("/codigo?code=k7m-2qx&para=mia").headers["location"] == "/registro?code=K7M2QX"
    assert user.get("/codigo?code=k7m2qx&para=otra&l=en").headers["location"] == "/e/K7M2QX?l=en"
    for typed in ("", "no", "<script>", "K7M2QX/../../x"):
        refused = user.get(f"/codigo?para=mia&code={typed}")
        assert refused.status_code == 422
        assert "<script>" not in refused.text


def test_the_whole_way(world: World) -> None:
    code = printed(world)
    user, first = joined(world, code)
    assert first == f"/app/{code}/inicio"
    page = user.get(first)
    assert 'value="Ana"' in page.text and 'value="Rojas"' in page.text
    fields = {"nombres": "Ana", "apellidos": "Rojas", "alergia.0": "penicilina", "alergia.1": "Mani"}
    fields |= {"medicina.0": "warfarina", **contact(0), **contact(1, nombre="Luis", relacion="hermano")}
    which = user.submit(first, **fields)
    if which.status_code == 200:  # The search step: the likeliest of each line is chosen already.
        hidden = {name: unescape(value) for name, value in HIDDEN.findall(which.text)}
        chosen = {
            name: unescape(value)
            for name, value in re.findall(r'type="radio" name="([^"]+)" value="([^"]*)" checked', which.text)
        }
        which = user.post(first, **hidden | chosen)
    assert which.status_code == 303, which.text
    page = user.get(which.headers["location"])
    assert "Ana Rojas" in page.text
    assert "abra su enlace para activar la etiqueta" in page.text
    headers = {"Referer": "http://testserver/app"}
    models = user.client.get(f"/v2/fmd/{code}/export", headers=headers).json()
    text = str(models)
    for word in ("Penicilin", "Warfarin", "María", "Luis", "ninguna_conocida"):
        assert (word in text) == (word != "ninguna_conocida"), word
    cards = user.get("/app").text
    assert "Ana Rojas" in cards and "Todavía no protege" in cards and "para activar la etiqueta" in cards
    assert "¿Desde cuándo toma el anticoagulante?" in page.text


def test_nothing_known_is_a_tap(world: World) -> None:
    user, first = joined(world)
    assert user.submit(first, sin_alergias="si", sin_medicinas="si").status_code == 303
    code = first.split("/")[2]
    exported = str(user.client.get(f"/v2/fmd/{code}/export", headers={"Referer": "http://testserver/"}).json())
    assert exported.count("ninguna_conocida") >= 3
    assert user.get(first).headers["location"] == f"/app/{code}"


def test_what_is_wrong_is_told_beside_its_field_and_what_was_typed_stays(world: World) -> None:
    user = PageUser(world)
    refused = user.submit("/registro", **PERSON | {"correo": "no<b>", "clave": "corta", "telefono": "1"})
    assert refused.status_code == 422
    for field in ("correo", "clave", "telefono"):
        assert f'<a href="#{field}">' in refused.text
    assert "Ana Rojas" in refused.text and "no&lt;b&gt;" in refused.text and "corta" not in refused.text
    user, first = joined(world)
    refused = user.submit(first, **{"nombres": "<script>1", "apellidos": "R"}, **contact(1, telefono="12"))
    assert refused.status_code == 422
    assert '<a href="#contacto.1.telefono">' in refused.text
    assert "<script>1" not in refused.text


def test_a_correo_or_a_sticker_that_is_taken(world: World) -> None:
    user = PageUser(world)
    taken = world.register()
    refused = user.submit("/registro", **PERSON, correo=taken.correo)
    assert refused.status_code == 422 and '<a href="#correo">' in refused.text
    refused = user.submit("/registro", **PERSON, correo=new_correo(), code="K7M2QX")
    assert refused.status_code == 422 and '<a href="#code">' in refused.text
    assert user.post("/registro", **PERSON, correo=new_correo()).status_code == 419


def test_another_person_of_the_family(world: World) -> None:
    user, _ = joined(world)
    opened = user.submit("/app/nueva", nombres="Luis", relacion="madre", template_type="estudiante")
    assert opened.status_code == 303
    assert user.get(opened.headers["location"]).status_code == 200
    assert "Luis" in user.get("/app").text
    assert user.submit("/app/nueva", nombres="", relacion="madre", template_type="general").status_code == 422
    taken = user.submit("/app/nueva", nombres="Eva", relacion="madre", template_type="general", code="K7M2QX")
    assert taken.status_code == 422


@pytest.mark.parametrize("path", ["/app", "/app/nueva", "/app/{code}", "/app/{code}/inicio"])
@pytest.mark.parametrize("language", ["es", "en", "pt"])
def test_pages_speak_three_languages_and_are_closed_to_others(world: World, path: str, language: str) -> None:
    user, first = joined(world)
    code = first.split("/")[2]
    page = user.get(path.format(code=code) + f"?l={language}")
    assert page.status_code == 200
    assert f'<html lang="{language}">' in page.text
    stranger = PageUser(world)
    assert stranger.get(path.format(code=code)).headers["location"].startswith("/login")
    if "{code}" in path:
        other, _ = joined(world)
        assert other.get(path.format(code=code)).status_code == 404
