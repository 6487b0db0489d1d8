"""Somebody who may change a record wants to read it without a trace, by changes that change nothing."""

from functools import partial
from typing import Any

import pytest
from httpx2 import Response

from tests.api.fmd.test_fmd import EPILEPSY, MOTHER, fmd, patch, put
from tests.attack.test_granted_rights import give
from tests.exchange.imports.test_imports import ALLERGY, bundle, decide, import_document
from tests.web.portal.page_session import logged_in
from tests.world import Person, World

RECORD: dict[str, Any] = {
    "personal": {"nombres": "Ana", "apellidos": "Pérez", "fecha_nacimiento": "2012-05-03"},
    "salud": {"condiciones": [EPILEPSY]},
    "emergencia": {"contactos": [MOTHER]},
}


@pytest.fixture
def owner(ana: Person) -> Person:
    assert patch(ana, "", RECORD).status_code == 200
    return ana


def guest_of(world: World, owner: Person, tipo: str = "delegate", **more: Any) -> Person:
    """Opens the record by the owner's code."""
    guest = world.register()
    give(world, owner, owner, guest, tipo, **more)
    guest.data["attributes"]["product_codes"] = owner.data["attributes"]["product_codes"]
    return guest


def log_of(world: World, owner: Person, who: Person) -> list[tuple[str, list[str]]]:
    """What stands there of her, the newest first, without her invitation and looks at the log."""
    world.drain_reads()
    entries = [one["attributes"] for one in owner.get(fmd(owner, "/access-log")).json()["data"]]
    mine = [(one["action"], one["what"]) for one in entries if one["actor"] == f"account:{who.id}"]
    return [one for one in mine if not one[0].startswith(("access.", "log."))]


def sent(world: World, who: Person, path: str, **fields: str) -> Response:
    """A form that nobody looked at before."""
    client = logged_in(world, who).client
    return client.post(path, data=fields, headers={"Sec-Fetch-Site": "same-origin"}, follow_redirects=False)


def test_a_patch_that_changes_nothing_is_a_read(world: World, owner: Person) -> None:
    editor = guest_of(world, owner, edita=True)
    several: dict[str, Any] = {"salud": {}, "personal": {}, "emergencia": {}}
    for rest, body, what in (
        ("/salud", {}, ["salud"]),
        ("/emergency-contacts", {}, ["emergencia"]),
        ("", several, sorted(several)),
    ):
        before = log_of(world, owner, editor)
        answer = patch(editor, rest, body)
        assert answer.status_code == 200 and ("Epilepsia" in answer.text or "4125551111" in answer.text)
        assert log_of(world, owner, editor) == [("record.read", what), *before]


def test_so_is_a_put_of_what_is_there(world: World, owner: Person) -> None:
    editor = guest_of(world, owner, edita=True)
    salud, contacts = (editor.get(fmd(editor, path)).json()["data"]["attributes"] for path in ("/salud", "/emergencia"))
    before = log_of(world, owner, editor)
    assert put(editor, "/salud", salud["data"]).json()["data"]["attributes"]["version"] == salud["version"]
    assert put(editor, "/emergency-contacts", contacts["data"]["contactos"]).status_code == 200
    assert log_of(world, owner, editor) == [("record.read", ["emergencia"]), ("record.read", ["salud"]), *before]


def test_what_is_asked_for_beside_a_change_is_read(world: World, owner: Person) -> None:
    editor = guest_of(world, owner, edita=True)
    assert "Epilepsia" in patch(editor, "", {"cuerpo": {"peso_kg": 61}, "salud": {}}).text
    # A change stands there as a change, and is no read besides.
    assert patch(editor, "/cuerpo", {"peso_kg": 62}).status_code == 200
    assert sorted(log_of(world, owner, editor)) == [
        ("record.changed", ["cuerpo"]),
        ("record.changed", ["cuerpo"]),
        ("record.read", ["salud"]),
    ]


def test_the_owner_is_noted_as_when_she_reads(world: World, owner: Person) -> None:
    assert owner.get(fmd(owner, "/salud")).status_code == patch(owner, "/salud", {}).status_code == 200
    assert log_of(world, owner, owner)[:2] == [("record.read", ["salud"])] * 2


def test_a_form_sent_with_an_old_version_shows_nothing_unnoted(world: World, owner: Person) -> None:
    editor = guest_of(world, owner, edita=True)
    answer = sent(world, editor, f"{_app(owner)}/salud", version="0", do="save")
    assert answer.status_code == 412 and "Epilepsia" in answer.text
    assert log_of(world, owner, editor) == [("record.read", ["salud"])]


def test_a_step_in_the_form_of_consent_shows_what_there_is_to_decide(world: World, owner: Person) -> None:
    guardian = guest_of(world, owner, "guardian")
    answer = sent(world, guardian, f"{_app(owner)}/consentimiento", version="0", do="search:x")
    assert answer.status_code == 200 and "Epilepsia" in answer.text
    [(action, what)] = log_of(world, owner, guardian)
    assert action == "record.read" and "salud" in what


def test_a_refused_invitation_shows_the_contacts_again(world: World, owner: Person) -> None:
    guardian = guest_of(world, owner, "guardian")
    answer = sent(world, guardian, f"{_app(owner)}/personas", do="invite", correo="nobody")
    assert answer.status_code == 422 and "María Rojas" in answer.text
    assert log_of(world, owner, guardian) == [("record.read", ["emergencia"])]


def test_the_first_questions_show_a_name_that_is_noted_and_not_hidden(world: World, ana: Person) -> None:
    patch(ana, "", {"personal": RECORD["personal"]})
    guest = guest_of(world, ana)
    user = logged_in(world, guest)
    assert "Pérez" in user.get(f"{_app(ana)}/inicio").text
    assert log_of(world, ana, guest) == [("record.read", ["personal"])]
    patch(ana, "", {"consentimiento": {"visibilidad": {"personal": "P"}}})
    assert "Pérez" not in user.get(f"{_app(ana)}/inicio").text


def test_an_import_shows_the_record_of_now_each_time(world: World, owner: Person) -> None:
    """Sent again, or decided again, it changes nothing, and says what the record says."""
    patch(owner, "", {"alergiasm": {"alergias": [{"medicamento": {"texto": "penicilina"}, "notas": "De niña."}]}})
    guardian = guest_of(world, owner, "guardian")
    made = import_document(guardian, bundle(ALLERGY))
    decide(guardian, made, "refuse")
    for again in (
        partial(import_document, guardian, bundle(ALLERGY)),
        partial(decide, guardian, made, "refuse"),
        partial(decide, guardian, made, "accept"),
    ):
        before = log_of(world, owner, guardian)
        assert "De niña." in again().text
        assert log_of(world, owner, guardian) == [("record.read", ["alergiasm"]), *before]


def test_the_page_that_asks_whether_it_is_the_same_person_is_noted(world: World, owner: Person) -> None:
    patch(owner, "", {"alergiasm": {"alergias": [{"medicamento": {"texto": "penicilina"}, "notas": "De niña."}]}})
    guardian = guest_of(world, owner, "guardian")
    name = {"name": [{"family": "Gómez", "given": ["Luis"]}]}
    number = import_document(guardian, bundle(ALLERGY, **name)).json()["data"]["id"]
    before = log_of(world, owner, guardian)
    page = sent(world, guardian, f"{_app(owner)}/traer/{number}", p1="on", p2="on", do="accept")
    assert page.status_code == 409 and "De niña" in page.text
    assert log_of(world, owner, guardian) == [("record.read", ["alergiasm", "personal"]), *before]


def _app(owner: Person) -> str:
    return f"/app/{owner.data['attributes']['product_codes'][0]}"
