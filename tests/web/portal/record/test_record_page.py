"""The page of a record: what each section says, whose it is on the family's page, and one page for who sees what."""

import re

import pytest

from tests.web.portal.forms.form_filling import filled
from tests.web.portal.page_session import logged_in
from tests.web.portal.record.test_stickers import code_of
from tests.world import Person, World


def beside(page: str, section: str) -> str:
    found = re.search(rf"<b>{section}</b><small>(.*?)</small>", page)
    assert found is not None, section
    return found[1]


def test_a_section_says_what_is_in_it(world: World, ana: Person) -> None:
    code = code_of(ana)
    agents = ["Maní", "Huevo", "Leche", "Soya", "Kiwi", "Polen"]
    ana.put(f"/v2/fmd/{code}/alergiasa", {"alergias": [{"agente": {"texto": agent}} for agent in agents]})
    ana.put(f"/v2/fmd/{code}/alergiasm", {"ausencia": "ninguna_conocida"})
    contact = {"nombre": "Rosa Pérez", "relacion": "madre", "cod_telefono": "+58", "telefono": "4125551111"}
    ana.put(f"/v2/fmd/{code}/emergencia", {"contactos": [contact]})
    penicillin = {"texto": "Ventolin", "sistema": "atc", "codigo": "R03AC02"}
    ana.put(f"/v2/fmd/{code}/medicacion", {"medicamentos": [{"medicamento": penicillin}]})
    ana.put(f"/v2/fmd/{code}/personal", {"nombres": "Ana", "apellidos": "Pérez", "sexo": "femenino"})
    ana.put(f"/v2/fmd/{code}/cardiologico", {"anticoagulado": False})
    page = logged_in(world, ana).get(f"/app/{code}").text
    assert beside(page, "Corazón") == "Toma anticoagulantes: no"
    assert beside(page, "Alergias a alimentos y ambiente") == "Maní, Huevo, Leche, Soya +2"
    assert beside(page, "Alergias a medicamentos") == "Ninguna conocida"
    assert beside(page, "En una emergencia") == "Rosa Pérez"
    assert "Con datos" not in page and "Sin datos" in page
    english = logged_in(world, ana).get(f"/app/{code}?l=en").text
    assert "Salbutamol, inhaled (albuterol)" in english and "First names, Family names, Sex" in english


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("relation", "sex", "words"),
    [
        ("madre", "femenino", ("Su hija", "Your daughter", "Sua filha")),
        ("padre", "masculino", ("Su hijo", "Your son", "Seu filho")),
        ("madre", "otro", ("Su hija o hijo", "Your child", "Sua filha ou filho")),
        ("hijo", "femenino", ("Su madre", "Your mother", "Sua mãe")),
        ("pareja", "masculino", ("Su pareja", "Your partner", "Seu par")),
        ("titular", "femenino", ("Usted", "You", "Você")),
        ("maestra", "femenino", ("A su cargo", "In your charge", "A seu cargo")),
    ],
)
def test_a_card_says_who_it_is_to_the_reader(
    world: World, relation: str, sex: str, words: tuple[str, str, str]
) -> None:
    keeper = world.register(relacion=relation)
    keeper.put(f"/v2/fmd/{code_of(keeper)}/personal", {"nombres": "Inés", "apellidos": "Pérez", "sexo": sex})
    user = logged_in(world, keeper)
    for language, said in zip(("es", "en", "pt"), words, strict=True):
        assert f'<p class="soft">{said} · ' in user.get(f"/app?l={language}").text


def test_who_sees_what_is_decided_on_one_page(world: World, ana: Person) -> None:
    """With the rest of the consent: one form, saved at once."""
    code = code_of(ana)
    ana.put(f"/v2/fmd/{code}/salud", {"condiciones": [{"condicion": {"texto": "Asma"}}]})
    ana.put(f"/v2/fmd/{code}/consentimiento", {"visibilidad": {"salud/yaNoEsta": "P"}})
    user, form = logged_in(world, ana), f"/app/{code}/consentimiento"
    shown = user.get(form).text
    assert "Lo que esconda no ayudará" in shown and "Asma" in shown
    assert filled(user, form, {"visibilidad.salud": "P", "donante_organos": "si"}).status_code == 303
    stored = ana.get(f"/v2/fmd/{code}/consentimiento").json()["data"]["attributes"]
    # What was decided about a fact that is gone stays.
    assert stored["data"]["visibilidad"] == {"salud": "P", "salud/yaNoEsta": "P"}
    assert stored["data"]["donante_organos"] is True
    assert f'href="{form}#visibilidad"' in user.get(f"/app/{code}").text
    assert user.get(f"/app/{code}/quien-ve").headers["location"] == form, "where it was before"
