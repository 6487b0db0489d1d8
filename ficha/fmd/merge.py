"""JSON Merge Patch, and the same for the list of emergency contacts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ficha.fmd.faults import InvalidDocument

Contacts = list[Any]

UNKNOWN_ID = "Ese id no existe. Los contactos nuevos van sin id."


def merge_patch(target: Any, patch: Any) -> Any:
    """RFC 7396: `null` removes, objects merge, everything else replaces. Neither argument is changed.

    A stack instead of recursion, because a caller decides how deep the patch is.
    """
    if not isinstance(patch, Mapping):
        return patch
    result = _copied(target)
    waiting = [(result, patch)]
    while waiting:
        into, changes = waiting.pop()
        for name, value in changes.items():
            if value is None:
                into.pop(name, None)
            elif isinstance(value, Mapping):
                into[name] = _copied(into.get(name))
                waiting.append((into[name], value))
            else:
                into[name] = value
    return result


def merge_contacts(contacts: Sequence[Any], changes: Mapping[str, Any] | Sequence[Any]) -> Contacts:
    """The contacts after the changes, still to be validated.

    As an object, `{id: patch}` merges into the contact of that id and `{id: null}` removes it. As a list, an item
    with an id merges into that contact and an item without one is added at the end.
    """
    result = {_id_of(contact) or place: contact for place, contact in enumerate(contacts)}
    for place, contact_id, patch in _each(changes):
        if contact_id is None:
            result[len(contacts) + len(result)] = merge_patch({}, patch)
        elif contact_id not in result:
            raise InvalidDocument([{"type": "id_desconocido", "loc": (place,), "msg": UNKNOWN_ID}])
        elif patch is None:
            del result[contact_id]
        else:
            result[contact_id] = merge_patch(result[contact_id], patch) | {"id": contact_id}
    return list(result.values())


def _each(changes: Mapping[str, Any] | Sequence[Any]) -> Iterator[tuple[str | int, str | None, Any]]:
    """Key or index of each change, id of its contact, and patch. Raises InvalidDocument for what is not an object."""
    pairs = changes.items() if isinstance(changes, Mapping) else enumerate(changes)
    for place, patch in pairs:
        removes = patch is None and isinstance(place, str)
        if not removes and not isinstance(patch, Mapping):
            raise InvalidDocument([{"type": "dict_type", "loc": (place,), "msg": ""}])
        yield place, place if isinstance(place, str) else _id_of(patch), patch


def _id_of(contact: Any) -> str | None:
    contact_id = contact.get("id") if isinstance(contact, Mapping) else None
    return contact_id if isinstance(contact_id, str) else None


def _copied(target: Any) -> dict[str, Any]:
    return dict(target) if isinstance(target, Mapping) else {}
