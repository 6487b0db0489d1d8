"""Words that have no code: offered afterwards on a page of their own, chosen by hand, left as they were typed."""

from typing import Any

import pytest

from tests.web.portal.forms.form_filling import ShownForm
from tests.web.portal.page_session import PageUser, logged_in
from tests.world import Person, World

PENICILLINS = "J01C"
# Who only chooses a code for what the doctor said long ago confirms nothing.
SAID = {"confirmado_en": "2024-03-01", "fuente": "medico"}


def code_of(person: Person) -> str:
    return str(person.data["attributes"]["product_codes"][0])


def write(person: Person, **models: Any) -> None:
    for model, document in models.items():
        assert person.put(f"/v2/fmd/{code_of(person)}/{model}", document).status_code == 200


def read(world: World, person: Person, model: str) -> Any:
    answer = world.reader.get(f"/v2/fmd/{code_of(person)}/{model}", headers=person.headers)
    return answer.json()["data"]["attributes"]["data"]


def page_of(world: World, person: Person) -> tuple[PageUser, str]:
    return logged_in(world, person), f"/app/{code_of(person)}/codigos"


def test_words_stay_until_a_term_is_chosen_by_hand(world: World, ana: Person) -> None:
    write(
        ana,
        alergiasm={
            "alergias": [{"medicamento": {"texto": "Penicilina"}, "criticidad": "alta", "notas": "De niña.", **SAID}]
        },
        salud={"condiciones": [{"condicion": {"texto": "Qwrtzp"}}], "cirugias": [{"texto": "cesarea"}]},
    )
    user, path = page_of(world, ana)
    assert f'href="{path}"' in user.get(f"/app/{code_of(ana)}").text
    page = user.get(path).text
    shown = ShownForm(page)
    [fact] = read(world, ana, "alergiasm")["alergias"]
    at = f"alergiasm.{fact['id']}.medicamento"
    # What was typed is chosen already, and stands first.
    assert shown.values[at] == "" and shown.offered[at][0] == ""
    assert "Qwrtzp" in page[page.index("nada parecido") :] and "Qwrtzp" not in page[: page.index("nada parecido")]
    assert user.post(path, **shown.values).headers["location"] == f"{path}?guardado=1"
    assert read(world, ana, "alergiasm")["alergias"] == [fact]
    chosen = next(one for one in shown.offered[at] if f"|{PENICILLINS}|" in one)
    surgery = next(name for name in shown.names if name.startswith("salud."))
    section = next(one for one in shown.offered[surgery] if "Cesárea" in one)
    assert user.post(path, **shown.values | {at: chosen, surgery: section}).status_code == 303
    [coded] = read(world, ana, "alergiasm")["alergias"]
    assert coded["medicamento"]["codigo"] == PENICILLINS
    assert {name: coded[name] for name in coded if name != "medicamento"} == {
        name: fact[name] for name in fact if name != "medicamento"
    }
    assert read(world, ana, "salud")["cirugias"][0]["codigo"]
    assert read(world, ana, "salud")["condiciones"][0]["condicion"] == {"texto": "Qwrtzp"}
    assert at not in ShownForm(user.get(path).text).names


def test_an_allergy_goes_to_the_list_of_the_term_that_was_chosen(world: World, ana: Person) -> None:
    write(ana, alergiasm={"ausencia": "ninguna_conocida"})
    write(ana, alergiasa={"alergias": [{"agente": {"texto": "dipirona"}, "criticidad": "alta"}]})
    user, path = page_of(world, ana)
    shown = ShownForm(user.get(path).text)
    [at] = [name for name in shown.names if name.startswith("alergiasa.")]
    chosen = next(one for one in shown.offered[at] if one.startswith("alergiasm|"))
    assert user.post(path, **shown.values | {at: chosen}).status_code == 303
    [moved] = read(world, ana, "alergiasm")["alergias"]
    assert moved["criticidad"] == "alta" and moved["medicamento"]["codigo"]
    assert "ausencia" not in read(world, ana, "alergiasm") and not read(world, ana, "alergiasa").get("alergias")


@pytest.mark.parametrize(
    ("fact", "consent"),
    [
        ({"autoinyector": True, "guardado_en": "mochila"}, {}),
        ({}, {"alergiasa": "P"}),
        ({}, {"alergiasm": "R"}),
    ],
)
def test_an_allergy_stays_where_it_would_lose_something_or_be_seen_by_others(
    world: World, ana: Person, fact: dict[str, Any], consent: dict[str, str]
) -> None:
    write(ana, alergiasa={"alergias": [{"agente": {"texto": "dipirona"}, **fact}]})
    write(ana, consentimiento={"visibilidad": consent})
    user, path = page_of(world, ana)
    assert "alergiasm|" not in user.get(path).text


def test_only_what_is_offered_is_taken_and_only_from_who_may_change(world: World, ana: Person) -> None:
    write(ana, alergiasm={"alergias": [{"medicamento": {"texto": "Penicilina"}}]})
    user, path = page_of(world, ana)
    shown = ShownForm(user.get(path).text)
    [at] = [name for name in shown.names if name.startswith("alergiasm.")]
    for forged in ("alergiasm|atc|N02BE01|Paracetamol", "salud|snomed|195967001|Asma", "x", "alergiasm|||"):
        assert user.post(path, **shown.values | {at: forged}).status_code == 303
    # Nor what was offered for words that somebody has changed since.
    write(ana, alergiasm={"alergias": [{"medicamento": {"texto": "Ibuprofeno"}}]})
    assert user.post(path, **shown.values | {at: shown.offered[at][1]}).status_code == 303
    assert read(world, ana, "alergiasm")["alergias"][0]["medicamento"] == {"texto": "Ibuprofeno"}


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("language", "title"),
    [("es", "Palabras sin código"), ("en", "Words without a code"), ("pt", "Palavras sem código")],
)
def test_the_page_speaks_three_languages(world: World, ana: Person, language: str, title: str) -> None:
    user, path = page_of(world, ana)
    page = user.get(f"{path}?l={language}").text
    assert f"<h1>{title}</h1>" in page
    assert f"{path}" not in user.get(f"/app/{code_of(ana)}").text, "nothing to choose"
