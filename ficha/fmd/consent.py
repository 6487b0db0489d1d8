"""What each door may see: the defaults of the models, changed by the owner. What is unclear is hidden."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from ficha.fmd.base import Document, Door, FmdModel, Shape
from ficha.fmd.catalog import CATALOG, Catalog
from ficha.fmd.fields import fields_of
from ficha.fmd.model_parts import Fact

CONSENT = "consentimiento"
# Stands for one that cannot be read: it is not known what the owner hid, and nothing is shown.
UNREADABLE_CONSENT: Document = {"visibilidad": None}


def visible_documents(documents: Mapping[str, Any], door: Door, catalog: Catalog = CATALOG) -> dict[str, Document]:
    """The part of a record that `door` may see. Models of which it may see nothing are left out.

    `documents` must hold `consentimiento` when the record has one: without it the defaults apply.
    """
    return visible_by_rules(documents, ConsentRules.of(documents), door, catalog)


def visible_by_rules(
    documents: Mapping[str, Any], rules: "ConsentRules", door: Door, catalog: Catalog
) -> dict[str, Document]:
    """As `visible_documents`, with the rules of these documents."""
    if door is Door.P:
        return dict(documents)
    has_rules = rules.has_any
    shown = {}
    for wire, model, fields in _default_fields(catalog, door):
        if wire not in documents:
            continue
        document = documents[wire]
        if not isinstance(document, dict):
            continue
        if not has_rules:
            part = _visible(fields, document)
        elif rules.names_facts_of(wire):
            part = _Filter(wire, rules, door).visible_fields(model, document, rules.door_of(wire), model.about.door)
        else:
            part = _visible(_fields(model, rules.door_of(wire), model.about.door, door), document)
        if part:
            shown[wire] = part
    return shown


@dataclass(slots=True)
class ConsentRules:
    """The owner's own decisions: `{"model" or "model/fact": door}`. Nobody changes them; they are read for every
    opening, and setting the fields of a frozen class takes ten times as long."""

    doors: Mapping[str, Any]
    damaged: bool = False

    @classmethod
    def of(cls, documents: Mapping[str, Any]) -> "ConsentRules":
        consent = documents.get(CONSENT, {})
        doors = consent.get("visibilidad", {}) if isinstance(consent, Mapping) else None
        # It is not known what the owner hid, so everything is hidden.
        return cls(doors) if isinstance(doors, Mapping) else cls({}, damaged=True)

    @property
    def has_any(self) -> bool:
        """Most owners decide nothing, and then the defaults hold for everything."""
        return self.damaged or bool(self.doors)

    def door_of(self, key: str) -> Door | None:
        """None where the owner decided nothing; `Door.P` where the decision cannot be read."""
        if self.damaged:
            return Door.P
        if key not in self.doors:
            return None
        value = self.doors[key]
        return next((door for door in Door if door == value), Door.P)

    def strictest_door(self, wire: str) -> Door | None:
        """Of what the owner decided about a model and its single facts; None where nothing was decided."""
        keys = [key for key in self.doors if key == wire or key.startswith(f"{wire}/")]
        return max(filter(None, map(self.door_of, keys)), key=lambda door: door.depth, default=None)

    def has_facts_behind(self, wire: str, door: Door) -> bool:
        return any(key.startswith(f"{wire}/") and self.door_of(key) is door for key in self.doors)

    def names_facts_of(self, wire: str) -> bool:
        return any(key.startswith(f"{wire}/") for key in self.doors)


@dataclass(frozen=True)
class _Filter:
    wire: str
    rules: ConsentRules
    door: Door

    def visible_fields(self, shape: type[Shape], value: Mapping[str, Any], own: Door | None, default: Door) -> Document:
        """The fields that the door may see. `own` is the owner's decision about what contains them."""
        plan = _plan(shape, own, default, self.door)
        shown = {}
        for name, part in value.items():
            planned = plan.get(name)
            if planned is None or part is None:
                continue
            inner, at, many = planned
            if inner is None:
                shown[name] = part
            elif many:
                items = part if isinstance(part, list) else ()
                seen = [item for each in items if (item := self._item(inner, each, at))]
                if seen:
                    shown[name] = seen
            elif isinstance(part, Mapping):
                shown[name] = self.visible_fields(inner, part, None, at)
        return shown

    def _item(self, shape: type[Shape], item: Any, at: Door) -> Document | None:
        if not isinstance(item, Mapping):
            return None
        if issubclass(shape, Fact):
            fact_id = item.get("id")
            if isinstance(fact_id, str):
                at = self.rules.door_of(f"{self.wire}/{fact_id}") or at
            elif self.rules.names_facts_of(self.wire):
                return None  # Without an id it may be the one that the owner hid.
        return self.visible_fields(shape, item, None, at) if self.door.sees(at) else None


class Fields(NamedTuple):
    """What of a shape may be seen: the names of its fields; for those that are shapes what may be seen of these, and
    whether it is a list of them."""

    names: frozenset[str]
    shapes: Sequence[tuple[str, "Fields", bool]]


def _visible(fields: Fields, value: dict[str, Any]) -> Document:
    """As `visible_fields`, where the owner decided nothing about single facts: then every item has the same fields.
    Most values may be seen as they are, so they are looked at before they are taken apart."""
    names, shapes = fields
    if value.keys() <= names and None not in value.values():
        shown = value.copy() if shapes else value
    else:
        shown = {name: part for name, part in value.items() if part is not None and name in names}
    for name, inner, many in shapes:
        if name not in shown:
            continue
        part = shown[name]
        if many:
            seen = _visible_items(inner, part) if isinstance(part, list) else None
            if seen:
                shown[name] = seen
            else:
                del shown[name]
        elif not isinstance(part, dict):
            del shown[name]
        elif inner.shapes or not part.keys() <= inner.names or None in part.values():
            shown[name] = _visible(inner, part)
    return shown


def _visible_items(fields: Fields, items: list[Any]) -> list[Document]:
    """Without those of which nothing may be seen."""
    seen = []
    for item in items:
        shown = _visible(fields, item) if isinstance(item, dict) else None
        if shown:
            seen.append(shown)
    return seen


@cache
def _default_fields(catalog: Catalog, door: Door) -> list[tuple[str, type[FmdModel], Fields]]:
    return [(model.about.wire, model, _fields(model, None, model.about.door, door)) for model in catalog]


@cache
def _fields(shape: type[Shape], own: Door | None, default: Door, door: Door) -> Fields:
    plan = {name: planned for name, planned in _plan(shape, own, default, door).items() if door.sees(planned[1])}
    shapes = [
        (name, _fields(inner, None, at, door), many) for name, (inner, at, many) in plan.items() if inner is not None
    ]
    return Fields(frozenset(plan), shapes)


@cache
def _plan(
    shape: type[Shape], own: Door | None, default: Door, door: Door
) -> Mapping[str, tuple[type[Shape] | None, Door, bool]]:
    """The fields that may be seen: the shape inside, where it is one, at which door, and whether it is a list. Items of
    a list are asked one by one: the owner may have opened a single fact."""
    plan: dict[str, tuple[type[Shape] | None, Door, bool]] = {}
    for field in fields_of(shape):
        at = _stricter(field.door, own) if field.door else own or default
        is_list = field.many and field.shape is not None
        if is_list or door.sees(at):
            plan[field.name] = (field.shape, at, is_list)
    return plan


def _stricter(one: Door, other: Door | None) -> Door:
    return other if other and other.depth > one.depth else one
