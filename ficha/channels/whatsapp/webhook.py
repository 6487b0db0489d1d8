"""The platform's notifications in our words. One bad item never loses its neighbours."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ficha.channels.messages import Event, Other, Unreadable
from ficha.channels.whatsapp.incoming_items import People, read_message, read_status
from ficha.channels.whatsapp.json_checks import Malformed, check_storable, cleaned, read_json

OURS = "whatsapp_business_account"
PARTS = ("messages", "statuses", "errors")


def parse(body: bytes) -> list[Event]:
    """Whatever comes, in the order it came. Whoever stores it keeps the bytes too."""
    try:
        content = read_json(body)
    except Malformed as fault:
        return [Unreadable(str(fault), cleaned(body.decode("utf-8", "replace")))]
    return list(_body(content))


def _body(content: Any) -> Iterator[Event]:
    if not isinstance(content, dict):
        yield _unreadable("not an object", content)
    elif "entry" in content:
        if content.get("object") != OURS:
            yield _other("object", content)
            return
        for entry in _items(content["entry"]):
            if isinstance(entry, Unreadable):
                yield entry
            elif not isinstance(entry, dict) or "changes" not in entry:
                yield _unreadable("an entry without changes", entry)
            else:
                for change in _items(entry["changes"]):
                    yield from _change(change)
    else:
        # The bare form, as the platform's dashboard shows it.
        yield from _change(content)


def _change(change: Any) -> Iterator[Event]:
    if isinstance(change, Unreadable):
        yield change
        return
    if not isinstance(change, dict) or not isinstance(change.get("field"), str) or "value" not in change:
        yield _unreadable("a change without field and value", change)
        return
    value = change["value"]
    if change["field"] != "messages":
        yield _other(change["field"], value)
    elif not isinstance(value, dict):
        yield _unreadable("messages without an object", value)
    else:
        yield from _value(value)


def _value(value: dict[str, Any]) -> Iterator[Event]:
    lists = {name: _items(value[name]) for name in PARTS if value.get(name) is not None}
    if not lists:
        yield _other("messages", value)
        return
    people = People.of(value)
    for message in lists.get("messages", ()):
        yield _read(message, lambda item: read_message(item, people))
    for status in lists.get("statuses", ()):
        yield _read(status, lambda item: read_status(item, people))
    for error in lists.get("errors", ()):
        yield error if isinstance(error, Unreadable) else _other("errors", error)


def _read(item: Any, reader: Callable[[dict[str, Any]], Event]) -> Event:
    if isinstance(item, Unreadable):
        return item
    try:
        check_storable(item)
        if not isinstance(item, dict):
            raise Malformed("not an object")
        return reader(item)
    except Malformed as fault:
        return _unreadable(str(fault), item)


def _items(value: Any) -> Sequence[Any]:
    """A list's items; anything else is one that cannot be read."""
    return value if isinstance(value, list) else [_unreadable("not a list", value)]


def _other(kind: str, raw: Any) -> Event:
    try:
        check_storable([kind, raw])
    except Malformed as fault:
        return _unreadable(str(fault), raw)
    return Other(kind, raw)


def _unreadable(why: str, raw: Any) -> Unreadable:
    return Unreadable(why, cleaned(raw))
