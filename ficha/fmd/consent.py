"""What each door may see: the defaults of the models, changed by the owner. What is unclear is hidden."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ficha.fmd.base import Document, Door, Shape
from ficha.fmd.catalog import CATALOG, Catalog
from ficha.fmd.fields import ShapeField, fields_of
from ficha.fmd.shapes import Fact

CONSENT = "consentimiento"


def visible_documents(documents: Mapping[str, Any], door: Door, catalog: Catalog = CATALOG) -> dict[str, Document]:
    """The part of a record that `door` may see. Models of which it may see nothing are left out.

    `documents` must hold `consentimiento` when the record has one: without it the defaults apply.
    """
    if door is Door.P:
        return dict(documents)
    rules = ConsentRules.of(documents)
    shown = {}
    for model in catalog:
        document = documents.get(model.about.wire)
        if not isinstance(document, Mapping):
            continue
        own = rules.door_of(model.about.wire)
        part = _Filter(model.about.wire, rules, door).visible_fields(model, document, own, model.about.door)
        if part:
            shown[model.about.wire] = part
    return shown


@dataclass(frozen=True)
class ConsentRules:
    """The owner's own decisions: `{"model" or "model/fact": door}`."""

    doors: Mapping[str, Any]
    damaged: bool = False

    @classmethod
    def of(cls, documents: Mapping[str, Any]) -> "ConsentRules":
        consent = documents.get(CONSENT, {})
        doors = consent.get("visibilidad", {}) if isinstance(consent, Mapping) else None
        # It is not known what the owner hid, so everything is hidden.
        return cls(doors) if isinstance(doors, Mapping) else cls({}, damaged=True)

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
        shown = {}
        for field in fields_of(shape):
            if field.name not in value:
                continue
            part = self._part(field, value[field.name], own, default)
            if part is not None:
                shown[field.name] = part
        return shown

    def _part(self, field: ShapeField, value: Any, own: Door | None, default: Door) -> Any:
        at = _stricter(field.door, own) if field.door else own or default
        if field.many and field.shape:
            items = value if isinstance(value, list) else []
            return [part for item in items if (part := self._item(field.shape, item, at))] or None
        if not self.door.sees(at):
            return None
        if field.shape:
            return self.visible_fields(field.shape, value, None, at) if isinstance(value, Mapping) else None
        return value

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


def _stricter(one: Door, other: Door | None) -> Door:
    return other if other and other.depth > one.depth else one
