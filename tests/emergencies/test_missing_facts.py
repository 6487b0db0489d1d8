"""What a record still lacks: in which order it is told, and that every page says the same."""

import re
from dataclasses import replace
from datetime import timedelta
from html import unescape
from typing import Any

import pytest

from ficha.accounts.statements import read_account
from ficha.audit.statements import openings_of
from ficha.emergencies.missing_facts import SUGGESTIONS, JudgedRecord, Lack, lacks_of
from ficha.products.product import LiveCode
from tests.emergencies.scenario import MARIA, EmergencyScenario, contact, father
from tests.emergencies.test_refusals import alerted, close, decline
from tests.web.portal.page_session import PageUser, again, logged_in
from tests.web.portal.record.test_stickers import with_sticker
from tests.world import Person, World

MEDICINE = {"medicamento": {"texto": "Warfarina", "sistema": "atc", "codigo": "B01AA03"}, "desde": "2019"}
WHOLE: dict[str, Any] = {
    "personal": {"nombres": "Ana", "apellidos": "Rojas", "fecha_nacimiento": "1990-01-01"},
    "emergencia": {"contactos": [{"id": "c1", "nombre": "María", "telefono_e164": "+584125551111"}]},
    "alergiasm": {"ausencia": "ninguna_conocida"},
    "alergiasa": {"alergias": [{"agente": {"texto": "Maní", "codigo": "762952008"}, "criticidad": "desconocida"}]},
    "medicacion": {"medicamentos": [MEDICINE | {"confirmado_en": "2026-11-01"}]},
    "salud": {"ausencia": "ninguna_conocida"},
    "cuerpo": {"grupo_sanguineo": "O-"},
}
STICKER = LiveCode("K7M2QX", 1, False, b"tag", None, None)
UNANSWERED = {"alergias": [{"agente": {"texto": "Maní", "codigo": "762952008"}}]}
UNCODED = {"alergias": [{"medicamento": {"texto": "Penicilina"}, "criticidad": "alta"}]}
# What nobody has done yet for a record that was just written.
NEW = ["correo", "contact_unconfirmed", "drill"]


def judged(world: World, ana: Person, changes: dict[str, Any], **facts: Any) -> list[Lack]:
    record = replace(JudgedRecord(1, "K7M2QX", WHOLE | changes, [STICKER]), **facts)
    parts = world.parts
    with parts.database.reading() as tx:
        account, openings = read_account(tx, ana.id), openings_of(tx, [1])
        return lacks_of(tx, parts.secrets, parts.settings, account, [record], openings, world.clock.now())[1]


def lacking(world: World, ana: Person, changes: dict[str, Any], **facts: Any) -> list[str]:
    """Those that block with a mark."""
    return [f"{each.name}!" if each.is_blocking else each.name for each in judged(world, ana, changes, **facts)]


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({}, NEW),
        ({"personal": {}}, ["name!", *NEW, "surnames", "birth"]),
        ({"personal": {"nombres": "Ana"}}, [*NEW, "surnames", "birth"]),
        ({"emergencia": {}}, ["contact!", "correo", "drill"]),
        ({"emergencia": {"contactos": [{"nombre": "María"}]}}, ["contact!", "correo", "drill"]),
        ({"alergiasa": UNANSWERED}, ["severity!", *NEW]),
        ({"alergiasm": UNCODED}, [*NEW, "uncoded"]),
        ({"alergiasm": {}}, [*NEW, "medicine_allergies"]),
        ({"medicacion": {}}, [*NEW, "medicines"]),
        ({"medicacion": {"medicamentos": [MEDICINE | {"desde": ""}]}}, [*NEW, "since_when"]),
        ({"medicacion": {"medicamentos": [MEDICINE | {"confirmado_en": "2026-01-01"}]}}, [*NEW, "old_medicines"]),
        (
            {"personal": {}, "emergencia": {}, "alergiasa": UNANSWERED, "alergiasm": UNCODED},
            ["name!", "contact!", "severity!", "correo", "drill", "uncoded", "surnames", "birth"],
        ),
    ],
)
def test_what_matters_most_comes_first(world: World, ana: Person, changes: dict[str, Any], names: list[str]) -> None:
    assert lacking(world, ana, changes) == names


def test_a_sticker_counts_once_its_tag_can_be_scanned(world: World, ana: Person) -> None:
    bare, waits = STICKER._replace(tag_hash=None), STICKER._replace(tag_hash=None, sleeping_tag_hash=b"tag")
    for stickers, name in (([], "sticker"), ([bare], "sticker"), ([bare, waits], "sticker_unconfirmed")):
        assert lacking(world, ana, {}, stickers=stickers)[0] == f"{name}!"
    assert "sticker!" not in lacking(world, ana, {}, stickers=[bare, STICKER, waits])


def test_who_only_edits_is_told_of_what_the_forms_lack(world: World, ana: Person) -> None:
    found = lacking(world, ana, {"personal": {}, "emergencia": {}}, stickers=[], manages=False)
    assert found == ["name!", "surnames", "birth"]


def test_what_is_told_leads_to_its_page_in_three_languages(world: World, ana: Person) -> None:
    code, _ = with_sticker(world, ana)
    user = logged_in(world, ana)
    broken = {"personal": {}, "emergencia": {}, "alergiasm": UNANSWERED, "salud": {}, "cuerpo": {}, "medicacion": {}}
    found = judged(world, ana, broken, code=code, stickers=[])
    assert {one.name for one in SUGGESTIONS} - {each.name for each in found} <= {
        "medicine_allergies",
        "allergies",
        "since_when",
        "old_medicines",
    }
    for lack in found:
        assert user.get(lack.path).status_code == 200, lack
    for language, said in (
        ("es", "Todavía no protege"),
        ("en", "It does not protect yet"),
        ("pt", "Ainda não protege"),
    ):
        assert said in user.get(f"/app?l={language}").text and said in user.get(f"/app/{code}?l={language}").text


def told(user: PageUser, path: str) -> list[str]:
    """What a page says is missing or useful, in its order."""
    main = user.get(path).text.partition("<main")[2]
    links = re.findall(r'<a href="[^"]*">(?:<b>)?([^<]+)', main.partition("<h2>Secciones")[0])
    return [unescape(words) for words in links]


def test_the_first_hour(world: World, ana: Person) -> None:
    """Nothing says that it protects before it does, and what is done is asked for no more."""
    user, [code] = logged_in(world, ana), ana.data["attributes"]["product_codes"]
    ready = user.get(f"/app/{code}?listo=1").text
    assert "Ya protege" not in ready and "Todavía no protege" in ready and "Guardado" in ready
    assert told(user, f"/app/{code}")[1:4] == [
        "Escriba el nombre",
        "Agregue a quién llamar",
        "Consiga una etiqueta: imprímala o agregue la que tiene",
    ]
    assert "Escriba el nombre" in user.get("/app").text and "Todavía no protege" in user.get("/app").text
    code, _ = with_sticker(world, ana)
    for model, document in (
        ("personal", {"nombres": "Ana", "apellidos": "Rojas"}),
        ("emergencia", {"contactos": [contact(canales=["whatsapp"])]}),
        ("alergiasm", {"alergias": [{"medicamento": {"texto": "Penicilina"}}]}),
    ):
        assert ana.put(f"/v2/fmd/{code}/{model}", document).status_code == 200
    severity = "Diga si cada alergia puede ser mortal"
    assert told(user, f"/app/{code}?listo=1")[1] == severity and severity in user.get("/app").text
    drilled = user.get(user.submit(f"/app/{code}/simulacro", do="run").headers["location"]).text
    assert "No se sabe si puede ser mortal: Penicilina" in drilled and severity not in drilled
    unsure = {"alergias": [{"medicamento": {"texto": "Penicilina"}, "criticidad": "desconocida"}]}
    assert ana.put(f"/v2/fmd/{code}/alergiasm", unsure).status_code == 200
    page = user.get(f"/app/{code}?listo=1").text
    assert "Guardado. Ya protege." in page and "Todavía no protege" not in page
    # The correo is shown for checking, and to confirm it is the first advice.
    assert told(user, f"/app/{code}")[1:3] == [
        f"Confirme que su correo está bien escrito: {ana.correo}",
        "Envíe una prueba a un contacto, para que confirme que le llega",
    ]
    assert ana.correo in user.get("/app").text and ">Protege<" in user.get("/app").text
    world.clock.move(days=366)
    assert "El último simulacro fue hace más de un año" in logged_in(world, ana).get(f"/app/{code}").text


def test_a_sticker_that_ended_or_waits_is_told(world: World, ana: Person) -> None:
    code, _ = with_sticker(world, ana)
    [first] = ana.data["attributes"]["product_codes"]
    user = logged_in(world, ana)
    assert "Consiga una etiqueta" not in user.get(f"/app/{first}").text
    user.submit(f"/app/{first}/etiquetas", do=f"lost:{code}")
    assert "Consiga una etiqueta" in user.get(f"/app/{first}").text


@pytest.mark.parametrize("how", ["declines", "stops", "never answers"])
def test_a_contact_who_gets_nothing_protects_nobody(scenario: EmergencyScenario, how: str) -> None:
    world, closed = scenario.world, "Ningún contacto puede recibir el aviso"
    sticker = scenario.sticker(contact(canales=["whatsapp"]))
    alerted(scenario, sticker)
    assert closed not in logged_in_owner(world, sticker.owner).get("/app").text
    if how == "declines":
        decline(scenario)
    elif how == "stops":
        scenario.world.platform.receive(from_=MARIA, type="text", text="BAJA")
    else:  # An alert, and in the next emergency the question, which she does not answer either.
        close(scenario, sticker)
        alerted(scenario, sticker)
    scenario.run_until_idle()
    user = logged_in_owner(world, sticker.owner)
    assert closed in user.get("/app").text and closed in user.get(f"/app/{sticker.code}").text
    both = {"contactos": [contact(canales=["whatsapp"]), father()]}
    owner = again(world, sticker.owner)
    assert owner.put(f"/v2/fmd/{sticker.code}/emergencia", both).status_code == 200
    assert closed not in user.get("/app").text


def logged_in_owner(world: World, owner: Person) -> PageUser:
    user = PageUser(world)
    user.client.headers["Authorization"] = f"Bearer {world.token_for(owner.id)}"
    return user


def test_a_contact_who_answered_a_test_is_confirmed(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact(canales=["whatsapp"]))
    alerted(scenario, sticker)
    user, advice = logged_in_owner(scenario.world, sticker.owner), "Envíe una prueba a un contacto"
    assert advice in user.get(f"/app/{sticker.code}").text
    scenario.world.platform.receive(from_=MARIA, type="text", text="Voy")
    scenario.run_until_idle()
    assert advice not in user.get(f"/app/{sticker.code}").text
    assert scenario.now - scenario.emergencies()[-1].opened_at < timedelta(hours=1)
