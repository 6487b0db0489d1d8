"""The client and the sandbox: messages, statuses, files and errors, in both directions."""

import hashlib
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest

from ficha.channels.errors import OutcomeUnknown, Refused, RetryLater
from ficha.channels.messages import (
    Button,
    Content,
    DeliveryStatus,
    Incoming,
    LinkButton,
    Location,
    Media,
    NotificationItem,
    Outgoing,
    StatusUpdate,
    Template,
    Text,
)
from ficha.channels.templates import template_faults
from ficha.channels.whatsapp.client import WhatsApp
from ficha.channels.whatsapp.error_codes import Remedy, WhatsAppError, WhatsAppRefused, WhatsAppRetryLater
from ficha.sandbox.config import SandboxConfig
from ficha.sandbox.server import Sandbox
from ficha.sandbox.whatsapp.behaviour import Behaviour
from ficha.sandbox.whatsapp.config import WhatsAppConfig
from tests import local_http
from tests.channels.whatsapp.scripted_platform import client
from tests.sandbox.whatsapp.receiver import Receiver

ANA = "+584125550101"
SANDBOX: dict[str, Any] = {
    "whatsapp_token": WhatsAppConfig.token,
    "whatsapp_app_secret": WhatsAppConfig.app_secret,
    "whatsapp_verify_token": WhatsAppConfig.verify_token,
}
ALERT = Template(
    "alerta_emergencia",
    "es",
    body=["María Rojas", "14:05", "Av. Urdaneta, Caracas"],
    buttons=[Button(0, "voy:17"), Button(1, "no:17"), LinkButton(2, "x7Kd2")],
)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as each:
        yield each


@pytest.fixture
def sandbox(receiver: Receiver) -> Iterator[Sandbox]:
    quick = Behaviour(sent_seconds=0.01, delivered_seconds=0.03, read_seconds=0.05, auto_read=True)
    with Sandbox(SandboxConfig(whatsapp=WhatsAppConfig(webhook_url=receiver.url, behaviour=quick))) as each:
        yield each


@pytest.fixture
def whatsapp(sandbox: Sandbox) -> Iterator[WhatsApp]:
    with client(sandbox.url, **SANDBOX) as each:
        yield each


def say(content: Content, key: str = "msg-17", to: str = ANA) -> Outgoing:
    return Outgoing(to, content, key)


def received_items(whatsapp: WhatsApp, sandbox: Sandbox, receiver: Receiver) -> list[NotificationItem]:
    """All items so far: signed by the sandbox, verified and parsed by the client."""
    sandbox.wait_until_idle()
    events: list[NotificationItem] = []
    for notice in receiver.accepted:
        whatsapp.verify({"X-Hub-Signature-256": notice.signature}, notice.body)
        events += whatsapp.parse(notice.body)
    return events


def accepted(sandbox: Sandbox) -> list[Any]:
    found: list[Any] = local_http.get(f"{sandbox.url}/_sandbox/accepted").json()
    return found


def break_with(sandbox: Sandbox, **rule: Any) -> None:
    sandbox.call(lambda platforms: platforms.whatsapp.faults.set([{"times": 1, **rule}]))


def test_an_alert_goes_out_and_its_answer_comes_back(whatsapp: WhatsApp, sandbox: Sandbox, receiver: Receiver) -> None:
    sent = whatsapp.send(say(ALERT, key="alert-17"))
    statuses = [event for event in received_items(whatsapp, sandbox, receiver) if isinstance(event, StatusUpdate)]
    assert [status.status for status in statuses] == [
        DeliveryStatus.SENT,
        DeliveryStatus.DELIVERED,
        DeliveryStatus.READ,
    ]
    assert {(status.provider_id, status.key) for status in statuses} == {(sent.provider_id, "alert-17")}

    sandbox.receive(from_=ANA, type="button", reply_to=sent.provider_id, text="Voy en camino", payload="voy:17")
    answer = received_items(whatsapp, sandbox, receiver)[-1]
    assert isinstance(answer, Incoming)
    assert (answer.words, answer.payload, answer.reply_to) == ("Voy en camino", "voy:17", sent.provider_id)
    assert answer.author.wa_id == sent.wa_id == ANA[1:]
    whatsapp.mark_read(answer.provider_id)

    # Somebody who wrote can be answered without a template.
    for content in (
        Text("Gracias"),
        Location(10.48, -66.9, "Hospital"),
        Media("image", link="https://ejemplo.com/a.png"),
    ):
        whatsapp.send(Outgoing(ANA, content, "msg-18", reply_to=answer.provider_id))
    assert len(accepted(sandbox)) == 4


def test_a_closed_window_is_reported_later(whatsapp: WhatsApp, sandbox: Sandbox, receiver: Receiver) -> None:
    whatsapp.send(say(Text("¿Está ahí?")))
    failed = received_items(whatsapp, sandbox, receiver)[-1]
    assert isinstance(failed, StatusUpdate) and (failed.status, failed.error_code) == (DeliveryStatus.FAILED, 131047)


def test_every_type_of_message_is_understood(whatsapp: WhatsApp, sandbox: Sandbox, receiver: Receiver) -> None:
    sent = whatsapp.send(say(ALERT))
    plain = ("text", "image", "video", "audio", "document", "sticker", "location", "contacts", "order", "unsupported")
    for kind in plain:
        sandbox.receive(
            from_="US.13491208655302741918", type=kind, name="Eva", text="Hola", latitude=10.5, longitude=-66.9
        )
    sandbox.receive(from_=ANA, type="reaction", reply_to=sent.provider_id, message_id=sent.provider_id, emoji="👍")
    events = [event for event in received_items(whatsapp, sandbox, receiver) if not isinstance(event, StatusUpdate)]
    # They come in any order.
    received = {event.type: event for event in events if isinstance(event, Incoming)}
    assert received.keys() == {*plain, "reaction"} and len(events) == len(plain) + 1
    assert (received["reaction"].words, received["reaction"].reply_to) == ("👍", sent.provider_id)
    assert received["text"].author.user_id == "US.13491208655302741918"
    assert received["location"].location == Location(10.5, -66.9)
    files = [event.file for event in received.values() if event.file]
    assert len(files) == 5
    for file in files:
        assert file.sha256
        with whatsapp.media.download(file) as download:
            assert hashlib.sha256(b"".join(download)).hexdigest() == file.sha256


def test_media_there_and_back(whatsapp: WhatsApp) -> None:
    photo = bytes(range(256)) * 300
    media_id = whatsapp.media.upload(BytesIO(photo), "carné.jpg", "image/jpeg", len(photo))
    with whatsapp.media.download(media_id) as file:
        assert b"".join(file) == photo and file.info.mime_type == "image/jpeg"
    whatsapp.media.delete(media_id)
    with pytest.raises(WhatsAppRefused) as gone:
        whatsapp.media.info(media_id)
    assert gone.value.code == 100


def test_a_picture_is_uploaded_in_two_pieces(whatsapp: WhatsApp, sandbox: Sandbox) -> None:
    picture = b"\x89PNG" + bytes(5000)
    session = whatsapp.uploads.begin("foto.png", len(picture), "image/png")
    break_with(sandbox, action="cut_request", match={"path": "upload:"})
    with pytest.raises(RetryLater):
        whatsapp.uploads.send(session, 0, picture)
    offset = whatsapp.uploads.offset(session)
    assert 0 <= offset < len(picture)
    assert whatsapp.uploads.send(session, offset, picture[offset : offset + 10]) is None
    handle = whatsapp.uploads.send(session, offset + 10, picture[offset + 10 :])
    assert handle
    whatsapp.account.set_profile_picture(handle)
    assert whatsapp.account.profile().profile_picture_url


def test_the_sandboxes_templates_are_as_we_would_send_them(whatsapp: WhatsApp) -> None:
    known = {(info.name, info.language): info for info in whatsapp.account.templates()}
    assert template_faults(known["alerta_emergencia", "es"], ALERT) == []
    code = Template("codigo_verificacion", "es", ["123456"], buttons=[LinkButton(0, "123456")])
    assert template_faults(known["codigo_verificacion", "es"], code) == []
    whatsapp.send(say(code))
    # Where we see a fault, the platform refuses.
    for wrong, verdict in (
        (Template("alerta_emergencia", "es", ["uno"]), 132000),
        (Template("alerta_emergencia", "xx", ALERT.body, buttons=ALERT.buttons), 132001),
        (Template("no_existe", "es"), 132001),
    ):
        info = known.get((wrong.name, wrong.language))
        assert info is None or template_faults(info, wrong)
        with pytest.raises(WhatsAppRefused) as refusal:
            whatsapp.send(say(wrong))
        assert (refusal.value.code, refusal.value.remedy) == (verdict, Remedy.FIX_REQUEST)


def test_the_connection_the_token_and_the_number(sandbox: Sandbox, whatsapp: WhatsApp) -> None:
    assert whatsapp.account.number().status == "CONNECTED"
    token = whatsapp.account.debug_token()
    assert token.is_valid and "whatsapp_business_messaging" in token.scopes
    with client(sandbox.url, **SANDBOX | {"whatsapp_token": "stolen"}) as thief:
        assert not thief.account.debug_token().is_valid
        with pytest.raises(WhatsAppError) as refusal:
            thief.send(say(ALERT))
    assert (refusal.value.code, refusal.value.remedy) == (190, Remedy.FIX_CREDENTIALS)
    new = WhatsAppConfig.new_phone_number_id
    with client(sandbox.url, **SANDBOX, whatsapp_phone_number_id=new) as ours:
        ours.account.request_code("SMS", "es")
        code = sandbox.whatsapp.numbers[new].code
        assert code is not None
        ours.account.verify_code(code)
    assert sandbox.whatsapp.numbers[new].verified


@pytest.mark.parametrize(
    ("rule", "was_accepted"),
    [
        ({"action": "drop_before"}, False),
        ({"action": "drop_after"}, True),
        ({"action": "timeout_before_acceptance"}, False),
        ({"action": "timeout_after_acceptance"}, True),
        ({"action": "half_answer"}, True),
        ({"action": "http", "status": 502}, False),
        ({"action": "http", "status": 504}, False),
    ],
)
def test_an_unknown_outcome_is_raised_as_such(sandbox: Sandbox, rule: dict[str, Any], was_accepted: bool) -> None:
    """The same error on our side, whatever happened on the other."""
    with client(sandbox.url, **SANDBOX, whatsapp_seconds=0.5) as whatsapp:
        break_with(sandbox, **rule)
        with pytest.raises(OutcomeUnknown):
            whatsapp.send(say(ALERT))
    assert len(accepted(sandbox)) == was_accepted


@pytest.mark.parametrize(
    ("code", "remedy"), [(131056, Remedy.RECIPIENT_LIMIT), (130429, Remedy.BACK_OFF), (131000, Remedy.FEW_TIMES)]
)
def test_errors_that_may_be_tried_again(whatsapp: WhatsApp, sandbox: Sandbox, code: int, remedy: Remedy) -> None:
    break_with(sandbox, action="error", code=code)
    with pytest.raises(WhatsAppRetryLater) as refusal:
        whatsapp.send(say(ALERT))
    assert refusal.value.remedy is remedy and accepted(sandbox) == []
    whatsapp.send(say(ALERT))


def test_a_forwarded_call(whatsapp: WhatsApp, sandbox: Sandbox) -> None:
    message_id = sandbox.receive(from_=ANA, type="text", text="Hola")
    body = b'{"messaging_product":"whatsapp","status":"read","message_id":"%s"}' % message_id.encode()
    number = WhatsAppConfig.phone_number_id
    assert whatsapp.forward("v23.0", number, WhatsAppConfig.token, body).status == 200
    refused = whatsapp.forward("v23.0", number, "stolen", body)
    assert refused.status in (400, 401) and b"190" in refused.body
    with pytest.raises(Refused):
        whatsapp.mark_read("wamid.UNKNOWN")
