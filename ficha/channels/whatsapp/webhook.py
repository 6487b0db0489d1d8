"""Reads the platform's notifications. One bad item does not lose the others."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ficha.channels.messages import Incoming, IncomingCall, NotificationItem, OtherItem, UnreadableItem
from ficha.channels.whatsapp.account_changes import read_account_change
from ficha.channels.whatsapp.incoming_items import NotificationContext, read_message, read_status
from ficha.channels.whatsapp.json_checks import (
    BadCharacters,
    Malformed,
    check_storable,
    make_storable,
    read_json,
    without_bad_characters,
)

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
