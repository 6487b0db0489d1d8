"""Reads the platform's notifications, whose signature says that the platform made them. One bad item does not lose the
others."""

import hashlib
import hmac
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ficha.channels.errors import BadSignature, MissingSignature
from ficha.channels.messages import (
    AccountUpdate,
    Incoming,
    IncomingCall,
    NotificationItem,
    OtherItem,
    TemplateUpdate,
    UnreadableItem,
)
from ficha.channels.whatsapp.incoming_items import (
    DASHBOARD_NUMBER_ID,
    NotificationContext,
    read_message,
    read_status,
    time_of,
)
from ficha.channels.whatsapp.json_checks import (
    BadCharacters,
    Malformed,
    check_storable,
    list_in,
    make_storable,
    moment_in,
    read_json,
    text_in,
    without_bad_characters,
)

HEADER = "x-hub-signature-256"


def verify(secret: str, header: str | None, body: bytes) -> None:
    """Raises MissingSignature or BadSignature. `body` is the bytes as they came: JSON that is read and written again
    has another signature."""
    if not header:
        raise MissingSignature
    # With an empty secret everybody could sign.
    if not secret or not hmac.compare_digest(header.encode(errors="replace"), sign(secret, body).encode()):
        raise BadSignature


def sign(secret: str, body: bytes) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def answer_challenge(verify_token: str, mode: str | None, token: str | None, challenge: str | None) -> str:
    """What to answer, as plain text, when the platform asks whether this webhook is ours. Raises BadSignature if the
    token is not the agreed one."""
    if not verify_token or mode != "subscribe" or not challenge or token is None:
        raise BadSignature
    if not hmac.compare_digest(token.encode(errors="replace"), verify_token.encode()):
        raise BadSignature
    return challenge


TEMPLATE_STATUS = "message_template_status_update"
ABOUT_TEMPLATES = ("message_template_quality_update", "message_template_components_update", "template_category_update")
ABOUT_NUMBERS = ("phone_number_quality_update", "phone_number_name_update")
ABOUT_ACCOUNT = (
    "account_alerts",
    "account_review_update",
    "account_update",
    "business_capability_update",
    "business_status_update",
    "security",
)
FROM_A_PERSON = "USER_INITIATED"


def read_account_change(
    field: str, value: Mapping[str, Any], account: str | None, time: Any
) -> Sequence[NotificationItem]:
    """Empty for what we do not know how to read."""
    at = moment_in(time)
    if field == "calls":
        return _calls(value)
    template = _field(value, "message_template_name"), _field(value, "message_template_language")
    if field == TEMPLATE_STATUS and all(template) and _field(value, "event"):
        return [TemplateUpdate(template[0], template[1], _field(value, "event").upper(), at, account)]
    if field in ABOUT_TEMPLATES and all(template):
        return [AccountUpdate(f"template:{template[0]}:{template[1]}:{field}", value, at, account)]
    if field in ABOUT_NUMBERS:
        digits = "".join(letter for letter in _field(value, "display_phone_number") if letter.isdigit())
        return [AccountUpdate(f"number:{digits}:{field}", value, at, account)] if digits else []
    return [AccountUpdate(f"account:{field}", value, at, account)] if field in ABOUT_ACCOUNT else []


def _calls(value: Mapping[str, Any]) -> list[NotificationItem]:
    calls = list_in(value.get("calls"))
    context = NotificationContext.of({**value, "messages": calls})
    return [_call(call, context) for call in calls]


def _call(call: Any, context: NotificationContext) -> NotificationItem:
    """Its beginning and its end; what we called ourselves is kept, and nothing else."""
    if not isinstance(call, dict) or call.get("direction", FROM_A_PERSON) != FROM_A_PERSON or not _field(call, "from"):
        return OtherItem("calls", call)
    try:
        return IncomingCall(
            _field(call, "id"),
            context.number_id,
            context.author(call),
            time_of(call),
            is_test=context.phone_number_id == DASHBOARD_NUMBER_ID,
        )
    except Malformed:
        return OtherItem("calls", call)


def _field(item: Mapping[str, Any], name: str) -> str:
    return text_in(item.get(name)) or ""


OURS = "whatsapp_business_account"
# About a number or an account that is not ours: nothing of it is kept but that it came.
FOREIGN = OtherItem("foreign", None)
PARTS = ("messages", "statuses", "errors")


def parse(body: bytes, our_account: str | None = None) -> list[NotificationItem]:
    """All items, in their order. Never raises: what cannot be read is an UnreadableItem. What is under another business
    account than `our_account` is foreign, whatever number it names; a try from the dashboard names none of ours."""
    try:
        content = read_json(body)
    except Malformed as fault:
        return [UnreadableItem(str(fault), make_storable(body.decode("utf-8", "replace")))]
    return list(_body(content, our_account))


def _body(content: Any, our_account: str | None) -> Iterator[NotificationItem]:
    if not isinstance(content, dict):
        yield _unreadable("not an object", content)
    elif "entry" in content:
        if content.get("object") != OURS:
            yield _other("object", content)
            return
        for entry in _items(content["entry"]):
            if isinstance(entry, UnreadableItem):
                yield entry
            elif not isinstance(entry, dict) or "changes" not in entry:
                yield _unreadable("an entry without changes", entry)
            else:
                account = entry.get("id")
                account = account if isinstance(account, str) else None
                is_foreign = account is not None and our_account is not None and account != our_account
                for change in _items(entry["changes"]):
                    for item in _change(change, account, entry.get("time")):
                        yield FOREIGN if is_foreign and not _is_test(item) else item
    else:
        # The bare form, as the platform's dashboard shows it.
        yield from _change(content)


def _change(change: Any, account: str | None = None, time: Any = None) -> Iterator[NotificationItem]:
    if isinstance(change, UnreadableItem):
        yield change
        return
    if not isinstance(change, dict) or not isinstance(change.get("field"), str) or "value" not in change:
        yield _unreadable("a change without field and value", change)
        return
    value = change["value"]
    if change["field"] != "messages":
        yield from _account_change(change["field"], value, account, time)
    elif not isinstance(value, dict):
        yield _unreadable("messages without an object", value)
    else:
        yield from _value(value)


def _account_change(field: str, value: Any, account: str | None, time: Any) -> Iterator[NotificationItem]:
    kept = _other(field, value)
    if isinstance(kept, UnreadableItem) or not isinstance(value, dict):
        yield kept
    else:
        yield from read_account_change(field, value, account, time) or [kept]


def _value(value: dict[str, Any]) -> Iterator[NotificationItem]:
    lists = {name: _items(value[name]) for name in PARTS if value.get(name) is not None}
    if not lists:
        yield _other("messages", value)
        return
    context = NotificationContext.of(value)
    for message in lists.get("messages", ()):
        yield _read(message, lambda item: read_message(item, context))
    for status in lists.get("statuses", ()):
        yield _read(status, lambda item: read_status(item, context))
    for error in lists.get("errors", ()):
        yield error if isinstance(error, UnreadableItem) else _other("errors", error)


def _is_test(item: NotificationItem) -> bool:
    return isinstance(item, Incoming | IncomingCall) and item.is_test


def _read(item: Any, reader: Callable[[dict[str, Any]], NotificationItem]) -> NotificationItem:
    if isinstance(item, UnreadableItem):
        return item
    try:
        item = _storable(item)
        if not isinstance(item, dict):
            raise Malformed("not an object")
        return reader(item)
    except Malformed as fault:
        return _unreadable(str(fault), item)


def _storable(item: Any) -> Any:
    """The item without characters that no database takes: of a message with a NUL in it, the rest still counts."""
    try:
        check_storable(item)
    except BadCharacters:
        item = without_bad_characters(item)
        check_storable(item)
    return item


def _items(value: Any) -> Sequence[Any]:
    """The items of a list. Anything else counts as one item that cannot be read."""
    return value if isinstance(value, list) else [_unreadable("not a list", value)]


def _other(kind: str, raw: Any) -> NotificationItem:
    try:
        check_storable([kind, raw])
    except Malformed as fault:
        return _unreadable(str(fault), raw)
    return OtherItem(kind, raw)


def _unreadable(why: str, raw: Any) -> UnreadableItem:
    return UnreadableItem(why, make_storable(raw))
