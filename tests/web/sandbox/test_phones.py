"""Every message is shown on a phone of the sandbox page, and a developer answers in place of the person."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

import pytest
from httpx2 import Response
from sqlalchemy import select

from ficha.channels.messages import Button, LinkButton, Template, Text
from ficha.messaging.messages import queue_message
from ficha.messaging.tables import Message
from ficha.sandbox.whatsapp.people import user_id_of
from ficha.web.sandbox.phones import anchor_of
from tests import local_http
from tests.world import World

MARIA = "584125551111"
PERSON = user_id_of(MARIA)
ALERT = Template(
    "alerta_emergencia",
    "es",
    body=["Ana Pérez", "14:05", "Plaza Bolívar"],
    buttons=[Button(0, "voy:17"), Button(1, "no:17"), LinkButton(2, "x7Kd2")],
)


# What a browser sends with a form of our own page.
SAME_ORIGIN = {"Origin": "http://testserver"}


@dataclass
class Form:
    """A form of the page as a browser would post it, and the label of its button."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)
    button: str = ""


class Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[Form] = []
        self._select = ""
        self._in_button = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.found.append(Form(given["action"]))
        elif tag == "input":
            self.found[-1].fields[given["name"]] = given["value"]
        elif tag == "select":
            self._select = given["name"]
        elif tag == "option" and (self._select not in self.found[-1].fields or "selected" in given):
            self.found[-1].fields[self._select] = given["value"]
        self._in_button = tag == "button"

    def handle_data(self, data: str) -> None:
        if self._in_button:
            self.found[-1].button, self._in_button = data, False


def forms_in(page: str, action: str) -> list[Form]:
    reader = Forms()
    reader.feed(page)
    return [form for form in reader.found if form.fields["accion"] == action]


def only_form(page: str, action: str, button: str | None = None) -> Form:
    [found] = [form for form in forms_in(page, action) if button in (None, form.button)]
    return found


def send(world: World, content: Template | Text, to: str = f"+{MARIA}") -> int:
    """Queues a message as the domain does and runs its job. Returns its id."""
    number = world.parts.settings.whatsapp_phone_number_id
    with world.parts.database.writing() as tx:
        asked = queue_message(tx, world.parts.keyring, number, to, content, world.clock.now()).id
    world.run_jobs()
    return asked


def send_by_platform(world: World, to: str = f"+{MARIA}", **message: Any) -> str:
    """Sends directly through the platform, for what the service itself does not send. Returns the message's id."""
    number, token = world.platform.whatsapp.config.phone_number_id, world.platform.whatsapp.config.token
    url = f"{world.platform.url}/v23.0/{number}/messages"
    body = {"messaging_product": "whatsapp", "to": to} | message
    answer = local_http.post(url, json=body, headers={"Authorization": f"Bearer {token}"})
    return str(answer.json()["messages"][0]["id"])


def page_of(world: World) -> str:
    answer = world.client.get("/sandbox")
    assert answer.status_code == 200
    return answer.text


def submit(world: World, form: Form, **typed: str) -> Response:
    return world.client.post(form.action, data=form.fields | typed, headers=SAME_ORIGIN)


def change_behaviour(world: World, **values: Any) -> None:
    world.platform.call(lambda platforms: platforms.whatsapp.change_behaviour(values))


def last_raw(world: World) -> dict[str, Any]:
    return world.platform.call(lambda platforms: list(platforms.whatsapp.chats.messages.values())[-1].raw)


def stored(world: World, message_id: int) -> Message:
    with world.parts.database.reading() as tx:
        return tx.orm.get_one(Message, message_id)


def test_a_template_of_ours_is_read_on_the_phone_and_a_button_pressed(world: World) -> None:
    world.listen()
    asked = send(world, ALERT)
    world.platform.wait_until_idle()
    page = page_of(world)
    assert "Ana Pérez puede necesitar ayuda" in page and "<code>alerta_emergencia</code>" in page
    assert "entregado" in page and f"+{MARIA}" in page and "Solo plantillas" in page
    assert 'href="http://127.0.0.1:8000/a/x7Kd2"' in page and "&#34;template&#34;: {" in page
    answer = submit(world, only_form(page, "boton", button="Voy en camino"))
    assert answer.status_code == 200 and answer.url.fragment == anchor_of(PERSON)
    assert "Responde a:" in answer.text and "Se le puede escribir libremente hasta" in answer.text
    raw = last_raw(world)
    assert raw["button"] == {"payload": "voy:17", "text": "Voy en camino"}
    assert raw["context"]["id"] == stored(world, asked).provider_id
    world.platform.wait_until_idle()
    world.run_jobs()
    with world.parts.database.reading() as tx:
        received = tx.orm.scalars(select(Message).where(Message.is_ours.is_(False))).one()
    assert received.reply_to == raw["context"]["id"]


def test_somebody_new_writes_and_is_answered(world: World) -> None:
    page = page_of(world)
    assert (
        "Todo en calma" in page and "API=http://testserver/v2\n" in page and "$API/whatsapp/messages/template" in page
    )
    form = only_form(page, "nuevo")
    answer = submit(world, form, numero="+58 412-555-1111", nombre="María <Rojas>", texto="Hola, ¿hay alguien?")
    assert "Hola, ¿hay alguien?" in answer.text and "María &lt;Rojas&gt;" in answer.text
    assert "Todo en calma" not in answer.text
    submit(world, only_form(answer.text, "texto"), texto="  ¿Sigue ahí?\u00a0")
    assert last_raw(world)["text"] == {"body": "¿Sigue ahí?"} and last_raw(world)["from"] == MARIA
    submit(world, form, numero="VE.5555", nombre="", texto="No muestro mi número")
    assert last_raw(world)["from_user_id"] == "VE.5555" and "from" not in last_raw(world)
    assert "VE.5555" in page_of(world)


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("number", "text", "field", "sentence"),
    [
        ("4125551111", "Hola", "numero", "Escriba el número con + y código de país"),
        ("+58 no sé", "Hola", "numero", "Escriba el número con + y código de país"),
        ("+58 4125551111", "  ", "texto", "Escriba un mensaje."),
        ("+58 4125551111", "x" * 4097, "texto", "pasa de 4096"),
    ],
)
def test_what_is_wrong_is_shown_at_its_field(world: World, number: str, text: str, field: str, sentence: str) -> None:
    answer = submit(world, only_form(page_of(world), "nuevo"), numero=number, nombre="María", texto=text)
    assert answer.status_code == 422
    assert f'<a href="#nuevo-{field}">' in answer.text and f'<input id="nuevo-{field}"' in answer.text
    assert re.search(rf'id="nuevo-{field}-fault">[^<]*{re.escape(sentence)}', answer.text)
    assert only_form(answer.text, "nuevo").fields["nombre"] == "María"
    assert only_form(answer.text, "nuevo").fields["numero"] == number
    assert world.platform.call(lambda platforms: len(platforms.whatsapp.chats.messages)) == 0


def test_a_location_is_shared(world: World) -> None:
    world.platform.receive(from_=f"+{MARIA}", name="María", text="Hola")
    form = only_form(page_of(world), "lugar")
    assert (form.fields["latitud"], form.fields["longitud"]) == ("10.5061", "-66.9146")
    wrong = submit(world, form, latitud="91", longitud="-66,9")
    assert wrong.status_code == 422 and "La latitud es un número entre -90 y 90." in wrong.text
    assert only_form(wrong.text, "lugar").fields["longitud"] == "-66,9"
    for odd in ("nan", "", "abc"):
        assert submit(world, form, longitud=odd).status_code == 422
    page = submit(world, form, latitud="10,48", longitud="-66.9").text
    assert last_raw(world)["location"] == {"latitude": 10.48, "longitude": -66.9}
    assert "10.48, -66.9" in page
    assert only_form(page, "lugar").fields["latitud"] == "10.482"


def test_opening_the_chat_reads_what_we_wrote(world: World) -> None:
    world.listen()
    asked = send(world, ALERT)
    world.platform.wait_until_idle()
    page = submit(world, only_form(page_of(world), "leer")).text
    assert "leído" in page and "entregado" not in page
    world.platform.wait_until_idle()
    world.run_jobs()
    assert stored(world, asked).state == "read"


def test_a_delivery_fails(world: World) -> None:
    world.listen()
    change_behaviour(world, statuses="none")
    asked = send(world, ALERT)
    page = page_of(world)
    assert "aceptado" in page
    form = only_form(page, "fallar")
    page = submit(world, form, codigo="131026").text
    assert "falló (131026)" in page
    assert forms_in(page, "fallar") == [] == forms_in(page, "boton")
    world.platform.wait_until_idle()
    world.run_jobs()
    assert (stored(world, asked).state, stored(world, asked).error_code) == ("failed", 131026)
    assert submit(world, form, codigo="999").status_code == 400
    assert submit(world, form, codigo="").status_code == 400
    assert submit(world, form, codigo="131026", mensaje="wamid.gone").status_code == 200


def test_what_was_delivered_cannot_fail_any_more(world: World) -> None:
    send(world, ALERT)
    world.platform.wait_until_idle()
    assert forms_in(page_of(world), "fallar") == []


def test_the_next_messages_to_a_phone_fail_until_changed(world: World) -> None:
    world.platform.receive(from_=f"+{MARIA}", name="María", text="Hola")
    change_behaviour(world, fails={"+584125559999": 131049})
    form = only_form(page_of(world), "destino")
    assert form.fields["codigo"] == ""
    page = submit(world, form, codigo="131047").text
    assert "Los mensajes nuevos fallan (131047)." in page
    form = only_form(page, "destino")
    assert form.fields["codigo"] == "131047"
    send(world, ALERT)
    world.platform.wait_until_idle()
    assert "falló (131047)" in page_of(world)
    page = submit(world, form, codigo="").text
    assert "Los mensajes nuevos fallan" not in page
    assert world.platform.call(lambda platforms: dict(platforms.whatsapp.behaviour.fails)) == {"+584125559999": 131049}


def test_a_row_of_a_list_is_chosen(world: World) -> None:
    world.platform.receive(from_=f"+{MARIA}", name="María", text="Hola")
    rows = [{"id": "r1", "title": "Mi ficha", "description": "Ver sus datos"}]
    action = {"button": "Opciones", "sections": [{"title": "Salud", "rows": rows}]}
    list_ = {"type": "list", "body": {"text": "¿En qué le ayudamos?"}, "action": action}
    wamid = send_by_platform(world, type="interactive", interactive=list_)
    submit(world, only_form(page_of(world), "boton", button="Mi ficha"))
    assert last_raw(world)["interactive"]["list_reply"] == rows[0]
    assert last_raw(world)["context"]["id"] == wamid


def test_markup_in_messages_is_shown_as_text(world: World) -> None:
    world.platform.receive(from_=f"+{MARIA}", name='"><script>alert(1)</script>', text="<script>alert(2)</script>")
    send_by_platform(world, type="text", text={"body": "<img src=x onerror=alert(3)>"})
    page = page_of(world)
    assert "<script>alert" not in page and "<img" not in page
    assert "&lt;script&gt;alert(2)&lt;/script&gt;" in page and "&lt;img src=x" in page


def test_long_chats_and_many_of_them_are_cut_short(world: World) -> None:
    for number in range(14):
        world.platform.receive(from_=f"+58412555{number:04}", text="Hola")
    world.clock.move(days=1)
    for number in range(60):
        world.platform.receive(from_=f"+{MARIA}", text=f"Mensaje {number:02}")
    page = page_of(world)
    assert "Hay 3 teléfonos más" in page
    assert "Anteriores, sin mostrar: 10" in page and "Mensaje 09" not in page and "Mensaje 10" in page
    assert page.count('<details class="phone" open>') == 3
    assert page.count("2026-11-16 UTC") == 1
