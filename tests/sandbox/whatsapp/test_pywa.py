"""A published client library, unchanged, in front of the sandbox: it must not see a difference."""

import base64
import json
import logging
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from pywa import handlers
from pywa.client import WhatsApp
from pywa.errors import (
    FlowDeletingError,
    FlowDeprecatingError,
    FlowPublishingError,
    FlowUpdatingError,
    ReEngagementMessage,
    TemplateNotExists,
    WhatsAppError,
)
from pywa.types.callback import Button, Section, SectionList, SectionRow
from pywa.types.flows import FlowCategory, FlowStatus
from pywa.types.message_status import MessageStatus
from pywa.types.others import Contact
from pywa.types.templates import TemplateLanguage, TemplateStatusUpdate
from pywa.types.user_preferences import UserMarketingPreferences

from ficha.sandbox.whatsapp.sample_files import FILES
from tests import local_http
from tests.sandbox.whatsapp.conftest import ANA_ID, USERNAME, Business, body_text, template
from tests.sandbox.whatsapp.receiver import ReceivedNotification
from tests.sandbox.whatsapp.test_inbound import KINDS

PNG = FILES["image"][1]
FLOW = {"version": "7.0", "screens": [{"id": "INICIO", "terminal": True, "layout": {"type": "SingleColumnLayout"}}]}


class Rerouted(httpx.BaseTransport):
    """What is meant for the platform goes to the sandbox."""

    def __init__(self, url: str) -> None:
        self._here = httpx.URL(url)
        self._inner = httpx.HTTPTransport(verify=False)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.host == "graph.facebook.com":
            here = self._here
            request.url = request.url.copy_with(scheme=here.scheme, host=here.host, port=here.port)
        assert request.url.host == "127.0.0.1"
        return self._inner.handle_request(request)

    def close(self) -> None:
        self._inner.close()


@pytest.fixture
def wa(business: Business) -> Iterator[WhatsApp]:
    config = business.config
    with httpx.Client(transport=Rerouted(business.sandbox.url)) as session:
        yield WhatsApp(
            phone_id=config.phone_number_id,
            token=config.token,
            session=session,
            waba_id=config.business_id,
            app_id=config.app_id,
            app_secret=config.app_secret,
            server=None,
            api_version="23.0",
        )


def test_it_sends_what_we_send(business: Business, wa: WhatsApp) -> None:
    theirs = business.receive(type="text", text="Hola")
    sent = [
        wa.send_message(ANA_ID, "Hola", tracker="clave-1", reply_to_message_id=theirs),
        wa.send_message(ANA_ID, "¿Va?", buttons=[Button("Sí", "si"), Button("No", "no")], footer="Ficha"),
        wa.send_message(
            ANA_ID,
            "Elija",
            buttons=SectionList("Ver", [Section("Todo", [SectionRow("Uno", "1", "Primero")])]),
        ),
        wa.send_location(ANA_ID, 10.5, -66.9, "Plaza", "Centro"),
        wa.request_location(ANA_ID, "¿Dónde está?"),
        wa.send_reaction(ANA_ID, "👍", theirs),
        wa.send_contact(ANA_ID, Contact(Contact.Name(formatted_name="Luis", first_name="Luis"))),
        wa.send_template(
            ANA_ID,
            "alerta_emergencia",
            TemplateLanguage.SPANISH,
            [
                body_text("Ana", "14:05", "Plaza"),
                {"type": "button", "sub_type": "url", "index": 2, "parameters": [{"type": "text", "text": "x"}]},
            ],
        ),
        wa.send_image(ANA_ID, PNG, "Mapa", mime_type="image/png"),
        wa.send_document(ANA_ID, FILES["document"][1], "ficha.pdf", mime_type="application/pdf"),
        wa.send_audio(ANA_ID, "https://ejemplo.com/a.ogg", mime_type="audio/ogg"),
        wa.send_sticker(ANA_ID, FILES["sticker"][1], mime_type="image/webp"),
    ]
    business.wait_until_idle()
    assert [each["id"] for each in business.accepted()] == [each.id for each in sent]
    assert {each["status"] for each in business.receiver.statuses} == {"sent", "delivered"}
    assert wa.mark_message_as_read(theirs) and wa.indicate_typing(theirs)


def test_it_writes_to_someone_without_a_number(business: Business, wa: WhatsApp) -> None:
    business.receive(from_=USERNAME, type="text", text="Hola")
    wa.send_message(USERNAME, "Hola")
    assert business.accepted()[0]["user_id"] == USERNAME


def test_it_moves_files(business: Business, wa: WhatsApp) -> None:
    media = wa.upload_media(PNG, mime_type="image/png", filename="mapa.png")
    about = wa.get_media_url(media.id)
    assert wa.get_media_bytes(about.url) == PNG
    assert wa.delete_media(media.id)
    with pytest.raises(WhatsAppError):
        wa.get_media_url(media.id)


def test_it_manages_the_account(business: Business, wa: WhatsApp) -> None:
    assert wa.update_business_profile(about="Aquí", profile_picture=PNG)
    assert wa.get_business_profile().about == "Aquí"
    assert wa.get_business_phone_number().display_phone_number == "+1 555-078-3881"
    names = {each.name for each in wa.get_templates()}
    assert {"alerta_emergencia", "aviso_lectura", "codigo_verificacion", "mensaje_pendiente"} <= names
    assert wa.get_app_access_token(int(business.config.app_id), business.config.app_secret)


def test_it_drafts_publishes_and_deprecates_flows(business: Business, wa: WhatsApp) -> None:
    made = wa.create_flow("Cita", [FlowCategory.APPOINTMENT_BOOKING], endpoint_uri="https://ejemplo.com/flow")
    flow = wa.get_flow(made.id)
    assert (flow.name, flow.status, flow.categories) == ("Cita", FlowStatus.DRAFT, (FlowCategory.APPOINTMENT_BOOKING,))
    with pytest.raises(WhatsAppError) as taken:
        wa.create_flow("Cita", [FlowCategory.OTHER])
    assert taken.value.code == 100
    with pytest.raises(FlowPublishingError):
        wa.publish_flow(made.id)
    with pytest.raises(FlowDeprecatingError):
        wa.deprecate_flow(made.id)
    wrong = wa.update_flow_json(made.id, json.dumps(FLOW | {"initial-text": "x"}))
    assert wrong.validation_errors is not None
    assert [each.error for each in wrong.validation_errors] == ["INVALID_PROPERTY"]
    with pytest.raises(FlowPublishingError):
        wa.publish_flow(made.id)
    assert not wa.update_flow_json(made.id, FLOW).validation_errors
    [asset] = wa.get_flow_assets(made.id)
    assert local_http.get(asset.url).json() == FLOW
    assert wa.update_flow_metadata(made.id, name="Cita médica", categories=[FlowCategory.OTHER])
    business.clock.move(seconds=60)
    assert wa.publish_flow(made.id)
    flow = wa.get_flow(made.id)
    assert (flow.name, flow.status, flow.json_version) == ("Cita médica", FlowStatus.PUBLISHED, "7.0")
    assert flow.updated_at == business.clock.now().replace(microsecond=0)
    with pytest.raises(FlowUpdatingError):
        wa.update_flow_json(made.id, FLOW)
    with pytest.raises(FlowUpdatingError):
        wa.update_flow_metadata(made.id, name="Otra")
    with pytest.raises(FlowDeletingError):
        wa.delete_flow(made.id)
    copy = wa.create_flow("Cita 2", [FlowCategory.OTHER], clone_flow_id=made.id)
    assert {each.id: each.status for each in wa.get_flows()} == {
        made.id: FlowStatus.PUBLISHED,
        copy.id: FlowStatus.DRAFT,
    }
    assert wa.get_flow(copy.id).json_version == "7.0"
    assert wa.deprecate_flow(made.id) and wa.get_flow(made.id).status is FlowStatus.DEPRECATED
    with pytest.raises(FlowDeprecatingError):
        wa.deprecate_flow(made.id)
    assert wa.delete_flow(copy.id)
    assert [each.id for each in wa.get_flows()] == [made.id]


def test_it_shows_and_hides_the_catalogue(wa: WhatsApp) -> None:
    first = wa.get_commerce_settings()
    assert (first.is_cart_enabled, first.is_catalog_visible) == (True, False)
    assert wa.update_commerce_settings(is_catalog_visible=True)
    assert wa.get_commerce_settings().is_catalog_visible


def test_it_understands_our_errors(business: Business, wa: WhatsApp) -> None:
    with pytest.raises(TemplateNotExists):
        wa.send_template(ANA_ID, "no_existe", TemplateLanguage.SPANISH, [])
    business.change_behaviour(window_refuses_at_once=True)
    with pytest.raises(ReEngagementMessage) as raised:
        wa.send_message(ANA_ID, "Hola")
    assert raised.value.code == 131047


class Reading:
    """What the library makes of notifications. A complaint in its log is a notification it could not read."""

    def __init__(self, wa: WhatsApp, log: pytest.LogCaptureFixture) -> None:
        self._wa = wa
        self._log = log
        self.updates: list[Any] = []
        for kind in (
            handlers.MessageHandler,
            handlers.EditedMessageHandler,
            handlers.DeletedMessageHandler,
            handlers.MessageStatusHandler,
            handlers.CallbackButtonHandler,
            handlers.CallbackSelectionHandler,
            handlers.FlowCompletionHandler,
            handlers.PhoneNumberChangeHandler,
            handlers.IdentityChangeHandler,
            handlers.TemplateStatusUpdateHandler,
            handlers.UserMarketingPreferencesHandler,
        ):
            wa.add_handlers(kind(lambda _, update: self.updates.append(update)))

    def read(self, notification: ReceivedNotification) -> Any:
        assert self._wa.webhook_update_validator(notification.body, notification.signature) is None
        before = len(self.updates)
        self._log.clear()
        with self._log.at_level(logging.ERROR, logger="pywa"):
            assert self._wa.webhook_update_handler(notification.body) == ("ok", 200)
        complaints = [record.getMessage() for record in self._log.records if record.levelno >= logging.ERROR]
        assert complaints == [] and len(self.updates) == before + 1, (complaints, notification.body)
        return self.updates[-1]


@pytest.fixture
def reading(wa: WhatsApp, caplog: pytest.LogCaptureFixture) -> Reading:
    return Reading(wa, caplog)


# System messages are about a number, and the library looks for it.
HEARD = [(ANA_ID, each) for each in KINDS] + [(USERNAME, each) for each in KINDS if each["type"] != "system"]


@pytest.mark.parametrize(("person", "message"), HEARD, ids=[f"{each['type']}-{person[:2]}" for person, each in HEARD])
def test_it_reads_every_kind_of_message(
    business: Business, reading: Reading, person: str, message: dict[str, Any]
) -> None:
    business.receive(**message, from_=person)
    business.wait_until_idle()
    [notification] = business.receiver.notifications
    update = reading.read(notification)
    assert update.metadata.phone_number_id == business.number
    assert update.timestamp == business.clock.now()
    if message["type"] != "system":
        assert update.from_user.wa_id == (ANA_ID if person == ANA_ID else None)


def test_it_reads_what_people_say_and_press(business: Business, reading: Reading) -> None:
    business.receive(type="text", text="Zoë", name="Zoë Gómez")
    business.receive(type="button", text="Voy", payload="voy:17")
    business.receive(type="image", data=base64.b64encode(PNG).decode(), caption="Mire")
    business.wait_until_idle()
    text, button, image = (reading.read(notification) for notification in business.receiver.notifications)
    assert (text.text, text.from_user.name) == ("Zoë", "Zoë Gómez")
    assert (button.title, button.data) == ("Voy", "voy:17")
    assert image.image.get_bytes() == PNG and image.caption == "Mire"


@pytest.mark.parametrize("plan", ["normal", "read_only", "reordered", "duplicates"])
def test_it_reads_every_status(business: Business, reading: Reading, plan: str) -> None:
    """Failed ones too, when they bring the contact it looks for: the platform's documentation says they do not."""
    business.change_behaviour(contacts_in_failed=True, statuses=plan, auto_read=True)
    business.send_text("Fuera de hora", biz_opaque_callback_data="clave-1")
    business.receive(type="text", text="Hola")
    business.wait_until_idle()
    business.send_text("Dentro", biz_opaque_callback_data="clave-2")
    voice = business.send({"type": "audio", "audio": {"link": "https://ejemplo.com/a.ogg", "voice": True}})
    business.wait_until_idle()
    business.control.post("/statuses", json={"id": voice, "status": "played"})
    business.wait_until_idle()
    # The library passes over bytes it has already seen: those of a doubled status.
    fresh = {notification.body: notification for notification in business.receiver.notifications}.values()
    updates = [reading.read(notification) for notification in fresh]
    statuses = [each for each in updates if isinstance(each, MessageStatus)]
    assert {"failed", "sent", "read", "played"} <= {each.status.value for each in statuses}
    [failed] = [each for each in statuses if each.status.value == "failed"]
    assert isinstance(failed.error, ReEngagementMessage) and failed.tracker == "clave-1"


def test_it_reads_the_other_fields(business: Business, reading: Reading) -> None:
    business.control.post("/people", json={"user": ANA_ID, "stopped": True})
    path = f"/{business.config.business_id}/message_templates"
    new = {"name": "turno", "language": "es", "category": "UTILITY", "components": [{"type": "BODY", "text": "x"}]}
    business.client.post(path, json=new)
    business.wait_until_idle()
    wish, review = (reading.read(notification) for notification in business.receiver.notifications)
    assert isinstance(wish, UserMarketingPreferences) and isinstance(review, TemplateStatusUpdate)
    assert business.send(template("turno"))
