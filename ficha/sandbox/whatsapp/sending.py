"""POST /messages: a message is checked, accepted and given an id, or refused; and read receipts."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from ficha.sandbox.http_messages import HttpResponse, as_json, success
from ficha.sandbox.whatsapp.chats import ChatMessage, new_wamid
from ficha.sandbox.whatsapp.errors import GraphError, invalid
from ficha.sandbox.whatsapp.journal import Accepted
from ficha.sandbox.whatsapp.message_checks import Composed, check_reference, compose
from ficha.sandbox.whatsapp.numbers import Number
from ficha.sandbox.whatsapp.people import NotAPerson, Person, is_user_id, to_wa_id
from ficha.sandbox.whatsapp.platform import Platform
from ficha.sandbox.whatsapp.template_filling import Filled, fill

TYPING_SECONDS = 25
READABLE_DAYS = 30


@dataclass(frozen=True)
class _Fate:
    """What will become of an accepted message: the code of its failure, if it fails."""

    code: int | None = None
    details: str | None = None


def post_message(platform: Platform, number: Number, version: float, body: object) -> HttpResponse:
    if not isinstance(body, dict) or "messaging_product" not in body:
        raise invalid("The parameter messaging_product is required.")
    if body["messaging_product"] != "whatsapp":
        raise invalid(
            'Param messaging_product must be one of {whatsapp} - got "' + str(body["messaging_product"]) + '".'
        )
    if not number.registered:
        raise GraphError(133010)
    return _mark_read(platform, body) if "status" in body else _send(platform, number, version, body)


def _mark_read(platform: Platform, body: Mapping[str, Any]) -> HttpResponse:
    if body["status"] != "read":
        raise invalid("Param status must be one of {read}.")
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
    platform.changed()
    return success()


def _send(platform: Platform, number: Number, version: float, body: dict[str, Any]) -> HttpResponse:
    written, person = _recipient(platform, body)
    kind = str(body.get("type", "text")).lower()
    filled = fill(platform.templates, body.get("template")) if kind == "template" else None
    composed = compose(kind, body) if filled is None else _of_template(filled)
    _check_frame(platform, kind, body)
    if filled is not None and filled.template.category == "AUTHENTICATION" and is_user_id(written):
        raise GraphError(131062)
    _check_recipient(platform, number, written, person)
    files = _check_files(platform, number, composed)
    platform.limits.check_throughput(platform.behaviour, number.id)
    platform.limits.check_pair(platform.behaviour, number.id, person.key, platform.now())
    fate = _fate(platform, person, kind, filled, files, body)
    message = platform.chats.add(
        ChatMessage(
            id=new_wamid(person, "out"),
            direction="out",
            person=person,
            phone_number_id=number.id,
            type=kind,
            at=platform.now(),
            text=composed.text,
            raw=body,
            version=version,
            category="service" if filled is None else filled.template.category.lower(),
            in_window=platform.is_window_open(person),
            key=body.get("biz_opaque_callback_data"),
            buttons=composed.buttons,
            location=composed.location,
            media=composed.media,
        )
    )
    person.typing_until = None
    _write_down(platform, message, written)
    platform.promise_statuses(message, fate.code, fate.details)
    platform.changed()
    contact = {"input": written} | ({"wa_id": person.wa_id} if not is_user_id(written) else {"user_id": person.user_id})
    sent = {"id": message.id} | ({"message_status": "accepted"} if filled is not None else {})
    answer = {"messaging_product": "whatsapp", "contacts": [contact], "messages": [sent]}
    return as_json(answer, accepted=message.id)


def _recipient(platform: Platform, body: Mapping[str, Any]) -> tuple[str, Person]:
    if body.get("recipient_type", "individual") != "individual":
        raise invalid("Param recipient_type: groups are not part of the sandbox.")
    to, recipient = body.get("to"), body.get("recipient")
    if not to and not recipient:
        raise invalid("The parameter to is required.")
    written = to or recipient
    # `to` takes numbers and `recipient` takes user ids; mixing them up is a mistake worth hearing about.
    if not isinstance(written, str) or is_user_id(written) != (not to):
        raise GraphError(131009, f"Param {'to' if to else 'recipient'} is not valid.")
    try:
        return written, platform.people.with_id(written)
    except NotAPerson:
        raise GraphError(131009, "Recipient is not a valid phone number.") from None


def _check_frame(platform: Platform, kind: str, body: Mapping[str, Any]) -> None:
    context = body.get("context")
    if context is not None:
        if not isinstance(context, dict) or not isinstance(context.get("message_id"), str):
            raise invalid("The parameter context['message_id'] is required.")
        if kind == "reaction":
            raise invalid("Param context is not allowed for type reaction.")
    key = body.get("biz_opaque_callback_data")
    if key is not None and (not isinstance(key, str) or len(key) > 512):
        raise invalid("Param biz_opaque_callback_data must be a string of at most 512 characters.")
    if kind == "reaction" and body["reaction"]["message_id"] not in platform.chats.messages:
        raise GraphError(131009, "Message ID is invalid.")


def _check_recipient(platform: Platform, number: Number, written: str, person: Person) -> None:
    if person.wa_id == number.digits:
        raise GraphError(131021)
    behaviour, allowed = platform.behaviour, platform.behaviour.allowed
    if allowed is not None and person.key not in {each if is_user_id(each) else to_wa_id(each) for each in allowed}:
        raise GraphError(131030)
    if (code := _named(behaviour.refuses, person, written)) is not None:
        raise GraphError(code)


def _check_files(platform: Platform, number: Number, composed: Composed) -> str | None:
    """Unknown ids are refused; files that do not fit only fail later. Links are taken at their word: the sandbox
    fetches nothing."""
    unfit = None
    for kind, place, content in composed.files:
        check_reference(place, content)
        if content.get("id"):
            file = platform.media.find(str(content["id"]), number.id, platform.now())
            if file is None:
                raise invalid(f"Param {place}['id'] is not a valid whatsapp business account media attachment ID")
            unfit = unfit or file.unfit_for(kind)
    return unfit


def _fate(
    platform: Platform, person: Person, kind: str, filled: Filled | None, unfit: str | None, body: Mapping[str, Any]
) -> _Fate:
    behaviour = platform.behaviour
    written = str(body.get("to") or body.get("recipient"))
    if (code := _named(behaviour.fails, person, written)) is not None:
        return _Fate(code)
    if (hash_ := body.get("recipient_identity_key_hash")) is not None and hash_ != person.identity_key_hash:
        return _Fate(137000)
    if kind != "template" and not platform.is_window_open(person):
        if behaviour.window_refuses_at_once:
            raise GraphError(131047)
        return _Fate(131047)
    if filled is not None and filled.template.category == "MARKETING" and person.stopped_marketing:
        return _Fate(131050)
    return _Fate(131053, unfit) if unfit else _Fate()


def _named(codes: Mapping[str, int], person: Person, written: str) -> int | None:
    """Numbers in the behaviour may be written with a plus sign or without, as dialled or as the platform's id."""
    names = {person.wa_id, person.user_id, written, written.removeprefix("+")}
    return next((int(code) for name, code in codes.items() if name.removeprefix("+") in names), None)


def _of_template(filled: Filled) -> Composed:
    if filled.header_media is None:
        return Composed(filled.text, filled.buttons)
    kind, content = filled.header_media
    if kind == "location":
        place = {"lat": content.get("latitude"), "lng": content.get("longitude")}
        place |= {name: content.get(name) for name in ("name", "address")}
        return Composed(filled.text, filled.buttons, location=place)
    return Composed(
        filled.text, filled.buttons, media={"kind": kind, **content}, files=((kind, f"template['{kind}']", content),)
    )


def _write_down(platform: Platform, message: ChatMessage, written: str) -> None:
    person, journal = message.person, platform.journal
    journal.accepted.append(
        Accepted(
            n=journal.next(),
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
