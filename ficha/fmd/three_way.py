"""Two people changed one document at once: what each changed is joined, and what both changed is named."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ficha.fmd.base import Document

Path = tuple[str, ...]


class Merged(NamedTuple):
    """`conflicts` are the fields that both changed, each to something else: `mine` stands in the document."""

    document: Document
    conflicts: list[tuple[Path, Any, Any]]


def three_way(base: Document, theirs: Document, mine: Document) -> Merged:
    """`base` is what both began with. Items of a list are known by their id."""
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
