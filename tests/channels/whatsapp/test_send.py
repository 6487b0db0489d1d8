"""What is sent to the platform. The scripted platform checks each request against the published contract."""

import subprocess
import sys
from threading import Thread
from typing import Any

import pytest

from ficha import __version__
from ficha.channels.errors import BadContent, OutcomeUnknown, Refused
from ficha.channels.messages import Accepted, Button, Content, LinkButton, Location, Media, Outgoing, Template, Text
from ficha.channels.messenger import Messenger
from ficha.channels.whatsapp.client import WhatsApp
from tests.channels.whatsapp.scripted_platform import (
    ACCEPTED,
    NUMBER,
    TOKEN,
    Reply,
    ScriptedPlatform,
    client,
)

ANA = "+584125551111"


def say(content: Content, **changes: Any) -> Outgoing:
    return Outgoing(**{"to": ANA, "content": content, "key": "msg-17", **changes})


def test_a_text_is_sent_with_our_key_and_gets_an_id(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    messenger: Messenger = whatsapp
    accepted = messenger.send(say(Text("María está en el hospital. ¿Puede venir? 🚑")))
    assert accepted == Accepted(ACCEPTED["messages"][0]["id"], "584125551111", None)  # type: ignore[index]
    assert platform.last.target == f"/v23.0/{NUMBER}/messages"
    assert platform.last.headers["authorization"] == f"Bearer {TOKEN}"
    assert platform.last.headers["user-agent"] == f"Ficha/{__version__}"
    assert platform.last.json == {
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        "to": ANA,
        "biz_opaque_callback_data": "msg-17",
        "type": "text",
        "text": {"body": "María está en el hospital. ¿Puede venir? 🚑", "preview_url": False},
    }


def test_a_person_without_a_number_is_reached_by_user_id(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    platform.answers(
        {**ACCEPTED, "contacts": [{"input": "US.13491208655302741918", "user_id": "US.13491208655302741918"}]}
    )
    accepted = whatsapp.send(say(Text("Hola"), to="US.13491208655302741918"))
    assert (accepted.wa_id, accepted.user_id) == (None, "US.13491208655302741918")
    assert platform.last.json["recipient"] == "US.13491208655302741918" and "to" not in platform.last.json


def test_an_answer_names_what_it_answers(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    whatsapp.send(say(Text("Sí"), reply_to="wamid.HBgLMTY1MDM4Nzk0MzkVAgASGBQzQTRBNjU5OUFFRTAzODEwMTQ0RgA="))
    assert platform.last.json["context"]["message_id"].startswith("wamid.")


def test_a_location_is_sent_as_numbers(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    whatsapp.send(say(Location(10.4806, -66.9036, "Hospital Vargas", "San José, Caracas")))
    assert platform.last.json["location"] == {
        "latitude": 10.4806,
        "longitude": -66.9036,
        "name": "Hospital Vargas",
        "address": "San José, Caracas",
    }
    whatsapp.send(say(Location(0, 180)))
    assert platform.last.json["location"] == {"latitude": 0, "longitude": 180}


@pytest.mark.parametrize(
    ("media", "part"),
    [
        (Media("image", media_id="123", caption="Carnet"), {"id": "123", "caption": "Carnet"}),
        (Media("video", link="https://ejemplo.com/v.mp4"), {"link": "https://ejemplo.com/v.mp4"}),
        (Media("audio", media_id="5"), {"id": "5"}),
        (Media("sticker", media_id="6"), {"id": "6"}),
        (Media("document", media_id="7", filename="ficha.pdf"), {"id": "7", "filename": "ficha.pdf"}),
    ],
)
def test_files_by_id_or_by_link(
    whatsapp: WhatsApp, platform: ScriptedPlatform, media: Media, part: dict[str, str]
) -> None:
    whatsapp.send(say(media))
    assert platform.last.json["type"] == media.kind and platform.last.json[media.kind] == part


def test_a_template_fills_header_body_and_buttons(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    alert = Template(
        "alerta_familia",
        "es_MX",
        body=["María Rojas", "Av. Urdaneta"],
        header=["Alerta"],
        buttons=[Button(0, "ACK-17"), LinkButton(1, "incidente/17")],
    )
    whatsapp.send(say(alert))
    assert platform.last.json["template"] == {
        "name": "alerta_familia",
        "language": {"code": "es_MX"},
        "components": [
            {"type": "header", "parameters": [{"type": "text", "text": "Alerta"}]},
            {
                "type": "body",
                "parameters": [{"type": "text", "text": "María Rojas"}, {"type": "text", "text": "Av. Urdaneta"}],
            },
            {
                "type": "button",
                "sub_type": "quick_reply",
                "index": "0",
                "parameters": [{"type": "payload", "payload": "ACK-17"}],
            },
            {
                "type": "button",
                "sub_type": "url",
                "index": "1",
                "parameters": [{"type": "text", "text": "incidente/17"}],
            },
        ],
    }
    whatsapp.send(say(Template("hello_world", "en_US")))
    assert platform.last.json["template"] == {"name": "hello_world", "language": {"code": "en_US"}}


def test_a_template_shows_a_file_in_its_header(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    whatsapp.send(say(Template("foto", "es", media=Media("image", media_id="9"))))
    (header,) = platform.last.json["template"]["components"]
    assert header == {"type": "header", "parameters": [{"type": "image", "image": {"id": "9"}}]}


def test_messages_are_marked_read(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    platform.answers({"success": True})
    whatsapp.mark_read("wamid.ABC")
    assert platform.last.json == {"messaging_product": "whatsapp", "status": "read", "message_id": "wamid.ABC"}
    platform.answers({"success": False})
    with pytest.raises(OutcomeUnknown):
        whatsapp.mark_read("wamid.ABC")


LONG = "a" * 1025
BAD: list[tuple[Content, str]] = [
    (Text(""), "/body"),
    (Text(" \n "), "/body"),
    (Text("a" * 4097), "/body"),
    (Text("nul\0"), "/body"),
    (Text("mitad \ud83d"), "/body"),
    (Location(90.1, 0), "/latitude"),
    (Location(float("nan"), 0), "/latitude"),
    (Location(0, -180.5), "/longitude"),
    (Location(0, float("inf")), "/longitude"),
    (Location(0, 0, name=""), "/name"),
    (Media("image"), "/media_id"),
    (Media("image", media_id="1", link="https://x.example/a"), "/media_id"),
    (Media("image", link="file:///etc/passwd"), "/link"),
    (Media("image", link="https://x.example/a b"), "/link"),
    (Media("image", media_id="1", caption=LONG), "/caption"),
    (Media("audio", media_id="1", caption="no"), "/caption"),
    (Media("sticker", media_id="1", caption="no"), "/caption"),
    (Media("image", media_id="1", filename="a.png"), "/filename"),
    (Template("Alerta", "es"), "/name"),
    (Template("a" * 513, "es"), "/name"),
    (Template("alerta", "español"), "/language"),
    (Template("alerta", "es", body=["bien", "dos\nlíneas"]), "/body/1"),
    (Template("alerta", "es", body=["con\ttabulador"]), "/body/0"),
    (Template("alerta", "es", body=["con    cuatro espacios"]), "/body/0"),
    (Template("alerta", "es", body=[""]), "/body/0"),
    (Template("alerta", "es", header=["a\r"]), "/header/0"),
    (Template("alerta", "es", buttons=[Button(10, "x")]), "/buttons/0/index"),
    (Template("alerta", "es", buttons=[Button(-1, "x")]), "/buttons/0/index"),
    (Template("alerta", "es", buttons=[Button(0, "x"), LinkButton(0, "y")]), "/buttons/1/index"),
    (Template("alerta", "es", buttons=[Button(0, "")]), "/buttons/0/payload"),
    (Template("alerta", "es", buttons=[Button(0, "x" * 257)]), "/buttons/0/payload"),
    (Template("alerta", "es", buttons=[LinkButton(0, "a b")]), "/buttons/0/text"),
    (Template("alerta", "es", buttons=[Button(i, "x") for i in range(11)]), "/buttons"),
    (Template("alerta", "es", header=["x"], media=Media("image", media_id="1")), "/header"),
    (Template("alerta", "es", media=Media("audio", media_id="1")), "/media"),
    (Template("alerta", "es", media=Media("image")), "/media/media_id"),
]


@pytest.mark.parametrize(("content", "pointer"), BAD)
def test_what_would_be_refused_is_not_sent(
    whatsapp: WhatsApp, platform: ScriptedPlatform, content: Content, pointer: str
) -> None:
    with pytest.raises(BadContent) as refusal:
        whatsapp.send(say(content))
    assert refusal.value.pointer == pointer
    assert refusal.value.sentence.endswith(".") and isinstance(refusal.value, Refused)
    assert platform.requests == []


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"to": "584125551111"}, "/to"),
        ({"to": "+0412"}, "/to"),
        ({"to": "+58 412 555"}, "/to"),
        ({"to": "us.123"}, "/to"),
        ({"to": "+584125551111\n"}, "/to"),
        ({"key": ""}, "/key"),
        ({"key": "k" * 513}, "/key"),
        ({"reply_to": "wamid.ñ"}, "/reply_to"),
    ],
)
def test_bad_addresses_are_not_sent_to(
    whatsapp: WhatsApp, platform: ScriptedPlatform, changes: dict[str, str], pointer: str
) -> None:
    with pytest.raises(BadContent) as refusal:
        whatsapp.send(say(Text("Hola"), **changes))
    assert refusal.value.pointer == pointer and platform.requests == []


def test_the_longest_allowed_content_is_sent(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    whatsapp.send(say(Text("ñ" * 4096)))
    whatsapp.send(say(Media("image", media_id="1", caption="é" * 1024)))
    whatsapp.send(say(Template("a" * 512, "fil", body=["tres   espacios"], buttons=[Button(9, "p" * 256)])))
    assert len(platform.requests) == 3


def test_threads_share_the_connections_to_the_platform(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    """The first calls race for the client; later ones find open connections."""
    threads = [Thread(target=whatsapp.send, args=(say(Text("Hola")),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    opened = platform.connections
    assert len(platform.requests) == 4 and opened <= 4
    for _ in range(5):
        whatsapp.send(say(Text("Hola")))
    assert platform.connections == opened


def test_closing_twice_does_no_harm_and_a_later_call_opens_again(
    whatsapp: WhatsApp, platform: ScriptedPlatform
) -> None:
    whatsapp.close()
    whatsapp.send(say(Text("Hola")))
    whatsapp.close()
    whatsapp.close()
    whatsapp.send(say(Text("Hola")))
    assert len(platform.requests) == 2


def test_neither_message_nor_token_is_logged(
    whatsapp: WhatsApp, platform: ScriptedPlatform, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(0):
        whatsapp.send(say(Text("secreto médico")))
        platform.answers({"data": {"is_valid": True}})
        whatsapp.account.debug_token()
        platform.answers(Reply(400, {"error": {"code": 100, "message": "(#100) secreto médico", "type": "x"}}))
        with pytest.raises(Refused) as refusal:
            whatsapp.send(say(Text("secreto médico")))
    for text in (caplog.text, str(refusal.value), repr(refusal.value)):
        assert "secreto" not in text and TOKEN not in text and "app-secret" not in text and "58412" not in text


def test_the_http_library_is_loaded_by_the_first_call_only() -> None:
    script = (
        "import sys, ficha.channels.whatsapp.client as w\n"
        "from ficha.core.settings import Settings\n"
        "client = w.WhatsApp(Settings(_env_file=None))\n"
        "client.parse(b'{}')\n"
        "assert not {'httpx', 'httpcore', 'h11'} & sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


@pytest.mark.parametrize("url", ["graph.facebook.com", "ftp://graph.facebook.com", "https://"])
def test_a_wrong_address_is_refused_at_once(url: str) -> None:
    with pytest.raises(ValueError, match="FICHA_WHATSAPP_BASE_URL"), client(url):
        pass
