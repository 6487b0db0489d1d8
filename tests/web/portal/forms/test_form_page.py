"""The forms of the models, without scripts: every field, lists, terms, and two people at once."""

import re
from datetime import timedelta
from typing import Any

import pytest

from ficha.accounts.accounts import Idioma
from ficha.fmd.catalog import CATALOG
from ficha.fmd.dates_and_amounts import date_text
from ficha.fmd.fields import form_of
from ficha.fmd.models.health import Vacuna
from ficha.fmd.terms import lookup
from tests.fmd.documents import example_of
from tests.web.portal.forms.form_filling import ShownForm, chosen_terms, filled, send, typed, without_server_values
from tests.web.portal.page_session import PageUser, logged_in
from tests.world import CLAVE, Person, World


def code_of(person: Person) -> str:
    return str(person.data["attributes"]["product_codes"][0])


def read(world: World, person: Person, model: str) -> Any:
    answer = world.reader.get(f"/v2/fmd/{code_of(person)}/{model}", headers=person.headers)
    assert answer.status_code == 200
    return answer.json()["data"]["attributes"]


def in_words_of_the_list(value: Any, model: str) -> Any:
    """Each term with the words of the catalogue, which its search offers."""
    if isinstance(value, list):
        return [in_words_of_the_list(item, model) for item in value]
    if not isinstance(value, dict):
        return value
    changed = {name: in_words_of_the_list(item, model) for name, item in value.items()}
    words = lookup(value["sistema"], value["codigo"], model) if "codigo" in value and "sistema" in value else None
    return changed | {"texto": words.es} if words else changed


def test_every_field_of_every_model_is_filled_through_its_form(world: World, ana: Person) -> None:
    """The examples use every field, and a test of the models sees to it. `test_form_property.py` types other things."""
    user = logged_in(world, ana)
    for model in CATALOG:
        name = model.about.wire
        document = in_words_of_the_list(example_of(model), name)
        if name == "consentimiento":  # Who sees what is decided on a page of its own, and the form keeps it.
            document["visibilidad"] = {"vacuna": "R", "salud": "P"}
            assert (
                ana.put(f"/v2/fmd/{code_of(ana)}/{name}", {"visibilidad": document["visibilidad"]}).status_code == 200
            )
        path = f"/app/{code_of(ana)}/{name}"
        saved = filled(user, path, dict(typed(document, form_of(model))), dict(chosen_terms(document)))
        assert saved.status_code == 303, saved.text
        assert without_server_values(read(world, ana, name)["data"]) == document
        # Saved again as it is shown in any language, nothing changes; and no date is shown as we store it.
        version = read(world, ana, name)["version"]
        for language in Idioma:
            here = f"{path}?l={language}"
            shown = ShownForm(user.get(here).text)
            assert not [value for value in shown.values.values() if re.fullmatch(r"\d{4}-\d\d-\d\d", value)]
            assert send(user, here, shown, "save").status_code == 303
            assert read(world, ana, name)["version"] == version, (name, language)
        # A record of the size of every example is still a small page.
        assert len(user.get(path).content) <= 40_000


@pytest.fixture
def contacts(world: World, ana: Person) -> tuple[PageUser, str]:
    """Ana at the form of two contacts."""
    body = {"contactos": [contact("María", 1), contact("Luis", 2)]}
    path = f"/v2/fmd/{code_of(ana)}/emergencia"
    assert ana.put(path, body).status_code == 200
    return logged_in(world, ana), f"/app/{code_of(ana)}/emergencia"


def contact(nombre: str, prioridad: int) -> dict[str, Any]:
    phone = {"cod_telefono": "+58", "telefono": f"412555111{prioridad}"}
    return {"nombre": nombre, "relacion": "madre", "prioridad": prioridad, "canales": ["whatsapp"], **phone}


def names(world: World, ana: Person) -> list[str]:
    return [item["nombre"] for item in read(world, ana, "emergencia")["data"].get("contactos", [])]


def test_lines_are_added_moved_and_removed_before_anything_is_saved(
    world: World, ana: Person, contacts: tuple[PageUser, str]
) -> None:
    user, path = contacts
    shown = ShownForm(user.get(path).text)
    shown = ShownForm(send(user, path, shown, "up:contactos.1").text)
    assert shown.values["contactos.0.nombre"] == "Luis"
    shown = ShownForm(send(user, path, shown, "add:contactos").text)
    assert "contactos.2.nombre" in shown.names
    assert names(world, ana) == ["María", "Luis"]
    more = {"contactos.2.nombre": "Eva", "contactos.2.relacion": "tía"}
    more |= {"contactos.2.cod_telefono": "+58", "contactos.2.telefono": "4125551113"}
    assert send(user, path, shown, "save", **more).status_code == 303
    assert names(world, ana) == ["Luis", "María", "Eva"]
    shown = ShownForm(send(user, path, ShownForm(user.get(path).text), "remove:contactos.0").text)
    assert send(user, path, shown, "save").status_code == 303
    assert names(world, ana) == ["María", "Eva"]
    for odd in ("remove:contactos.99", "up:x.y.z", "add:contactos.0", "search:nada", "down:contactos", "x"):
        assert send(user, path, shown, odd).status_code == 200


def test_a_number_typed_with_its_country_is_stored_under_it(
    world: World, ana: Person, contacts: tuple[PageUser, str]
) -> None:
    user, path = contacts
    pasted = {"contactos.0.telefono": "+44 7700 900124", "contactos.1.telefono": "0058 412-555 11 19"}
    assert send(user, path, ShownForm(user.get(path).text), "save", **pasted).status_code == 303
    people = read(world, ana, "emergencia")["data"]["contactos"]
    assert [(one["cod_telefono"], one["telefono"]) for one in people] == [("+44", "7700900124"), ("+58", "4125551119")]
    # A form whose prefix was left empty needs none.
    own = f"/app/{code_of(ana)}/personal"
    typed_in = {"nombres": "Ana", "apellidos": "Rojas", "cod_telefono": "", "telefono": "+44 7700 900126"}
    assert send(user, own, ShownForm(user.get(own).text), "save", **typed_in).status_code == 303
    assert read(world, ana, "personal")["data"]["telefono_e164"] == "+447700900126"


@pytest.mark.parametrize(
    ("language", "typed_in", "shown_again"),
    [
        ("es", "Español, inglés\r\nwayuu, pt-BR", "español\ninglés\nwayuu\npt-BR"),
        ("en", "spanish\r\nEnglish, Wayuu, pt-BR", "Spanish\nEnglish\nWayuu\npt-BR"),
        ("pt", "castellano, Inglês, guc, pt-BR", "espanhol\ninglês\nwayuu\npt-BR"),
    ],
)
@pytest.mark.one_case_on_postgresql
def test_languages_are_typed_and_shown_by_their_names(
    world: World, ana: Person, language: str, typed_in: str, shown_again: str
) -> None:
    user, path = logged_in(world, ana), f"/app/{code_of(ana)}/personal?l={language}"
    who = {"nombres": "Ana", "apellidos": "Rojas", "idiomas": typed_in}
    assert send(user, path, ShownForm(user.get(path).text), "save", **who).status_code == 303
    assert read(world, ana, "personal")["data"]["idiomas"] == ["es", "en", "guc", "pt-BR"]
    assert ShownForm(user.get(path).text).values["idiomas"] == shown_again
    prefers = f"/app/{code_of(ana)}/preferencia"
    assert send(user, prefers, ShownForm(user.get(prefers).text), "save", idioma="Español").status_code == 303
    assert read(world, ana, "preferencia")["data"]["idioma"] == "es"


def test_who_types_what_has_another_form_reads_how_it_is_written(
    world: World, ana: Person, contacts: tuple[PageUser, str]
) -> None:
    user, path = contacts
    spoken = send(user, path, ShownForm(user.get(path).text), "save", **{"contactos.0.idioma": "el de su madre"})
    assert spoken.status_code == 422 and "Escriba el nombre del idioma, como español" in spoken.text
    own = f"/app/{code_of(ana)}/personal"
    page = user.get(own)
    assert page.text.count("VE (Venezuela)") == 2, "at the nationality and at the address"
    who = {"nombres": "Ana", "apellidos": "Rojas", "nacionalidad": "Venezolana", "idiomas": "español, klingon culto"}
    refused = send(user, own, ShownForm(page.text), "save", **who | {"direccion.pais": "Reino Unido"})
    assert refused.status_code == 422
    assert {'href="#nacionalidad"', 'href="#direccion.pais"', 'href="#idiomas"'} <= set(
        re.findall(r'href="#[\w.]+"', refused.text)
    )
    assert "Escriba el código de dos letras del país, por ejemplo VE" in refused.text
    assert "Escriba el nombre del idioma" in refused.text and "No tiene la forma esperada" not in refused.text


def test_a_wrong_field_is_told_and_what_was_typed_stays(
    world: World, ana: Person, contacts: tuple[PageUser, str]
) -> None:
    user, path = contacts
    shown = ShownForm(user.get(path).text)
    refused = send(user, path, shown, "save", **{"contactos.1.telefono": "<b>12", "contactos.0.nombre": ""})
    assert refused.status_code == 422
    assert '<a href="#contactos.1.telefono">' in refused.text and '<a href="#contactos.0.nombre">' in refused.text
    assert "&lt;b&gt;12" in refused.text and "<b>12" not in refused.text
    assert names(world, ana) == ["María", "Luis"]


def test_a_term_is_found_by_a_search_step(world: World, ana: Person) -> None:
    user, path = logged_in(world, ana), f"/app/{code_of(ana)}/alergiasm"
    shown = ShownForm(user.get(path).text)
    at = "alergias.0.medicamento"
    searched = send(user, path, shown, f"search:{at}", **{f"{at}.texto": "penisilina"})
    shown = ShownForm(searched.text)
    # Nothing is chosen for anybody: as it stands, the page keeps the words.
    assert shown.values[f"{at}.elegido"] == "|"
    assert send(user, path, shown, "save").status_code == 303
    assert medicine(world, ana) == {"texto": "penisilina"}
    page = user.get(path).text
    assert "Sin código: se guarda y se lee tal como está escrito." in page
    shown = ShownForm(send(user, path, ShownForm(page), f"search:{at}").text)
    option = next(one for one in shown.offered[f"{at}.elegido"] if "Penicilina" in one)
    assert send(user, path, shown, "save", **{f"{at}.elegido": option}).status_code == 303
    assert medicine(world, ana)["texto"].startswith("Penicilina") and medicine(world, ana)["codigo"]
    # A search changes nothing by itself, and "as I typed it" takes the code away.
    page = user.get(path).text
    assert "De la lista</p>" in page and "Sin código: se guarda y se lee tal como está escrito.</p>" not in page
    shown = ShownForm(send(user, path, ShownForm(page), f"search:{at}").text)
    assert send(user, path, shown, "save").status_code == 303
    assert medicine(world, ana)["codigo"]
    assert send(user, path, ShownForm(user.get(path).text), "save", **{f"{at}.elegido": "|"}).status_code == 303
    assert "codigo" not in medicine(world, ana)


def medicine(world: World, person: Person) -> dict[str, str]:
    [fact] = read(world, person, "alergiasm")["data"]["alergias"]
    found: dict[str, str] = fact["medicamento"]
    return found


def test_the_words_of_a_term_are_no_choice_of_it(world: World, ana: Person) -> None:
    user, path = logged_in(world, ana), f"/app/{code_of(ana)}/alergiasm"
    at = "alergias.0.medicamento"
    shown = ShownForm(user.get(path).text)
    assert send(user, path, shown, "save", **{f"{at}.texto": "Amoxicilina"}).status_code == 303
    assert medicine(world, ana) == {"texto": "Amoxicilina"}
    # Other words lose a code that was chosen.
    chosen = {f"{at}.elegido": "atc|J01CA04|Amoxicilina"}
    assert send(user, path, ShownForm(user.get(path).text), "save", **chosen).status_code == 303
    assert medicine(world, ana)["codigo"] == "J01CA04"
    shown = ShownForm(user.get(path).text)
    assert send(user, path, shown, "save", **{f"{at}.texto": "Algo raro"}).status_code == 303
    assert medicine(world, ana) == {"texto": "Algo raro"}


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("language", "question", "yes", "hint"),
    [
        ("es", "¿Puede ser mortal?", "Sí, puede ser mortal", "Si no se sabe, quien escanea lo lee como grave."),
        ("en", "Can it be fatal?", "Yes, it may be fatal", "If nobody knows, whoever scans reads it as serious."),
        ("pt", "Pode ser mortal?", "Sim, pode ser mortal", "Se não se sabe, quem escaneia lê como grave."),
    ],
)
def test_an_allergy_asks_whether_it_may_kill_and_answers_nothing_itself(
    world: World, ana: Person, language: str, question: str, yes: str, hint: str
) -> None:
    user = logged_in(world, ana)
    for model, term in (("alergiasm", "medicamento"), ("alergiasa", "agente")):
        path, answer = f"/app/{code_of(ana)}/{model}", "alergias.0.criticidad"
        page = user.get(f"{path}?l={language}").text
        assert all(words in page for words in (question, yes, hint))
        shown = ShownForm(page)
        assert shown.offered[answer] == ["alta", "baja", "desconocida"] and answer not in shown.values
        sent = {f"alergias.0.{term}.texto": "Algo", answer: "desconocida"}
        assert send(user, path, shown, "save", **sent).status_code == 303
        assert read(world, ana, model)["data"]["alergias"][0]["criticidad"] == "desconocida"
        assert ShownForm(user.get(path).text).values[answer] == "desconocida"


def test_an_allergy_after_none_known_simply_changes_that(world: World, ana: Person) -> None:
    user, path = logged_in(world, ana), f"/app/{code_of(ana)}/alergiasm"
    assert send(user, path, ShownForm(user.get(path).text), "save", ausencia="ninguna_conocida").status_code == 303
    shown = ShownForm(user.get(path).text)
    assert shown.values["ausencia"] == "ninguna_conocida"
    # A line that was only added says nothing yet.
    shown = ShownForm(send(user, path, shown, "add:alergias").text)
    assert shown.values["ausencia"] == "ninguna_conocida"
    assert send(user, path, shown, "save", **{"alergias.0.medicamento.texto": "Dipirona"}).status_code == 303
    assert "ausencia" not in read(world, ana, "alergiasm")["data"] and medicine(world, ana) == {"texto": "Dipirona"}


def test_units_and_dates_as_people_write_them(world: World, ana: Person) -> None:
    user, path = logged_in(world, ana), f"/app/{code_of(ana)}/cuerpo"
    typed_values = {"peso_kg": "150", "peso_kg:unidad": "lb", "estatura_cm": "5'11", "estatura_cm:unidad": "ft"}
    assert send(user, path, ShownForm(user.get(path).text), "save", **typed_values).status_code == 303
    assert read(world, ana, "cuerpo")["data"] == {"peso_kg": 68.0, "estatura_cm": 180.3}
    path = f"/app/{code_of(ana)}/salud"
    changes = {"condiciones.0.condicion.texto": "Algo", "condiciones.0.desde": "3/2019"}
    assert send(user, path, ShownForm(user.get(path).text), "save", **changes).status_code == 303
    assert read(world, ana, "salud")["data"]["condiciones"][0]["desde"] == "2019-03"


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("language", "typed_day", "shown", "refusal"),
    [
        ("es", "31/3/2019", "31/03/2019", "Escriba la fecha como 31/03/2019"),
        ("en", "31 Mar 2019", "31 Mar 2019", "Type the date as 31 Mar 2019"),
        ("pt", "31 de março de 2019", "31/03/2019", "Digite a data como 31/03/2019"),
    ],
)
def test_a_day_is_written_and_read_as_the_language_writes_it(
    world: World, ana: Person, language: str, typed_day: str, shown: str, refusal: str
) -> None:
    user, path = logged_in(world, ana), f"/app/{code_of(ana)}/personal?l={language}"
    said = {"nombres": "Ana", "apellidos": "Rojas", "fecha_nacimiento": typed_day}
    assert send(user, path, ShownForm(user.get(path).text), "save", **said).status_code == 303
    assert read(world, ana, "personal")["data"]["fecha_nacimiento"] == "2019-03-31"
    assert ShownForm(user.get(path).text).values["fecha_nacimiento"] == shown
    # The record as it was on a day, typed in the same way, tells the same; what is no date comes back as it was typed.
    today = date_text(world.clock.now().date().isoformat(), language)
    assert shown in user.get(f"/app/{code_of(ana)}/historia?l={language}&el={today}").text
    for wrong in ("31/31/2019", "ayer"):
        refused = send(user, path, ShownForm(user.get(path).text), "save", fecha_nacimiento=wrong)
        assert refused.status_code == 422 and refusal in refused.text and f'value="{wrong}"' in refused.text


def test_numbers_and_phones_as_people_write_them(world: World, ana: Person) -> None:
    user, path = logged_in(world, ana), f"/app/{code_of(ana)}/cuerpo"
    for weight, height, stored in (
        ("150 lbs", "1,75 m", (68.0, 175.0)),
        ("70 Kg.", '70"', (70, 177.8)),
        ("70,5", "5 pies 11", (70.5, 180.3)),
    ):
        typed_values = {"peso_kg": weight, "estatura_cm": height}
        assert send(user, path, ShownForm(user.get(path).text), "save", **typed_values).status_code == 303
        data = read(world, ana, "cuerpo")["data"]
        assert (data["peso_kg"], data["estatura_cm"]) == stored
    assert ShownForm(user.get(path).text).values["peso_kg"] == "70.5"
    assert send(user, path, ShownForm(user.get(path).text), "save", peso_kg="70").status_code == 303
    assert ShownForm(user.get(path).text).values["peso_kg"] == "70"
    for odd in ("inf", "nan", "1e999", "70 lunas", "1.2.3"):
        refused = send(user, path, ShownForm(user.get(path).text), "save", peso_kg=odd)
        assert refused.status_code == 422 and "Escriba un número" in refused.text and f'value="{odd}"' in refused.text


WRONG_NUMBER = {
    "es": "Ese número no existe en ese país. Revíselo",
    "en": "That number does not exist in that country. Check it",
    "pt": "Esse número não existe nesse país. Confira-o",
}


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("language", Idioma)
def test_a_wrong_phone_is_told_at_its_field_as_registration_tells_it(
    world: World, ana: Person, contacts: tuple[PageUser, str], language: Idioma
) -> None:
    user, path = contacts[0], f"{contacts[1]}?l={language}"
    told = f'<p class="fault" id="contactos.1.telefono-fault">{WRONG_NUMBER[language]}</p>'
    for wrong in ("12", "4125", "911", "4125551111222333444", "cuatro"):
        for step in ("save", "add:contactos", "search:x"):
            shown = ShownForm(user.get(path).text)
            answer = send(user, path, shown, step, **{"contactos.1.telefono": wrong})
            assert told in answer.text and f'value="{wrong}"' in answer.text, (wrong, step)
            assert answer.status_code == (422 if step == "save" else 200)
    # So does registration.
    joining = {"nombre": "Eva", "relacion": "titular", "correo": "eva@ejemplo.com", "clave": CLAVE}
    page = PageUser(world).submit(f"/registro?l={language}", cod_telefono="+58", telefono="4125", **joining)
    assert WRONG_NUMBER[language] in page.text
    # However the prefix is typed, it is the same one.
    for prefix in ("58", "0058", "+58 ", "(+58)"):
        shown = ShownForm(user.get(path).text)
        assert send(user, path, shown, "save", **{"contactos.1.cod_telefono": prefix}).status_code == 303
    assert read(world, ana, "emergencia")["data"]["contactos"][1]["cod_telefono"] == "+58"
    shown = ShownForm(user.get(path).text)
    refused = send(user, path, shown, "save", **{"contactos.1.cod_telefono": "Venezuela"}).text
    assert 'id="contactos.1.cod_telefono-fault"' in refused


def test_a_list_as_long_as_it_may_be_is_saved_whole(world: World, ana: Person) -> None:
    """And one line more is refused, never dropped."""
    user, path, address = logged_in(world, ana), f"/app/{code_of(ana)}/vacuna", f"/v2/fmd/{code_of(ana)}/vacuna"
    most = next(field.max_items for field in form_of(Vacuna) if field.name == "vacunas") or 0
    assert ana.put(address, {"vacunas": [{"vacuna": {"texto": f"Dosis {n}"}} for n in range(most)]}).status_code == 200
    shown = ShownForm(user.get(path).text)
    assert send(user, path, shown, "save", **{"vacunas.0.lugar": "Sur"}).status_code == 303
    assert len(read(world, ana, "vacuna")["data"]["vacunas"]) == most
    shown = ShownForm(user.get(path).text)
    assert send(user, path, shown, "save", **{f"vacunas.{most}.vacuna.texto": "Otra"}).status_code == 422


def test_nothing_known_is_a_tap(world: World, ana: Person) -> None:
    user, path = logged_in(world, ana), f"/app/{code_of(ana)}/medicacion"
    assert send(user, path, ShownForm(user.get(path).text), "save", ausencia="ninguna_conocida").status_code == 303
    assert read(world, ana, "medicacion")["data"] == {"ausencia": "ninguna_conocida"}


def test_a_whole_section_is_confirmed_with_one_tap(world: World, ana: Person, contacts: tuple[PageUser, str]) -> None:
    _, path = contacts
    world.clock.move(days=40)
    ana.data["attributes"]["token"] = world.token_for(ana.id)
    user = logged_in(world, ana)
    assert send(user, path, ShownForm(user.get(path).text), "confirm").status_code == 303
    facts = read(world, ana, "emergencia")["data"]["contactos"]
    assert {fact["confirmado_en"] for fact in facts} == {world.clock.now().date().isoformat()}


@pytest.mark.parametrize("step", ["save", "confirm"])
def test_a_dose_that_she_changed_is_no_longer_confirmed_by_the_doctor(world: World, ana: Person, step: str) -> None:
    by_doctor = {"confirmado_en": "2026-09-15", "fuente": "medico"}
    medicines = [{"medicamento": {"texto": name}, "dosis": "5 mg", **by_doctor} for name in ("Warfarina", "Bisoprolol")]
    path = f"/v2/fmd/{code_of(ana)}/medicacion"
    assert ana.put(path, {"medicamentos": medicines}).status_code == 200
    user, form = logged_in(world, ana), f"/app/{code_of(ana)}/medicacion"
    shown = ShownForm(user.get(form).text)
    assert send(user, form, shown, step, **{"medicamentos.0.dosis": "50 mg"}).status_code == 303
    today = world.clock.now().date().isoformat()
    new, same = read(world, ana, "medicacion")["data"]["medicamentos"]
    assert (new["dosis"], new["confirmado_en"], new["fuente"]) == ("50 mg", today, "representante")
    # Nor did the doctor say today that the other one is as it was: she did.
    told = (today, "representante") if step == "confirm" else ("2026-09-15", "medico")
    assert (same["confirmado_en"], same["fuente"]) == told
    # By the API it is the same, and what the caller says anew stands.
    facts = [new, same | {"dosis": "10 mg"}]
    assert world.client.patch(path, json={"medicamentos": facts}, headers=ana.headers).status_code == 200
    assert read(world, ana, "medicacion")["data"]["medicamentos"][1]["fuente"] == "representante"
    facts = [new | {"dosis": "5 mg", "fuente": "medico"}, same]
    assert world.client.patch(path, json={"medicamentos": facts}, headers=ana.headers).status_code == 200
    assert read(world, ana, "medicacion")["data"]["medicamentos"][0]["fuente"] == "medico"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("es", "Contactos 2 · Relación: Falta este dato"),
        ("en", "Contacts 2 · Relationship: This is missing"),
        ("pt", "Contatos 2 · Relação: Falta este dado"),
    ],
)
def test_the_summary_names_the_field_and_the_line(
    world: World, ana: Person, contacts: tuple[PageUser, str], language: str, said: str
) -> None:
    user, path = contacts
    shown = ShownForm(user.get(f"{path}?l={language}").text)
    emptied = {"contactos.1.relacion": "", "contactos.1.nombre": ""}
    refused = send(user, f"{path}?l={language}", shown, "save", **emptied)
    assert refused.status_code == 422 and f'<a href="#contactos.1.relacion">{said}</a>' in refused.text
    summary = refused.text.partition('class="faults"')[2].partition("</div>")[0]
    lines = re.findall(r"<li>(.*?)</li>", summary)
    assert len(lines) == len(set(lines)) == 2


def test_two_people_at_once_lose_nothing(world: World, ana: Person, contacts: tuple[PageUser, str]) -> None:
    user, path = contacts
    mine = ShownForm(user.get(path).text)
    other = logged_in(world, ana)
    theirs = ShownForm(other.get(path).text)
    theirs_saved = {"instrucciones": "Háblenle despacio", "contactos.0.nombre": "Marta", "hospital_preferido": "Sur"}
    assert send(other, path, theirs, "save", **theirs_saved).status_code == 303
    second = send(user, path, mine, "save", **{"contactos.1.nombre": "Lucho", "hospital_preferido": "Norte"})
    assert second.status_code == 412
    assert "Otra persona cambió esto" in second.text and "la otra persona escribió «Sur»" in second.text
    assert names(world, ana) == ["Marta", "Luis"]
    assert send(user, path, ShownForm(second.text), "save").status_code == 303
    now = read(world, ana, "emergencia")["data"]
    assert [item["nombre"] for item in now["contactos"]] == ["Marta", "Lucho"]
    assert (now["instrucciones"], now["hospital_preferido"]) == ("Háblenle despacio", "Norte")


def test_who_may_see_and_not_change_is_told_so(world: World, ana: Person) -> None:
    luis = world.register()
    hasta = (world.clock.now() + timedelta(days=3)).isoformat()
    ana.post(f"/v2/fmd/{code_of(ana)}/grants", {"correo": luis.correo, "tipo": "delegate", "hasta": hasta})
    assert world.accept_invitation(luis).status_code == 200
    user, path = logged_in(world, luis), f"/app/{code_of(ana)}/cuerpo"
    page = user.get(path)
    assert "pero no cambiarla" in page.text
    assert send(user, path, ShownForm(page.text), "save", peso_kg="60").status_code == 403
    assert logged_in(world, world.register()).get(path).status_code == 404
    assert user.get(f"/app/{code_of(ana)}/nada").status_code == 404
