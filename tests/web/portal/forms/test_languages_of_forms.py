"""Whoever changes the language of a page on which she types goes on typing: nothing is lost, and nothing is saved."""

import re
from html import unescape

import pyotp
import pytest

from ficha.accounts.accounts import Idioma
from tests.web.portal.forms.form_filling import ShownForm
from tests.web.portal.page_session import PageUser, logged_in
from tests.world import CLAVE, World

# By page: what is typed.
FORMS = {
    "/registro": {"nombre": "Ana", "correo": "ana@ejemplo.com", "telefono": "4125551111"},
    "/login": {"correo": "ana@ejemplo.com"},
    "/app/nueva": {"nombres": "Luis", "relacion": "padre"},
    "/app/{code}/inicio": {
        "nombres": "Luis",
        "alergia.0": "Maní",
        "alergia.0.criticidad": "alta",
        "contacto.0.telefono": "4125551111",
    },
    "/app/{code}/personal": {"nombres": "Luis"},
    "/app/{code}/alergiasa": {"alergias.0.agente.texto": "Maní", "alergias.0.criticidad": "alta"},
    "/app/{code}/consentimiento": {"donante_organos": "si", "visibilidad.personal": "P"},
    "/app/{code}/personas": {"correo": "luis@ejemplo.com", "tipo": "edita", "cod_telefono": "+57"},
    "/app/{code}/etiquetas": {"code": "ABCDEF"},
    "/app/etiqueta": {"code": "ABCDEF", "record": "nueva"},
    "/app/mi-cuenta/correo": {"correo": "luis@ejemplo.com"},
    "/app/mi-cuenta/telefono": {"cod_telefono": "+57", "telefono": "3001234567"},
    "/clave": {"correo": "luis@ejemplo.com"},
    "/perdida": {"cual": "ABCDEF"},
}


DAYS = ("fecha_nacimiento", "hasta")
DAY = {Idioma.ES: "03/04/2019", Idioma.EN: "3 Apr 2019", Idioma.PT: "03/04/2019"}


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("form", FORMS)
def test_another_language_keeps_what_was_typed(world: World, form: str) -> None:
    person = world.register()
    code = person.data["attributes"]["product_codes"][0]
    person.put(f"/v2/fmd/{code}/personal", {"sexo": "femenino"})
    user = logged_in(world, person) if form.startswith("/app") else PageUser(world)
    typed, path = FORMS[form], form.format(code=code)
    page, day = user.get(path).text, DAY[Idioma.ES]
    for language in (Idioma.EN, Idioma.PT, Idioma.ES):
        to = button_to(page, language)
        shown = ShownForm(page)
        born = {name: day for name in DAYS if name in shown.values}
        answer = user.post(to if to.startswith("/") else path + to, **shown.values | typed | born | {"do": "idioma"})
        assert answer.status_code == 200
        page = answer.text
        assert f'<html lang="{language}">' in page
        values = ShownForm(page).values
        assert {name: values.get(name) for name in typed} == typed
        # A day is written as the language writes it, and still the same one: its digits would mean another in English.
        assert {values[name] for name in born} <= {DAY[language]}
        day = DAY[language]
        assert 'aria-invalid="true"' not in page, "nothing is told to be wrong before it is sent"
    assert user.get(f"/v2/fmd/{code}/alergiasa").status_code in (401, 404), "nothing was stored"


SWITCH = '<nav class="lang"'


@pytest.mark.one_case_on_postgresql
def test_what_is_shown_once_offers_no_link_that_would_lose_it(world: World) -> None:
    """Recovery codes, the QR of a doctor and of a sticker, a printed sheet: their address opens another page."""
    person = world.register()
    code = person.data["attributes"]["product_codes"][0]
    person.put(f"/v2/fmd/{code}/personal", {"nombres": "Ana", "apellidos": "Rojas"})
    user, second, stickers = logged_in(world, person), "/app/mi-cuenta/segundo", f"/app/{code}/etiquetas"
    user.submit(second, do="begin", clave=CLAVE)
    [secret] = re.findall(r"<code>([A-Z2-7]{32})</code>", user.get(second).text)
    answers = {
        second: {"do": "confirm", "codigo": pyotp.TOTP(secret).at(world.clock.now())},
        f"/app/{code}/medico": {"do": "hacer", "cuanto": "una", "clave": "si"},
        stickers: {"do": f"tag:{code}"},
        f"/app/{code}/papeles": {"do": "screen", "pantalla": "1170x2532", "idioma": "es"},
    }
    for path, asked in answers.items():
        assert SWITCH in user.get(path).text
        made = user.submit(path, **asked)
        assert made.status_code == 200 and "<h1" in made.text, path
        assert SWITCH not in made.text and "hreflang" not in made.text, path


def button_to(page: str, language: Idioma) -> str:
    """Where the button of the language sends the page's form: the first button of that form is the one of Enter."""
    [form] = re.findall(r'<form id="(\w+)"', page)
    buttons = re.findall(rf'<button[^>]* form="{form}"[^>]*>', page)
    assert 'class="skip"' in buttons[0] and 'value="idioma"' not in buttons[0]
    [to] = [unescape(re.findall(r'formaction="([^"]+)"', each)[0]) for each in buttons if f'lang="{language}"' in each]
    return to
