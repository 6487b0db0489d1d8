"""Reads the platform's notifications. One bad item does not lose the others."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ficha.channels.messages import NotificationItem, OtherItem, UnreadableItem
from ficha.channels.whatsapp.account_changes import read_account_change
from ficha.channels.whatsapp.incoming_items import NotificationContext, read_message, read_status
from ficha.channels.whatsapp.json_checks import Malformed, check_storable, make_storable, read_json

OURS = "whatsapp_business_account"
PARTS = ("messages", "statuses", "errors")


def parse(body: bytes) -> list[NotificationItem]:
    """All items, in their order. Never raises: what cannot be read is an UnreadableItem."""
    try:
        content = read_json(body)
    except Malformed as fault:
        return [UnreadableItem(str(fault), make_storable(body.decode("utf-8", "replace")))]
    return list(_body(content))


def _body(content: Any) -> Iterator[NotificationItem]:
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
                for change in _items(entry["changes"]):
                    yield from _change(change, account if isinstance(account, str) else None, entry.get("time"))
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


def _read(item: Any, reader: Callable[[dict[str, Any]], NotificationItem]) -> NotificationItem:
    if isinstance(item, UnreadableItem):
        return item
    try:
        check_storable(item)
        if not isinstance(item, dict):
            raise Malformed("not an object")
        return reader(item)
    except Malformed as fault:
        return _unreadable(str(fault), item)


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
