"""JSON Merge Patch, the same for the list of emergency contacts, and joining what two people changed at once."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ficha.fmd.base import Document
from ficha.fmd.faults import InvalidDocument

Contacts = list[Any]
Path = tuple[str, ...]

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
    result = {_id_of(contact) or index: contact for index, contact in enumerate(contacts)}
    for key, contact_id, patch in _each(changes):
        if contact_id is None:
            result[len(contacts) + len(result)] = merge_patch({}, patch)
        elif contact_id not in result:
            raise InvalidDocument([{"type": "id_desconocido", "loc": (key,), "msg": UNKNOWN_ID}])
        elif patch is None:
            del result[contact_id]
        else:
            result[contact_id] = merge_patch(result[contact_id], patch) | {"id": contact_id}
    return list(result.values())


def _each(changes: Mapping[str, Any] | Sequence[Any]) -> Iterator[tuple[str | int, str | None, Any]]:
    """Key or index of each change, id of its contact, and patch. Raises InvalidDocument for what is not an object."""
    pairs = changes.items() if isinstance(changes, Mapping) else enumerate(changes)
    for key, patch in pairs:
        removes = patch is None and isinstance(key, str)
        if not removes and not isinstance(patch, Mapping):
            raise InvalidDocument([{"type": "dict_type", "loc": (key,), "msg": ""}])
        yield key, key if isinstance(key, str) else _id_of(patch), patch


def _id_of(contact: Any) -> str | None:
    contact_id = contact.get("id") if isinstance(contact, Mapping) else None
    return contact_id if isinstance(contact_id, str) else None


def _copied(target: Any) -> dict[str, Any]:
    return dict(target) if isinstance(target, Mapping) else {}


class Merged(NamedTuple):
    """`conflicts` are the fields that both changed, each to something else: `mine` stands in the document."""

    document: Document
    conflicts: list[tuple[Path, Any, Any]]


def merge_three_way(base: Document, theirs: Document, mine: Document) -> Merged:
    """Joins what each of two people changed. `base` is what both began with. Items of a list are known by their id."""
    conflicts: list[tuple[Path, Any, Any]] = []
    return Merged(_joined(base, theirs, mine, (), conflicts) or {}, conflicts)


def _joined(base: Any, theirs: Any, mine: Any, at: Path, conflicts: list[tuple[Path, Any, Any]]) -> Any:
    if theirs in (base, mine):
        return mine
    if mine == base:
        return theirs
    if isinstance(theirs, Mapping) and isinstance(mine, Mapping):
        return _joined_fields(base if isinstance(base, Mapping) else {}, theirs, mine, at, conflicts)
    if _has_ids(theirs) and _has_ids(mine):
        return _joined_items(base if isinstance(base, list) else [], theirs, mine, at, conflicts)
    conflicts.append((at, theirs, mine))
    return mine


def _joined_fields(
    base: Mapping[str, Any],
    theirs: Mapping[str, Any],
    mine: Mapping[str, Any],
    at: Path,
    conflicts: list[tuple[Path, Any, Any]],
) -> Document:
    names = dict.fromkeys([*mine, *theirs])
    joined = {name: _joined(base.get(name), theirs.get(name), mine.get(name), (*at, name), conflicts) for name in names}
    return {name: value for name, value in joined.items() if value is not None}


def _joined_items(
    base: list[Any], theirs: list[Any], mine: list[Any], at: Path, conflicts: list[tuple[Path, Any, Any]]
) -> list[Any]:
    """My order, then what they added. What one removed and the other did not touch is gone."""
    before, other = _by_id(base), _by_id(theirs)
    joined = []
    for item in mine:
        name = item.get("id")
        if name is None or (name not in before and name not in other):
            joined.append(item)
        elif name in other or item != before.get(name):  # Removed by them, but changed by me: it stays.
            joined.append(_joined(before.get(name), other.get(name, item), item, (*at, name), conflicts))
    return [*joined, *(item for item in theirs if item.get("id") not in before)]


def _by_id(items: list[Any]) -> dict[Any, Any]:
    return {item["id"]: item for item in items if isinstance(item, Mapping) and "id" in item}


def _has_ids(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, Mapping) for item in value)
