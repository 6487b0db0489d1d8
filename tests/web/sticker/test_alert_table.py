"""What the page says in every state of the ladder, for no contact, one and three, with and without a position, in three
languages; and that it claims nothing that the stored steps do not show."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from ficha.accounts.accounts import Idioma
from ficha.audit.chain import AuditEntry
from ficha.emergencies.emergency import Emergency
from ficha.emergencies.steps import CalledContact, Step, link_for
from ficha.messaging.tables import Message
from ficha.web.sticker.live_stream import AlertProgress
from ficha.web.sticker.page_facts import TEXTS
from tests.web.sticker.sticker import CONTACT, ScannedSticker, emergencies, sticker_of
from tests.world import World, build_world, settings_for

LANGUAGES = ("es", "en", "pt")
FATHER = CONTACT | {
    "nombre": "Luis Rojas",
    "relacion": "padre",
    "telefono": "4145552222",
    "prioridad": 2,
    "correo": None,
}
AUNT = CONTACT | {"nombre": "Eva Rojas", "relacion": "tía", "telefono": "4165553333", "prioridad": 3, "correo": None}
CONTACTS: dict[str, list[dict[str, Any]]] = {"none": [], "one": [CONTACT], "three": [CONTACT, FATHER, AUNT]}

ALERTING = ("Avisando…", "Alerting…", "Avisando…")
RECEIVED = ("La madre recibió el aviso", "The mother received the alert", "A mãe recebeu o aviso")
READ = ("La madre leyó el aviso", "The mother read the alert", "A mãe leu o aviso")
COMING = ("La madre viene en camino", "The mother is on the way", "A mãe está a caminho")
NOT_YET = (
    "Todavía no pudimos avisar a nadie: llame a los números de esta página.",
    "We could not alert anybody yet: call the numbers on this page.",
    "Ainda não conseguimos avisar ninguém: ligue para os números desta página.",
)
FAILED = "No pudimos avisar a nadie: llame a los números de esta página."
SENT_LINE = ("Enviado a la madre por WhatsApp", "Sent to the mother by WhatsApp", "Enviado à mãe pelo WhatsApp")
TRYING = (
    "Avisando a la madre por WhatsApp",
    "Sending an alert to the mother by WhatsApp",
    "Enviando aviso à mãe pelo WhatsApp",
)
NOT_SENT = (
    "No se pudo avisar a la madre por WhatsApp",
    "No alert could be sent to the mother by WhatsApp",
    "Não foi possível enviar aviso à mãe pelo WhatsApp",
)
CANNOT = ("La madre no puede venir", "The mother cannot come", "A mãe não pode vir")
# State of the first step and the contact's answer; the heading; a line of the list.
TABLE: list[tuple[str, str | None, tuple[str, ...], tuple[str, ...]]] = [
    ("queued", None, ALERTING, TRYING),
    ("sending", None, ALERTING, TRYING),
    ("accepted", None, ALERTING, SENT_LINE),
    ("sent", None, ALERTING, SENT_LINE),
    ("delivered", None, RECEIVED, RECEIVED),
    ("read", None, READ, READ),
    ("failed", None, NOT_YET, NOT_SENT),
    ("skipped", None, NOT_YET, NOT_SENT),
    ("read", "voy", COMING, COMING),
    ("read", "no_puedo", CANNOT, CANNOT),
]
RECEIVED_BY_US = ("Recibimos su aviso", "We received your alert", "Recebemos o seu aviso")
POSITIONS = {
    "none": ("Enviar mi ubicación", "Send my position", "Enviar a minha localização"),
    "early": ("Ubicación enviada (±18 m)", "Position sent (±18 m)", "Localização enviada (±18 m)"),
    "late": ("Ubicación enviada (±18 m)", "Position sent (±18 m)", "Localização enviada (±18 m)"),
}
SPOT = {"lat": "10.65", "lon": "-71.63", "precision": "18"}


def words(sticker: ScannedSticker, language: str) -> str:
    section = sticker.scan(params={"l": language}).text.partition('class="call"')[2].partition("</section>")[0]
    return " ".join(re.sub(r"<[^>]+>", " ", section).split())


def streamed(world: World, sticker: ScannedSticker, language: str) -> tuple[str, str]:
    """Where scripts run, these take the place of the heading and the list."""
    with world.parts.database.reading() as tx:
        found = AlertProgress(world.parts, sticker.code, sticker.tag, Idioma(language)).news(tx)
    assert found
    return found.lines[0], " ".join(found.lines[1:])


def alerted(world: World, contacts: list[dict[str, Any]], position: str) -> ScannedSticker:
    people = [{name: value for name, value in one.items() if value} for one in contacts]
    sticker = sticker_of(world, emergencia={"contactos": people})
    sticker.alert(**(SPOT if position == "early" else {}))
    emergency = emergencies(world)[-1]
    world.do("emergencia.paso", emergency_id=emergency.id, place=1)
    if position == "late":
        world.reader.post(f"{sticker.path}/ubicacion", data=SPOT, follow_redirects=False)
    return sticker


@pytest.mark.parametrize(
    ("database_url", "contacts", "position"),
    [
        *(("sqlite", contacts, position) for contacts in ("one", "three") for position in POSITIONS),
        ("postgresql", "three", "late"),  # One of them is enough on the other database.
    ],
    indirect=["database_url"],
)
def test_the_page_says_what_the_steps_show(world: World, contacts: str, position: str) -> None:
    world.listen()
    sticker = alerted(world, CONTACTS[contacts], position)
    [emergency] = emergencies(world)
    claims = {sentence for _, _, heading, _ in TABLE for sentence in heading}
    for state, answer, heading, line in TABLE:
        with world.parts.database.writing() as tx:
            [step] = tx.orm.scalars(select(Step).where(Step.emergency_id == emergency.id))
            step.state = state
            called = tx.orm.get_one(CalledContact, (emergency.id, step.contact_id))
            called.answer, called.answered_at = answer, world.clock.now() if answer else None
        for place, language in enumerate(LANGUAGES):
            told = words(sticker, language)
            assert heading[place] in told and line[place] in told, (state, language)
            assert RECEIVED_BY_US[place] in told and POSITIONS[position][place] in told
            shown = {heading[place], line[place]} | ({READ[place]} if state == "read" else set())
            title, listed = streamed(world, sticker, language)
            assert title == heading[place] and line[place] in listed, (state, language)
            for claim in claims - shown:
                assert claim not in told + listed, (state, language)


@pytest.mark.parametrize("state", ["resolved", "canceled"])
def test_an_emergency_that_ended_offers_the_alert_again(world: World, state: str) -> None:
    world.listen()
    sticker = alerted(world, [CONTACT], "none")
    with world.parts.database.writing() as tx:
        ended = {"state": state, f"{state}_at": world.clock.now()}
        tx.orm.execute(update(Emergency).values(**ended))
    assert "Avisar a la familia" in words(sticker, "es")


@pytest.mark.parametrize(
    ("state", "language", "ended", "later", "unsent"),
    [
        ("resolved", "es", "La emergencia terminó", "les llega un aviso a las", "Ningún aviso está en marcha"),
        ("canceled", "en", "The alert was canceled", "they get an alert at", "No alert is under way"),
        ("resolved", "pt", "A emergência terminou", "recebem um aviso às", "Nenhum aviso está em andamento"),
    ],
)
def test_without_scripts_the_end_is_told_and_nothing_is_promised(
    world: World, state: str, language: str, ended: str, later: str, unsent: str
) -> None:
    world.listen()
    sticker = alerted(world, [CONTACT], "none")
    [reloads_to] = re.findall(r'content="5;url=([^"]+)"', sticker.scan(params={"l": language}).text)
    [emergency] = emergencies(world)
    change = {"state": state}
    path = f"/v2/emergencies/{emergency.id}"
    assert world.client.patch(path, json=change, headers=sticker.owner.headers).status_code == 200
    page = world.reader.get(reloads_to.replace("&amp;", "&")).text
    assert ended in page and 'http-equiv="refresh"' not in page and 'id="place"' not in page and 'id="say"' not in page
    assert TEXTS[Idioma(language)].alert_underway not in page
    # Another alert waits for the end of the quiet time, and says so before it is asked for.
    assert later in page and TEXTS[Idioma(language)].alert_now not in page
    assert TEXTS[Idioma(language)].alert_now not in sticker.scan(params={"l": language}).text
    # What a page that is still open sends is not dropped without a word.
    for form, way in ((SPOT, "ubicacion"), ({"mensaje": "Está mejor"}, "mensaje")):
        sent = world.reader.post(f"{sticker.path}/{way}", data=form | {"l": language})
        assert sent.status_code == 409 and unsent in sent.text and ended in sent.text
    world.clock.move(minutes=10)
    after = world.reader.get(reloads_to.replace("&amp;", "&")).text
    assert ended not in after and later not in after


NOBODY = (
    "No hay a quién avisar. Llame al 112",
    "There is nobody to alert. Call 112",
    "Não há a quem avisar. Ligue para 112",
)
STAFF = ("Avisar al equipo de guardia", "Alert the team on call", "Avisar a equipe de plantão")
FAMILY = ("Avisar a la familia", "Alert the family", "Avisar a família")


def test_without_a_contact_no_button_reaches_nobody(world: World) -> None:
    sticker = sticker_of(world, emergencia={"contactos": []})
    for place, language in enumerate(LANGUAGES):
        told = words(sticker, language).replace(" .", ".")
        assert NOBODY[place] in told
        assert FAMILY[place] not in told and STAFF[place] not in told


@pytest.fixture
def on_call_world(database_url: str, tmp_path: Path) -> Iterator[World]:
    on_call = {"on_call_mails": "guardia@ejemplo.com", "on_call_phones": "+584121234567"}
    world = build_world(settings_for(database_url, tmp_path / "data", **on_call))
    yield world
    world.close()


def test_the_last_step_reaches_the_team_on_call_and_the_page_says_no_more(on_call_world: World) -> None:
    world = on_call_world
    world.listen()
    sticker = sticker_of(world, emergencia={"contactos": []})
    page = sticker.scan().text
    sticker.alert()
    [emergency] = emergencies(world)
    world.do("emergencia.paso", emergency_id=emergency.id, place=1)
    assert "Avisando a nuestro equipo de guardia" in words(sticker, "es")
    assert "Aviso enviado a nuestro equipo" not in words(sticker, "es")
    world.run_jobs()
    assert "Aviso enviado a nuestro equipo de guardia" in words(sticker, "es")
    [mail] = [mail for mail in world.mails() if mail.to == "guardia@ejemplo.com"]
    assert f"/admin/emergencias/{emergency.id}" in mail.text and "Ana" not in mail.text
    with world.parts.database.reading() as tx:
        [message] = tx.orm.scalars(select(Message).where(Message.once == f"guardia:{emergency.id}:0"))
        assert message.state in ("accepted", "sent", "delivered", "read")
    assert "No hay a quién avisar" in page and STAFF[0] in page


def test_without_a_team_the_page_says_that_nobody_is_left(world: World) -> None:
    world.listen()
    sticker = sticker_of(world, emergencia={"contactos": []})
    sticker.alert()
    [emergency] = emergencies(world)
    world.do("emergencia.paso", emergency_id=emergency.id, place=1)
    told = words(sticker, "es")
    assert "No hay nadie más a quien avisar" in told and FAILED in told


def test_a_landmark_and_a_better_position_join_the_emergency(world: World) -> None:
    world.listen()
    sticker = alerted(world, [CONTACT], "late")
    better = {"lat": "10.66", "lon": "-71.64", "precision": "5"}
    worse = {"lat": "10.99", "lon": "-71.99", "precision": "900"}
    for form in (better, worse, {"lugar": "  frente a la   panadería Sol "}):
        sent = world.reader.post(f"{sticker.path}/ubicacion", data=form, follow_redirects=False)
        assert sent.status_code == 303
    refused = world.reader.post(f"{sticker.path}/ubicacion", data={"lugar": "http://malo.example"})
    assert refused.status_code == 422 and "Sin enlaces." in refused.text
    told = words(sticker, "es")
    assert "Ubicación enviada (±5 m)" in told and "Lugar enviado: frente a la panadería Sol." in told
    assert "malo" not in told
    [emergency] = emergencies(world)
    with world.parts.database.reading() as tx:
        [step] = tx.orm.scalars(select(Step).where(Step.emergency_id == emergency.id))
        link = link_for(world.parts.secrets, emergency.id, step.contact_id or "", "whatsapp")
    page = world.reader.get(f"/a/{link}").text
    assert "(hora de Caracas)" in page and "UTC" not in page
    assert page.index("Abrir el mapa") < page.index("10.66000")
    assert "Llamar a María Rojas, madre" in told
    assert "frente a la panadería Sol" in page and "10.66000, -71.64000" in page


def test_without_scripts_the_place_is_typed_on_a_page_that_does_not_reload(world: World) -> None:
    world.listen()
    sticker = alerted(world, [CONTACT], "none")
    page = sticker.scan().text
    # Shown by the script, where one runs; else a link leads to a page that holds still.
    assert 'http-equiv="refresh"' in page and re.search(r'<form id="place"[^>]* hidden>', page)
    assert f'<noscript><p><a href="{sticker.path}?lugar=1&amp;l=es">Decir dónde está</a>' in page
    still = world.reader.get(f"{sticker.path}?lugar=1&l=es").text
    assert 'http-equiv="refresh"' not in still and re.search(r'<form id="place"[^>]*ubicacion">', still)
    assert "Decir dónde está" not in still


@pytest.mark.parametrize(
    ("language", "fault"),
    [("es", "Escriba dónde está"), ("en", "Write where it is"), ("pt", "Escreva onde está")],
)
def test_a_place_with_nothing_in_it_is_asked_for_again(world: World, language: str, fault: str) -> None:
    sticker = alerted(world, [CONTACT], "none")
    empty = {"lat": "", "lon": "", "precision": "", "lugar": " ", "l": language}
    answer = world.reader.post(f"{sticker.path}/ubicacion", data=empty)
    assert answer.status_code == 422 and 'http-equiv="refresh"' not in answer.text
    field = answer.text.partition('id="place"')[2].partition("</form>")[0]
    assert f'<a href="#lugar">{fault}' in answer.text.partition('id="call"')[0]
    assert fault in field and 'aria-invalid="true" aria-describedby="place-fault"' in field
    with world.parts.database.reading() as tx:
        noted = tx.orm.scalars(select(AuditEntry.action)).all()
    assert "emergency.located" not in noted  # The family's page tells that somebody said where.


def test_a_place_without_an_alert_changes_nothing(world: World) -> None:
    sticker = sticker_of(world)
    sent = world.reader.post(f"{sticker.path}/ubicacion", data=SPOT, follow_redirects=False)
    assert sent.status_code == 409 and "Ningún aviso está en marcha: esto no se envió." in sent.text
    assert emergencies(world) == []


def test_a_wrong_tag_still_offers_the_alert_of_its_code(world: World) -> None:
    world.listen()
    sticker = sticker_of(world)
    wrong = world.reader.get(f"/e/{sticker.code}/{'A' * 26}", headers={"Accept-Language": "es-PE"})
    assert wrong.status_code == 404 and f'action="/e/{sticker.code}/avisar"' in wrong.text
    assert 'href="tel:106"' in wrong.text
    assert world.reader.post(f"/e/{sticker.code}/avisar", data={}).status_code == 200
    assert len(emergencies(world)) == 1


def test_one_number_on_every_page(world: World) -> None:
    world.listen()
    sticker = alerted(world, [CONTACT], "none")
    [emergency] = emergencies(world)
    with world.parts.database.reading() as tx:
        [step] = tx.orm.scalars(select(Step).where(Step.emergency_id == emergency.id))
    link = link_for(world.parts.secrets, emergency.id, step.contact_id or "", "whatsapp")
    for path in (sticker.path, f"/e/{sticker.code}", f"/e/{sticker.code}/{'A' * 26}", f"/a/{link}"):
        page = world.reader.get(path, headers={"Accept-Language": "pt-BR,pt;q=0.9"}).text
        assert re.findall(r'href="tel:(\d+)"', page) == ["192"], path


def test_what_the_owner_reserved_is_not_called_unrecorded(world: World) -> None:
    hidden = {"visibilidad": {"medicacion": "B", "alergiasm": "P"}}
    page = sticker_of(world, consentimiento=hidden).scan().text
    medicines = page.partition('id="medicines"')[2].partition("</section>")[0]
    assert "Reservado. El personal de salud lo abre con «Ver más datos»." in medicines
    allergies = page.partition('id="allergies"')[2].partition("</section>")[0]
    assert "A medicinas: reservado por la persona." in allergies
    assert "Sin registrar" not in medicines
    assert "Abre: identidad y dirección, medicinas, vacunas" in page
