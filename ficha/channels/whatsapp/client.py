"""The client of WhatsApp Cloud: all its calls, over one pool of connections."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ficha.channels.errors import BadContent, OutcomeUnknown, Refused, RetryLater
from ficha.channels.messages import Accepted, Incoming, IncomingCall, NotificationItem, Outgoing, StatusUpdate
from ficha.channels.messenger import SendAnswer
from ficha.channels.whatsapp import error_codes, webhook
from ficha.channels.whatsapp.account import WhatsAppAccount
from ficha.channels.whatsapp.graph import Graph, check_success
from ficha.channels.whatsapp.http_messages import HttpAnswer
from ficha.channels.whatsapp.json_checks import dict_in, list_in, text_in
from ficha.channels.whatsapp.media import MediaStore, Uploads
from ficha.channels.whatsapp.message_bodies import message_body, read_body
from ficha.core.settings import Settings


class WhatsApp:
    """A `Messenger`, and the calls that only WhatsApp has."""

    name = "whatsapp"
    window_closed_code = error_codes.WINDOW_CLOSED
    signature_headers: tuple[str, ...] = (webhook.HEADER,)

    def __init__(self, settings: Settings) -> None:
        token = settings.whatsapp_token.get_secret_value()
        self._secret = settings.whatsapp_app_secret.get_secret_value()
        self._verify_token = settings.whatsapp_verify_token.get_secret_value()
        self._number_id = settings.whatsapp_phone_number_id
        self._number_ids = settings.whatsapp_number_ids
        self._business_id = settings.whatsapp_business_id
        self._graph = Graph(settings.whatsapp_url, settings.whatsapp_version, token, settings.whatsapp_seconds)
        self.media = MediaStore(self._graph, settings.whatsapp_phone_number_id)
        self.uploads = Uploads(self._graph, settings.whatsapp_app_id)
        self.account = WhatsAppAccount(
            self._graph,
            phone_number_id=settings.whatsapp_phone_number_id,
            business_id=settings.whatsapp_business_id,
            token=token,
            app_token=f"{settings.whatsapp_app_id}|{self._secret}",
        )

    def send(self, message: Outgoing) -> Accepted:
        for answers in self.send_together([message]):
            answer = answers[0]
            if isinstance(answer, Accepted):
                return answer
            raise answer
        raise OutcomeUnknown("whatsapp: no answer")

    def send_together(self, messages: Sequence[Outgoing]) -> Iterator[Mapping[int, SendAnswer]]:
        """Each is a call of its own, because the platform takes one message at a time; all are made at once."""
        bodies: dict[int, dict[str, Any]] = {}
        for index, message in enumerate(messages):
            try:
                bodies[index] = message_body(message)
            except BadContent as fault:
                yield {index: fault}
        # Nearly always all from one number of ours.
        numbers = dict.fromkeys(messages[index].number_id or self._number_id for index in bodies)
        for number_id in numbers:
            indexes = [index for index in bodies if (messages[index].number_id or self._number_id) == number_id]
            for answers in self._graph.post_all(f"{number_id}/messages", [bodies[index] for index in indexes]):
                yield {indexes[number]: _accepted_or_error(answer) for number, answer in answers.items()}

    def mark_read(self, provider_id: str, number_id: str | None = None) -> None:
        check_success(self._graph.post(f"{number_id or self._number_id}/messages", read_body(provider_id)))

    def verify(self, headers: Mapping[str, str], body: bytes) -> None:
        found = (value for name, value in headers.items() if name.lower() == webhook.HEADER)
        webhook.verify(self._secret, next(found, None), body)

    def answer_challenge(self, mode: str | None, token: str | None, challenge: str | None) -> str:
        """What to answer when the platform asks whether this webhook is ours. Raises BadSignature if it is not."""
        return webhook.answer_challenge(self._verify_token, mode, token, challenge)

    def parse(self, body: bytes) -> list[NotificationItem]:
        """What is about a number or an account that is not ours is kept apart, and acts on nothing."""
        items = webhook.parse(body, self._business_id)
        return [item if self._is_ours(item) else webhook.FOREIGN for item in items]

    def _is_ours(self, item: NotificationItem) -> bool:
        match item:
            case Incoming() | IncomingCall():
                return item.is_test or item.phone_number_id in self._number_ids
            case StatusUpdate():
                return item.phone_number_id in self._number_ids
            case _:
                return True

    def forward(self, version: str, phone_number_id: str, token: str, body: bytes) -> HttpAnswer:
        return self._graph.forward(version, phone_number_id, token, body)

    def close(self) -> None:
        self._graph.close()


def _accepted_or_error(answer: Mapping[str, Any] | RetryLater | Refused) -> SendAnswer:
    if isinstance(answer, (RetryLater, Refused)):
        return answer
    try:
        return _accepted(answer)
    except OutcomeUnknown as error:
        return error


def _accepted(answer: Mapping[str, Any]) -> Accepted:
    message, contact = (dict_in(next(iter(list_in(answer.get(name))), None)) for name in ("messages", "contacts"))
    provider_id = text_in(message.get("id"))
    if provider_id is None:
        # Something was accepted, but we cannot tell what.
        raise OutcomeUnknown("whatsapp: accepted without an id")
    return Accepted(provider_id, text_in(contact.get("wa_id")), text_in(contact.get("user_id")))
