"""From the front page to a claimed sticker and a record that helps, without scripts."""

from typing import Any

import pytest

from ficha.products.codes import issue_code
from tests.web.portal.forms.form_filling import ShownForm
from tests.web.portal.page_session import PageUser
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


def stored(user: PageUser, first: str) -> dict[str, Any]:
    """The record's models, as the API exports them."""
    headers = {"Referer": "http://testserver/app"}
    found: dict[str, Any] = user.client.get(f"/v2/fmd/{first.split('/')[2]}/export", headers=headers).json()["modelos"]
    return found


def test_a_pasted_number_is_of_the_country_it_names(world: World) -> None:
    user = PageUser(world)
    own = PERSON | {"cod_telefono": "+49", "telefono": "+49 1512 3456789"}
    first = user.submit("/registro", correo=new_correo(), **own | {"relacion": "madre"}).headers["location"]
    shown = ShownForm(user.get(first).text).values
    assert (shown["contacto.0.cod_telefono"], shown["contacto.0.telefono"]) == ("+49", "15123456789")
    luis = contact(1, nombre="Luis", cod_telefono="+49", telefono="0044 7700 900124")
    pasted = contact(0, cod_telefono="49", telefono="+49 1511 2345678") | luis
    assert user.submit(first, **pasted).status_code == 303
    people = stored(user, first)["emergencia"]["contactos"]
    assert [one["telefono_e164"] for one in people] == ["+4915112345678", "+447700900124"]
    assert [one["cod_telefono"] for one in people] == ["+49", "+44"]


@pytest.mark.parametrize("telefono", ["0412 CALL ANA", "+58 412 CALL ANA", "+999 1234567", "00999 1234567", "12"])
def test_what_is_no_number_is_told_at_its_field(world: World, telefono: str) -> None:
    user = PageUser(world)
    refused = user.submit("/registro", correo=new_correo(), **PERSON | {"telefono": telefono})
    assert refused.status_code == 422 and 'href="#telefono"' in refused.text


def test_the_whole_way(world: World) -> None:
    code = printed(world)
    user, first = joined(world, code)
    assert first == f"/app/{code}/inicio"
    page = user.get(first)
    assert 'value="Ana"' in page.text and 'value="Rojas"' in page.text
    fields = {"nombres": "Ana", "apellidos": "Rojas", "fecha_nacimiento": "31/03/2012"}
    fields |= {"alergia.0": "penicilina", "alergia.0.criticidad": "alta", "alergia.1": "Mani"}
    fields |= {"condicion.0": "Asma", "medicina.0": "warfarina"}
    saved = user.submit(first, **fields, **contact(0), **contact(1, nombre="Luis", telefono="4125552222"))
    # There is no screen in between: nobody asks which of these it is.
    assert saved.status_code == 303 and saved.headers["location"] == f"/app/{code}?listo=1"
    page = user.get(saved.headers["location"])
    assert "Ana Rojas" in page.text
    assert f"Todavía no abre: {code}" in page.text and "Enviar otra vez el correo" in page.text
    assert f'href="/app/{code}/codigos"' in page.text
    models = stored(user, first)
    # The words as they were typed, and no code that nobody chose.
    assert [(one["medicamento"], one["criticidad"]) for one in models["alergiasm"]["alergias"]] == [
        ({"texto": "penicilina"}, "alta")
    ]
    [peanut] = models["alergiasa"]["alergias"]
    assert peanut["agente"] == {"texto": "Mani"} and "criticidad" not in peanut
    assert models["salud"]["condiciones"][0]["condicion"] == {"texto": "Asma"}
    assert models["medicacion"]["medicamentos"][0]["medicamento"] == {"texto": "warfarina"}
    assert models["personal"]["fecha_nacimiento"] == "2012-03-31"
    people = [(one["nombre"], one["prioridad"]) for one in models["emergencia"]["contactos"]]
    assert people == [("María", 1), ("Luis", 2)]
    assert "ninguna_conocida" not in str(models)
    cards = user.get("/app").text
    assert "Ana Rojas" in cards and "Todavía no protege" in cards


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("es", ("Alergia 1: ¿puede ser mortal?", "No se sabe", "quien escanea lo lee como grave", "sin código")),
        ("en", ("Allergy 1: can it be fatal?", "Not sure", "whoever scans reads it as serious", "have no code")),
        ("pt", ("Alergia 1: pode ser mortal?", "Não se sabe", "quem escaneia lê como grave", "sem código")),
    ],
)
def test_each_allergy_asks_whether_it_may_kill_and_nothing_is_answered_for_anybody(
    world: World, language: str, words: tuple[str, ...]
) -> None:
    user, first = joined(world)
    page = user.get(f"{first}?l={language}").text
    assert all(one in page for one in words)
    shown = ShownForm(page)
    for place in range(3):
        assert shown.offered[f"alergia.{place}.criticidad"] == ["alta", "baja", "desconocida"]
    medical = ("alergia", "condicion", "medicina", "sin_")
    assert not [name for name, value in shown.values.items() if name.startswith(medical) and value]


@pytest.mark.parametrize("answer", [None, "desconocida"])
def test_not_sure_is_read_as_serious_by_whoever_scans(world: World, answer: str | None) -> None:
    user, first = joined(world)
    said = {"alergia.0": "Penicilina"} | ({"alergia.0.criticidad": answer} if answer else {})
    assert user.submit(first, **said, sin_condiciones="si", sin_medicinas="si").status_code == 303
    scanned = {"es": "Alergia de gravedad desconocida: Penicilina", "en": "Allergy of unknown severity: Penicilina"}
    scanned |= {"pt": "Alergia de gravidade desconhecida: Penicilina"}
    for language, sign in scanned.items():
        page = user.get(f"{first.replace('inicio', 'vista')}?l={language}").text
        assert f"<li>{sign}" in page and page.index(sign) < page.index('id="allergies"')
    assert "no se sabe si es grave" in user.get(first.replace("inicio", "vista")).text


def test_a_term_chosen_as_one_types_has_its_code_until_other_words_are_typed(world: World) -> None:
    user, first = joined(world)
    penicillins, asthma = "alergiasm|atc|J01C|Penicilinas (clase)", "salud|snomed|195967001|Asma"
    fields = {"alergia.0": "Penicilinas (clase)", "alergia.0.es": penicillins}
    fields |= {"condicion.0": "Asma de niña", "condicion.0.es": asthma}
    # A fault elsewhere forgets nothing of it.
    refused = user.submit(first, **fields, **contact(0, telefono="1"))
    assert refused.status_code == 422
    kept = ShownForm(refused.text).values
    assert kept["alergia.0.es"] == penicillins
    assert "De la lista</p>" in refused.text and "se lee tal como está escrito.</p>" in refused.text
    assert user.post(first, **kept | {"contacto.0.telefono": "4125551111"}).status_code == 303
    models = stored(user, first)
    assert models["alergiasm"]["alergias"][0]["medicamento"] == {
        "texto": "Penicilinas (clase)",
        "sistema": "atc",
        "codigo": "J01C",
    }
    assert models["salud"]["condiciones"][0]["condicion"] == {"texto": "Asma de niña"}


def test_a_page_that_is_sent_again_takes_nothing_away(world: World) -> None:
    user, first = joined(world)
    sent = ShownForm(user.get(first).text).values | {"alergia.0": "Maní", "medicina.0": "Insulina"} | contact(0)
    assert user.post(first, **sent).status_code == 303
    before = stored(user, first)
    # Back, corrected, and sent once more: what has the same words is changed, the rest is added.
    sent |= {"alergia.0": "maní", "alergia.0.criticidad": "alta", "medicina.0": "", "sin_medicinas": "si"}
    assert user.post(first, **sent | {"alergia.1": "Huevo"}).status_code == 303
    after = stored(user, first)
    [peanut, egg] = after["alergiasa"]["alergias"]
    assert peanut["id"] == before["alergiasa"]["alergias"][0]["id"] and peanut["criticidad"] == "alta"
    assert egg["agente"] == {"texto": "Huevo"}
    assert after["medicacion"] == before["medicacion"] and after["emergencia"] == before["emergencia"]


def test_an_allergy_after_none_known_is_heard(world: World) -> None:
    user, first = joined(world)
    page = ShownForm(user.get(first).text).values
    assert user.post(first, **page, sin_alergias="si").status_code == 303
    assert user.post(first, **page | {"alergia.0": "Maní", "sin_alergias": "si"}).status_code == 303
    assert stored(user, first)["alergiasa"]["alergias"][0]["agente"] == {"texto": "Maní"}
    assert "ausencia" not in stored(user, first)["alergiasa"]


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    "wrong",
    [{"telefono": "12"}, {"telefono": ""}, {"telefono": "abc"}, {"cod_telefono": "x"}, {"cod_telefono": ""}],
)
@pytest.mark.parametrize("place", [0, 1])
def test_a_wrong_phone_is_told_at_its_number_as_registration_tells_it(
    world: World, wrong: dict[str, str], place: int
) -> None:
    user, first = joined(world)
    for language, sentence in (
        ("es", "Ese número no existe en ese país. Revíselo"),
        ("en", "That number does not exist in that country. Check it"),
        ("pt", "Esse número não existe nesse país. Confira-o"),
    ):
        refused = user.submit(f"{first}?l={language}", **{"alergia.0": "Maní"}, **contact(place, **wrong))
        assert refused.status_code == 422
        assert refused.text.count(f'<a href="#contacto.{place}.telefono">{sentence}</a>') == 1
        assert f'id="contacto.{place}.telefono-fault">{sentence}' in refused.text
        assert 'value="Maní"' in refused.text
    assert user.submit(first, **contact(place, cod_telefono="58", telefono="(0412) 555-11.11")).status_code == 303
    [person] = stored(user, first)["emergencia"]["contactos"]
    assert person["telefono_e164"] == "+584125551111"


def test_nothing_known_is_a_tap(world: World) -> None:
    user, first = joined(world)
    assert user.submit(first, sin_alergias="si", sin_condiciones="si", sin_medicinas="si").status_code == 303
    code, nothing = first.split("/")[2], {"ausencia": "ninguna_conocida"}
    models = stored(user, first)
    assert {name: models[name] for name in models if name != "modulo"} == dict.fromkeys(
        ("alergiasa", "alergiasm", "medicacion", "salud"), nothing
    )
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


@pytest.mark.one_case_on_postgresql("language")
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
