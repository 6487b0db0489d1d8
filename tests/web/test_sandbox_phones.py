"""Every message shows on a phone in the sandbox, and a developer answers in the contact's place."""

from typing import Any

import httpx
import pytest
from httpx2 import Response
from sqlalchemy import select

from ficha.channels.messaging.message import Button, LinkButton, Template, Text
from ficha.messaging.messages import Message, ask
from ficha.sandbox.people import user_id_of
from ficha.web.sandbox.phones import anchor_of
from tests.web.posting import HERE, Form, forms_in, only
from tests.world import World

MARIA = "584125551111"
PERSON = user_id_of(MARIA)
ALERT = Template(
    "alerta_emergencia",
    "es",
    body=["Ana Pérez", "14:05", "Plaza Bolívar"],
    buttons=[Button(0, "voy:17"), Button(1, "no:17"), LinkButton(2, "x7Kd2")],
)


def send(world: World, content: Template | Text, to: str = f"+{MARIA}") -> int:
    """Asked for as the domain does, and sent by the job."""
    number = world.parts.settings.whatsapp_phone_number_id
    with world.parts.database.writing() as session:
        asked = ask(session, world.parts.keyring, number, to, content, world.clock.now()).id
    world.run_jobs()
    return asked


def say(world: World, to: str = f"+{MARIA}", **message: Any) -> str:
    """Straight to the platform, for what our own service does not send."""
    number, token = world.platform.config.phone_number_id, world.platform.config.token
    url = f"{world.platform.url}/v23.0/{number}/messages"
    body = {"messaging_product": "whatsapp", "to": to} | message
    answer = httpx.post(url, json=body, headers={"Authorization": f"Bearer {token}"})
    return str(answer.json()["messages"][0]["id"])


def page_of(world: World) -> str:
    answer = world.client.get("/sandbox")
    assert answer.status_code == 200
    return answer.text


def submit(world: World, form: Form, **typed: str) -> Response:
    return world.client.post(form.action, data=form.fields | typed, headers=HERE)


def behave(world: World, **values: Any) -> None:
    world.platform.call(lambda platform: setattr(platform, "behaviour", platform.behaviour.changed(values)))


def last_raw(world: World) -> dict[str, Any]:
    return world.platform.call(lambda platform: list(platform.chats.messages.values())[-1].raw)


def stored(world: World, message_id: int) -> Message:
    with world.parts.database.reading() as session:
        return session.get_one(Message, message_id)


def test_a_template_of_ours_is_read_on_the_phone_and_a_button_pressed(world: World) -> None:
    world.listen()
    asked = send(world, ALERT)
    world.platform.settle()
    page = page_of(world)
    assert "Ana Pérez puede necesitar ayuda" in page and "<code>alerta_emergencia</code>" in page
    assert "entregado" in page and f"+{MARIA}" in page and "Solo plantillas" in page
    assert 'href="http://127.0.0.1:8000/a/x7Kd2"' in page and "&#34;template&#34;: {" in page
    answer = submit(world, only(page, accion="boton", button="Voy en camino"))
    assert answer.status_code == 200 and answer.url.fragment == anchor_of(PERSON)
    assert "Responde a:" in answer.text and "Se le puede escribir libremente hasta" in answer.text
    raw = last_raw(world)
    assert raw["button"] == {"payload": "voy:17", "text": "Voy en camino"}
    assert raw["context"]["id"] == stored(world, asked).provider_id
    world.platform.settle()
    world.run_jobs()
    with world.parts.database.reading() as session:
        received = session.scalars(select(Message).where(Message.is_ours.is_(False))).one()
    assert received.reply_to == raw["context"]["id"]


def test_somebody_new_writes_and_is_answered(world: World) -> None:
    page = page_of(world)
    assert "Todo en calma" in page and "/v2/whatsapp/messages/template" in page
    form = only(page, accion="nuevo")
    answer = submit(world, form, numero="+58 412-555-1111", nombre="María <Rojas>", texto="Hola, ¿hay alguien?")
    assert "Hola, ¿hay alguien?" in answer.text and "María &lt;Rojas&gt;" in answer.text
    assert "Todo en calma" not in answer.text
    submit(world, only(answer.text, accion="texto"), texto="  ¿Sigue ahí?\u00a0")
    assert last_raw(world)["text"] == {"body": "¿Sigue ahí?"} and last_raw(world)["from"] == MARIA
    submit(world, form, numero="VE.5555", nombre="", texto="No muestro mi número")
    assert last_raw(world)["from_user_id"] == "VE.5555" if "from_user_id" in last_raw(world) else True
    assert "VE.5555" in page_of(world)


@pytest.mark.parametrize(
    ("number", "text", "field", "sentence"),
    [
        ("4125551111", "Hola", "numero", "Escriba el número con + y código de país"),
        ("+58 no sé", "Hola", "numero", "Escriba el número con + y código de país"),
        ("+58 4125551111", "  ", "texto", "Escriba un mensaje."),
        ("+58 4125551111", "x" * 4097, "texto", "pasa de 4096"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(
    world: World, number: str, text: str, field: str, sentence: str
) -> None:
    answer = submit(world, only(page_of(world), accion="nuevo"), numero=number, nombre="María", texto=text)
    assert answer.status_code == 422
    assert f'<a href="#nuevo-{field}">{sentence}' in answer.text.replace("</a>", "") or sentence in answer.text
    assert f'id="nuevo-{field}-fault"' in answer.text and f'id="nuevo-{field}"' in answer.text
    assert only(answer.text, accion="nuevo").fields["nombre"] == "María"
    assert only(answer.text, accion="nuevo").fields["numero"] == number
    assert world.platform.call(lambda platform: len(platform.chats.messages)) == 0


def test_a_place_is_shared(world: World) -> None:
    world.platform.receive(from_=f"+{MARIA}", name="María", text="Hola")
    form = only(page_of(world), accion="lugar")
    assert (form.fields["latitud"], form.fields["longitud"]) == ("10.5061", "-66.9146")
    wrong = submit(world, form, latitud="91", longitud="-66,9")
    assert wrong.status_code == 422 and "La latitud es un número entre -90 y 90." in wrong.text
    assert only(wrong.text, accion="lugar").fields["longitud"] == "-66,9"
    for odd in ("nan", "", "abc"):
        assert submit(world, form, longitud=odd).status_code == 422
    page = submit(world, form, latitud="10,48", longitud="-66.9").text
    assert last_raw(world)["location"] == {"latitude": 10.48, "longitude": -66.9}
    assert "10.48, -66.9" in page
    assert only(page, accion="lugar").fields["latitud"] == "10.482"


def test_opening_the_chat_reads_what_we_wrote(world: World) -> None:
    world.listen()
    asked = send(world, ALERT)
    world.platform.settle()
    page = submit(world, only(page_of(world), accion="leer")).text
    assert "leído" in page and "entregado" not in page
    world.platform.settle()
    world.run_jobs()
    assert stored(world, asked).state == "read"


def test_a_delivery_fails(world: World) -> None:
    world.listen()
    behave(world, statuses="none")
    asked = send(world, ALERT)
    page = page_of(world)
    assert "aceptado" in page
    form = only(page, accion="fallar")
    page = submit(world, form, codigo="131026").text
    assert "falló (131026)" in page
    assert not [each for each in forms_in(page) if each.fields["accion"] == "fallar"]
    world.platform.settle()
    world.run_jobs()
    assert (stored(world, asked).state, stored(world, asked).error_code) == ("failed", 131026)
    assert submit(world, form, codigo="999").status_code == 400
    assert submit(world, form, codigo="").status_code == 400
    assert submit(world, form, codigo="131026", mensaje="wamid.gone").status_code == 200


def test_what_was_delivered_cannot_fail_any_more(world: World) -> None:
    send(world, ALERT)
    world.platform.settle()
    assert not [each for each in forms_in(page_of(world)) if each.fields["accion"] == "fallar"]


def test_the_next_messages_to_a_phone_fail_until_changed(world: World) -> None:
    world.platform.receive(from_=f"+{MARIA}", name="María", text="Hola")
    behave(world, fails={"+584125559999": 131049})
    form = only(page_of(world), accion="destino")
    assert form.fields["codigo"] == ""
    page = submit(world, form, codigo="131047").text
    assert "Los mensajes nuevos fallan (131047)." in page
    form = only(page, accion="destino")
    assert form.fields["codigo"] == "131047"
    send(world, ALERT)
    world.platform.settle()
    assert "falló (131047)" in page_of(world)
    page = submit(world, form, codigo="").text
    assert "Los mensajes nuevos fallan" not in page
    assert world.platform.call(lambda platform: dict(platform.behaviour.fails)) == {"+584125559999": 131049}


def test_a_row_of_a_list_is_chosen(world: World) -> None:
    world.platform.receive(from_=f"+{MARIA}", name="María", text="Hola")
    rows = [{"id": "r1", "title": "Mi ficha", "description": "Ver sus datos"}]
    action = {"button": "Opciones", "sections": [{"title": "Salud", "rows": rows}]}
    list_ = {"type": "list", "body": {"text": "¿En qué le ayudamos?"}, "action": action}
    wamid = say(world, type="interactive", interactive=list_)
    submit(world, only(page_of(world), accion="boton", button="Mi ficha"))
    assert last_raw(world)["interactive"]["list_reply"] == rows[0]
    assert last_raw(world)["context"]["id"] == wamid


def test_hostile_words_are_shown_as_words(world: World) -> None:
    world.platform.receive(from_=f"+{MARIA}", name='"><script>alert(1)</script>', text="<script>alert(2)</script>")
    say(world, type="text", text={"body": "<img src=x onerror=alert(3)>"})
    page = page_of(world)
    assert "<script>alert" not in page and "<img" not in page
    assert "&lt;script&gt;alert(2)&lt;/script&gt;" in page and "&lt;img src=x" in page


def test_long_chats_and_many_of_them_are_cut_short(world: World) -> None:
    for number in range(14):
        world.platform.receive(from_=f"+58412555{number:04}", text="Hola")
    for number in range(60):
        world.platform.receive(from_=f"+{MARIA}", text=f"Mensaje {number:02}")
    page = page_of(world)
    assert "Hay 3 teléfonos más" in page


def test_the_news_change_with_every_message_and_every_status(world: World) -> None:
    def news(seen: str = "") -> str:
        return str(world.client.get("/sandbox/news", params={"seen": seen}).json()["news"])

    before = news()
    assert news(before) == before and f'data-news="{before}"' in page_of(world)
    wamid = world.platform.receive(from_=f"+{MARIA}", text="Hola")
    written = news(before)
    assert written != before and news(written) == written
    world.platform.call(lambda platform: platform.read_chat(platform.chats.messages[wamid].person))
    assert news(written) == written
    say(world, type="text", text={"body": "Buenas"})
    world.platform.settle()
    assert news(written) != written and news("1.2") == news() == news("٣.a.b")


def test_the_forms_keep_the_language(world: World) -> None:
    page = world.client.get("/sandbox", params={"l": "en"}).text
    form = only(page, accion="nuevo")
    answer = world.client.post(
        form.action,
        data=form.fields | {"numero": f"+{MARIA}", "texto": "Hi"},
        headers=HERE,
        follow_redirects=False,
    )
    assert answer.status_code == 303
    assert answer.headers["location"] == f"/sandbox?l=en#{anchor_of(PERSON)}"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "https://elsewhere.example"},
        {"Origin": "null"},
        {"Origin": "http://testserver.elsewhere.example"},
        HERE | {"Sec-Fetch-Site": "cross-site"},
        HERE | {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_another_site_cannot_write_in_a_contact_s_name(world: World, headers: dict[str, str]) -> None:
    form = {"accion": "nuevo", "numero": f"+{MARIA}", "texto": "Hola"}
    answer = world.client.post("/sandbox", data=form, headers=headers)
    assert answer.status_code == 419
    assert world.platform.call(lambda platform: len(platform.chats.messages)) == 0


@pytest.mark.parametrize(
    "form",
    [
        {"accion": "otra"},
        {},
        {"accion": "texto", "texto": "Hola", "persona": f"+{MARIA}"},
        {"accion": "boton", "persona": PERSON, "tipo": "system"},
    ],
)
def test_a_form_that_is_none_of_ours_is_refused(world: World, form: dict[str, str]) -> None:
    assert world.client.post("/sandbox", data=form, headers=HERE).status_code == 400


def test_when_the_sandbox_is_off_the_page_says_what_to_do(world: World) -> None:
    world.platform.receive(from_=f"+{MARIA}", text="Hola")
    form = only(page_of(world), accion="texto")
    before = world.client.get("/sandbox/news").json()
    world.platform.stop()
    page = page_of(world)
    assert "<code>ficha sandbox</code>" in page and "Hola" not in page
    assert world.client.get("/sandbox/news").json() != before
    answer = submit(world, form, texto="¿Hola?")
    assert answer.status_code == 200 and answer.url.fragment == "phones"


def test_production_takes_no_form(hidden: World) -> None:
    for body in ({"accion": "nuevo"}, {}):
        assert hidden.client.post("/sandbox", data=body, headers=HERE).status_code == 404


