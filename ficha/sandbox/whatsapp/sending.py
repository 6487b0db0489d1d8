"""POST /messages: messages, which are checked and accepted or refused, and read receipts."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from ficha.sandbox.http_messages import HttpResponse, json_response
from ficha.sandbox.whatsapp.chats import ChatMessage, DeliveryFailure, new_wamid
from ficha.sandbox.whatsapp.errors import GraphError, invalid_parameter
from ficha.sandbox.whatsapp.journal import AcceptedMessage
from ficha.sandbox.whatsapp.message_checks import CheckedMessage, check_message, check_reference
from ficha.sandbox.whatsapp.numbers import Number
from ficha.sandbox.whatsapp.people import NotAPerson, Person, is_user_id, to_wa_id
from ficha.sandbox.whatsapp.platform import WhatsAppPlatform
from ficha.sandbox.whatsapp.responses import success_response
from ficha.sandbox.whatsapp.template_filling import FilledTemplate, fill_template

TYPING_SECONDS = 25
READABLE_DAYS = 30


def post_message(platform: WhatsAppPlatform, number: Number, version: float, body: object) -> HttpResponse:
    """Accepts a message or a read receipt; raises GraphError when it refuses."""
    if not isinstance(body, dict) or "messaging_product" not in body:
        raise invalid_parameter("The parameter messaging_product is required.")
    if body["messaging_product"] != "whatsapp":
        raise invalid_parameter(
            'Param messaging_product must be one of {whatsapp} - got "' + str(body["messaging_product"]) + '".'
        )
    if not number.registered:
        raise GraphError(133010)
    return _mark_read(platform, body) if "status" in body else _send(platform, number, version, body)


def _mark_read(platform: WhatsAppPlatform, body: Mapping[str, Any]) -> HttpResponse:
    if body["status"] != "read":
        raise invalid_parameter("Param status must be one of {read}.")
    message = platform.chats.messages.get(str(body.get("message_id", "")))
    too_old = platform.now() - timedelta(days=READABLE_DAYS)
    if message is None or message.direction != "in" or message.at < too_old:
        raise GraphError(131009, "Message ID is invalid.")
    typing = body.get("typing_indicator")
    if typing is not None:
        if not isinstance(typing, dict) or typing.get("type") != "text":
            raise GraphError(131009, "typing_indicator.type must be text.")
        message.person.typing_until = platform.now() + timedelta(seconds=TYPING_SECONDS)
    # Earlier messages of the thread are read with it.
    for each in platform.chats.of(message.person):
        if each.direction == "in" and each.at <= message.at:
            each.is_read_by_business = True
    platform.mark_changed()
    return success_response()


def _send(platform: WhatsAppPlatform, number: Number, version: float, body: dict[str, Any]) -> HttpResponse:
    written, person = _recipient(platform, body)
    asked, body = body, without_nulls(body)
    kind = str(body.get("type", "text")).lower()
    filled = fill_template(platform.templates, body.get("template")) if kind == "template" else None
    checked = check_message(kind, body) if filled is None else _checked_template(filled)
    _check_common_fields(platform, kind, body)
    if filled is not None and filled.template.category == "AUTHENTICATION" and is_user_id(written):
        raise GraphError(131062)
    _check_recipient(platform, number, written, person)
    unfit_file = _check_files(platform, number, checked)
    platform.limits.check_throughput(platform.behaviour, number.id)
    platform.limits.check_pair(platform.behaviour, number.id, person.key, platform.now())
    failure = _failure_of(platform, person, kind, filled, unfit_file, body)
    message = platform.chats.add(
        ChatMessage(
            id=new_wamid(person, "out"),
            direction="out",
            person=person,
            phone_number_id=number.id,
            type=kind,
            at=platform.now(),
            text=checked.text,
            raw=asked,
            version=version,
            category="service" if filled is None else filled.template.category.lower(),
            in_window=platform.is_window_open(person),
            key=body.get("biz_opaque_callback_data"),
            buttons=checked.buttons,
            location=checked.location,
            media=checked.media,
        )
    )
    person.typing_until = None
    _add_to_journal(platform, message, written)
    platform.schedule_statuses(message, failure)
    platform.mark_changed()
    contact = {"input": written} | ({"wa_id": person.wa_id} if not is_user_id(written) else {"user_id": person.user_id})
    sent = {"id": message.id} | ({"message_status": "accepted"} if filled is not None else {})
    accepted = {"messaging_product": "whatsapp", "contacts": [contact], "messages": [sent]}
    return json_response(accepted, accepted=message.id)


def without_nulls(value: Any) -> Any:
    """For the platform, a field that is null is not there."""
    if isinstance(value, dict):
        return {name: without_nulls(each) for name, each in value.items() if each is not None}
    return [without_nulls(each) for each in value] if isinstance(value, list) else value


def _recipient(platform: WhatsAppPlatform, body: Mapping[str, Any]) -> tuple[str, Person]:
    if body.get("recipient_type", "individual") != "individual":
        raise GraphError(100, "Param recipient_type: messages to groups are not part of the sandbox.", subcode=33)
    to, recipient = body.get("to"), body.get("recipient")
    if not to and not recipient:
        raise invalid_parameter("The parameter to is required.")
    written = to or recipient
    # `to` takes numbers and `recipient` takes user ids; mixing them up is refused, as the platform does.
    if not isinstance(written, str) or is_user_id(written) != (not to):
        raise GraphError(131009, f"Param {'to' if to else 'recipient'} is not valid.")
    try:
        return written, platform.people.with_id(written)
    except NotAPerson:
        raise GraphError(131009, "Recipient is not a valid phone number.") from None


def _check_common_fields(platform: WhatsAppPlatform, kind: str, body: Mapping[str, Any]) -> None:
    context = body.get("context")
    if context is not None:
        if not isinstance(context, dict) or not isinstance(context.get("message_id"), str):
            raise invalid_parameter("The parameter context['message_id'] is required.")
        if kind == "reaction":
            raise invalid_parameter("Param context is not allowed for type reaction.")
    key = body.get("biz_opaque_callback_data")
    if key is not None and (not isinstance(key, str) or len(key) > 512):
        raise invalid_parameter("Param biz_opaque_callback_data must be a string of at most 512 characters.")
    if kind == "reaction" and body["reaction"]["message_id"] not in platform.chats.messages:
        raise GraphError(131009, "Message ID is invalid.")


def _check_recipient(platform: WhatsAppPlatform, number: Number, written: str, person: Person) -> None:
    if person.wa_id == number.digits:
        raise GraphError(131021)
    behaviour, allowed = platform.behaviour, platform.behaviour.allowed
    if allowed is not None and person.key not in {each if is_user_id(each) else to_wa_id(each) for each in allowed}:
        raise GraphError(131030)
    if (code := _code_for(behaviour.refuses, person, written)) is not None:
        raise GraphError(code)


def _check_files(platform: WhatsAppPlatform, number: Number, checked: CheckedMessage) -> str | None:
    """Why a file does not fit its message, which then fails later; raises GraphError for an unknown id. Links are
    not checked: the sandbox fetches nothing."""
    unfit = None
    for kind, path, content in checked.files:
        check_reference(path, content)
        if content.get("id"):
            file = platform.media.find(str(content["id"]), number.id, platform.now())
            if file is None:
                raise invalid_parameter(
                    f"Param {path}['id'] is not a valid whatsapp business account media attachment ID"
                )
            unfit = unfit or file.why_unfit_for(kind)
    return unfit


def _failure_of(
    platform: WhatsAppPlatform,
    person: Person,
    kind: str,
    filled: FilledTemplate | None,
    unfit_file: str | None,
    body: Mapping[str, Any],
) -> DeliveryFailure | None:
    """Why the message will be accepted and then fail; None if it will arrive."""
    behaviour = platform.behaviour
    written = str(body.get("to") or body.get("recipient"))
    if (code := _code_for(behaviour.fails, person, written)) is not None:
        return DeliveryFailure(code)
    if (hash_ := body.get("recipient_identity_key_hash")) is not None and hash_ != person.identity_key_hash:
        return DeliveryFailure(137000)
    if kind != "template" and not platform.is_window_open(person):
        if behaviour.window_refuses_at_once:
            raise GraphError(131047)
        return DeliveryFailure(131047)
    if filled is not None and filled.template.category == "MARKETING" and person.stopped_marketing:
        return DeliveryFailure(131050)
    return DeliveryFailure(131053, unfit_file) if unfit_file else None


def _code_for(codes: Mapping[str, int], person: Person, written: str) -> int | None:
    """The code that the behaviour names for this person, whose number may be written there with or without a plus
    sign, as dialled or as the platform's id."""
    names = {person.wa_id, person.user_id, written, written.removeprefix("+")}
    return next((int(code) for name, code in codes.items() if name.removeprefix("+") in names), None)


def _checked_template(filled: FilledTemplate) -> CheckedMessage:
    if filled.header_media is None:
        return CheckedMessage(filled.text, filled.buttons)
    kind, content = filled.header_media
    if kind == "location":
        location = {"lat": content.get("latitude"), "lng": content.get("longitude")}
        location |= {name: content.get(name) for name in ("name", "address")}
        return CheckedMessage(filled.text, filled.buttons, location=location)
    return CheckedMessage(
        filled.text, filled.buttons, media={"kind": kind, **content}, files=((kind, f"template['{kind}']", content),)
    )


def _add_to_journal(platform: WhatsAppPlatform, message: ChatMessage, written: str) -> None:
    person, journal = message.person, platform.journal
    journal.accepted.append(
        AcceptedMessage(
            n=journal.next_number(),
            at=message.at.isoformat(),
            id=message.id,
            key=message.key,
            to=written,
            wa_id=person.wa_id,
            user_id=person.user_id,
            type=message.type,
            text=message.text,
            body=message.raw,
        )
    )
