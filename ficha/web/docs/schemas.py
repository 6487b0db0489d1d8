"""JSON Schema for readers: one row for each field, and an example of the whole."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Schema = Mapping[str, Any]
DEEPEST = 4


@dataclass(frozen=True)
class Field:
    name: str
    sent_in: str
    kind: str
    is_required: bool
    limits: list[str]
    example: str
    description: str


class Schemas:
    """The named schemas of a document: their fields and examples."""

    def __init__(self, named: Mapping[str, Schema]) -> None:
        self._named = named

    def fields(self, schema: Schema, prefix: str = "", depth: int = 0) -> list[Field]:
        """The fields of an object and, below each, those of the objects in it: `contactos[].nombre`."""
        whole = self._plain(schema)
        required = whole.get("required", [])
        found: list[Field] = []
        for name, one in whole.get("properties", {}).items():
            inner = self._plain(one)
            found.append(self._field(prefix + name, "body", one, name in required))
            if "x-model" in inner:
                continue  # What a model of the record is made of fills a page of its own, docs/models.md.
            if depth < DEEPEST and inner.get("type") == "object":
                found += self.fields(inner, f"{prefix}{name}.", depth + 1)
            elif depth < DEEPEST and inner.get("type") == "array":
                found += self.fields(inner.get("items", {}), f"{prefix}{name}[].", depth + 1)
        return found

    def parameter(self, said: Mapping[str, Any]) -> Field:
        schema = {"description": said.get("description", ""), **said.get("schema", {})}
        return self._field(said["name"], said["in"], schema, bool(said.get("required")))

    def example(self, schema: Schema, depth: int = 0) -> Any:
        """The example of the schema, else one made of its required fields."""
        if given := _given(schema):
            return given[0]
        whole = self._plain(schema)
        if given := _given(whole):
            return given[0]
        if whole.get("enum"):
            return whole["enum"][0]
        if whole.get("type") == "array":
            return [self.example(whole.get("items", {}), depth + 1)] if depth < DEEPEST else []
        if "properties" not in whole:
            return {"string": "…", "integer": 1, "number": 1.5, "boolean": True}.get(whole.get("type", ""), {})
        required = whole.get("required", [])
        return {
            name: self.example(one, depth + 1)
            for name, one in whole["properties"].items()
            if name in required and depth < DEEPEST
        }

    def _plain(self, schema: Schema) -> Schema:
        """With references resolved and without "or null"."""
        if "$ref" in schema:
            return self._plain(self._named.get(schema["$ref"].rpartition("/")[2], {}))
        choices = [one for one in schema.get("anyOf", schema.get("oneOf", [])) if one.get("type") != "null"]
        return self._plain(choices[0]) if len(choices) == 1 else schema

    def _field(self, name: str, sent_in: str, schema: Schema, is_required: bool) -> Field:
        plain = self._plain(schema)
        given = _given(schema) or _given(plain)
        return Field(
            name=name,
            sent_in=sent_in,
            kind=self._kind(plain),
            is_required=is_required,
            limits=_limits(plain, schema.get("default")),
            example=_as_sent(given[0]) if given else "",
            description=schema.get("description", plain.get("description", "") if "$ref" not in schema else ""),
        )

    def _kind(self, plain: Schema) -> str:
        choices = plain.get("anyOf") or plain.get("oneOf")
        if choices:
            return " | ".join(self._kind(self._plain(one)) for one in choices if one.get("type") != "null")
        kind: str = plain.get("format") or plain.get("type", "object")
        if kind == "array":
            return f"{self._kind(self._plain(plain.get('items', {})))}[]"
        return kind


def _given(schema: Schema) -> list[Any]:
    found = schema.get("examples") or ([schema["example"]] if "example" in schema else [])
    return list(found)


def _as_sent(value: Any) -> str:
    """In the words of the wire, not of Python. That a field may be left out is no example."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _limits(plain: Schema, default: Any) -> list[str]:
    found = []
    for low, high in (("minLength", "maxLength"), ("minimum", "maximum"), ("minItems", "maxItems")):
        if low in plain and high in plain:
            found.append(f"{plain[low]}–{plain[high]}")
        elif low in plain:
            found.append(f"≥ {plain[low]}")
        elif high in plain:
            found.append(f"≤ {plain[high]}")
    if "pattern" in plain:
        found.append(plain["pattern"])
    if "enum" in plain:
        found.append(" | ".join(map(str, plain["enum"])))
    if default is not None:
        found.append(f"= {_as_sent(default)}")
    return found
