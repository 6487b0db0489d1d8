"""Contacts are typed once: whoever joins for somebody else is one, and the next child has the same."""

import pytest

from tests.web.portal.forms.form_filling import ShownForm, send
from tests.web.portal.joining.test_joining import CONTACT, PERSON, contact, joined, stored
from tests.web.portal.page_session import PageUser
from tests.world import World, new_correo


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("relacion", "language", "word"),
    [("madre", "es", "madre"), ("padre", "en", "father"), ("hija", "pt", "filha"), ("tutora", "es", "tutora")],
)
def test_who_joins_for_somebody_else_is_offered_as_the_first_contact(
    world: World, relacion: str, language: str, word: str
) -> None:
    user = PageUser(world)
    answer = user.submit("/registro", correo=new_correo(), **PERSON | {"relacion": relacion})
    first = answer.headers["location"]
    shown = ShownForm(user.get(f"{first}?l={language}").text).values
    offered = {name: shown[f"contacto.0.{name}"] for name in CONTACT}
    assert offered == {"nombre": "Ana Rojas", "relacion": word, "cod_telefono": "+58", "telefono": "04125551111"}
    assert shown["nombres"] == "" and not shown["contacto.1.nombre"]
    assert user.post(first, **shown).status_code == 303
    [person] = stored(user, first)["emergencia"]["contactos"]
    assert person["telefono_e164"] == "+584125551111" and person["canales"] == ["whatsapp"]


def test_nobody_is_offered_as_a_contact_of_herself(world: World) -> None:
    user, first = joined(world)
    shown = ShownForm(user.get(first).text).values
    assert not shown["contacto.0.nombre"] and not shown["contacto.0.telefono"]
    assert "¿Los mismos contactos?" not in user.get(first).text


def test_one_tap_copies_the_contacts_to_the_next_child(world: World) -> None:
    user, first = joined(world)
    assert user.submit(first, **contact(0), **contact(1, nombre="Luis", telefono="4125552222")).status_code == 303
    more = {"correo": "luis@ejemplo.com", "canales.correo": "si", "puede_decidir": "si"}
    path = first.replace("inicio", "emergencia")
    more = {f"contactos.1.{name}": value for name, value in more.items()}
    assert send(user, path, ShownForm(user.get(path).text), "save", **more).status_code == 303
    child = user.submit("/app/nueva", nombres="Eva", relacion="madre", template_type="general").headers["location"]
    page = user.get(child).text
    assert "Los de otra ficha: María, Luis" in page
    [copy] = [name for name in ShownForm(page).names if name.startswith("copiar.")]
    assert copy not in ShownForm(page).values and ShownForm(page).values["nombres"] == "Eva"
    # Her own number is that of María already: the same person is not there twice.
    sent = ShownForm(page).values | {copy: "si", "apellidos": "Rojas"}
    assert user.post(child, **sent).status_code == 303
    people = stored(user, child)["emergencia"]["contactos"]
    assert [(one["nombre"], one["prioridad"]) for one in people] == [("Ana Rojas", 1), ("Luis", 2)]
    assert people[1]["correo"] == "luis@ejemplo.com" and people[1]["canales"] == ["whatsapp", "correo"]
    assert "puede_decidir" not in people[1]
    # The third child is offered each set of contacts once.
    third = user.submit("/app/nueva", nombres="Sol", relacion="madre", template_type="general").headers["location"]
    assert len([name for name in ShownForm(user.get(third).text).names if name.startswith("copiar.")]) == 1


def test_contacts_of_a_record_that_one_does_not_manage_are_copied_by_no_number(world: World) -> None:
    other, theirs = joined(world)
    assert other.submit(theirs, **contact(0)).status_code == 303
    user, first = joined(world)
    numbers = {f"copiar.{number}": "si" for number in range(1, 30)}
    assert user.submit(first, nombres="Ana", apellidos="R", **numbers).status_code == 303
    assert "emergencia" not in stored(user, first)


def test_two_people_may_share_a_phone(world: World) -> None:
    user, first = joined(world)
    assert user.submit(first, **contact(0), **contact(1, nombre="Luis")).status_code == 303
    assert [one["nombre"] for one in stored(user, first)["emergencia"]["contactos"]] == ["María", "Luis"]
