"""The medical record in the OpenAPI document: its models as components, and bodies and answers by model.

Classes say what is different for each model: `json_schema_extra=by_model(data=DOCUMENT)`. What has no class names its
component: `json_schema_extra=named("RecordPatch")`.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field
from pydantic.json_schema import models_json_schema

from ficha.fmd.catalog import CATALOG
from ficha.fmd.translations import Choice, labels_of
from ficha.fmd.values import ANY_MODEL

Schema = dict[str, Any]
Schemas = dict[str, Schema]

REFERENCE = "#/components/schemas/"
BY_MODEL, NAMED = "x-by-model", "x-named"
# What a property is in the schema of one model: its document, a merge patch of it, or its name on the wire.
DOCUMENT, PATCH, NAME = "document", "patch", "name"
NULL: Schema = {"type": "null"}
# Labels and words in three languages: `/v2/fmd/schemas` tells them. Names that a class has in Python say nothing here.
LEFT_OUT = frozenset({"title", "x-titles", "x-labels", "x-descriptions"})


def by_model(**kinds: str) -> dict[str, Any]:
    """For a class whose properties differ from model to model: what each is, or the name of another such class."""
    return {BY_MODEL: kinds}


def named(component: str) -> dict[str, Any]:
    """For a value that is described by this component."""
    return {NAMED: component}


ModelName = Annotated[str, Field(json_schema_extra=named("ModelName"))]


def add_record(schemas: Schemas) -> None:
    """Adds the components of the record, and writes what the classes say of each model."""
    models = _models()
    schemas |= models | _patches(models) | _bodies()
    for name in [name for name, schema in schemas.items() if BY_MODEL in schema]:
        schemas |= _by_model(name, schemas.pop(name))


def resolved(value: Any, schemas: Mapping[str, Any]) -> Any:
    """The value with a reference in each place that names a component. One object with a field for each model stands
    for what FastAPI describes as an object of any names."""
    if isinstance(value, list):
        return [resolved(each, schemas) for each in value]
    if not isinstance(value, dict):
        return value
    if NAMED in value:
        said = {key: value[key] for key in ("description", "examples") if key in value}
        return reference(value[NAMED]) | said
    inner = value.get("additionalProperties")
    together = f"{_name_in(inner)}ByName" if isinstance(inner, dict) and "$ref" in inner else ""
    if together in schemas:
        return reference(together)
    return {key: resolved(each, schemas) for key, each in value.items()}


def reference(name: str) -> Schema:
    return {"$ref": REFERENCE + name}


def _names() -> list[str]:
    return [model.about.wire for model in CATALOG]


def _models() -> Schemas:
    _, whole = models_json_schema([(model, "validation") for model in CATALOG], ref_template=REFERENCE + "{model}")
    enums: Schemas = {}
    found = {name: _plain(schema, enums) for name, schema in whole["$defs"].items()}
    for model in CATALOG:
        about = model.about
        found[model.__name__] |= {
            "x-model": about.wire,
            "x-door": about.door.value,
            "examples": [dict(about.example)],
        }
        # One that was never saved, was emptied, or of which somebody may see only a part lacks them too.
        if "required" in found[model.__name__]:
            found[model.__name__]["x-required"] = found[model.__name__].pop("required")
    return enums | found


def _plain(schema: Schema, enums: Schemas) -> Schema:
    """The schema of a class in English. What a field may be chosen from becomes a component of its own, or every client
    would have a type for each field that offers it."""
    said = {key: _inner(value, enums) for key, value in schema.items() if key not in LEFT_OUT}
    if said.get("default", ...) is None:
        del said["default"]
    if "patternProperties" in said:
        [pattern] = said["patternProperties"]
        said["propertyNames"] = {"pattern": pattern.replace(ANY_MODEL, f"({'|'.join(_names())})")}
    words = [schema[key]["en"] for key in ("x-titles", "x-descriptions") if key in schema]
    if words:
        said["description"] = ": ".join(words)
    if said.get("x-kind") == "fact-id" or any(one.get("x-kind") == "fact-id" for one in said.get("anyOf", ())):
        # A client that left it out of what it puts back would take their names from the facts.
        said.pop("readOnly", None)
    choice = next((kind.__name__ for kind in Choice.__subclasses__() if labels_of(kind) == schema.get("x-labels")), "")
    if choice:
        enums[choice] = {"type": "string", "enum": said["enum"]}
        return reference(choice) | {key: said[key] for key in ("description", "x-door") if key in said}
    return said


def _inner(value: Any, enums: Schemas) -> Any:
    if isinstance(value, list):
        return [_inner(each, enums) for each in value]
    if not isinstance(value, dict):
        return value
    is_schema = "$ref" in value or "anyOf" in value or isinstance(value.get("type"), str)
    return _plain(value, enums) if is_schema else {key: _inner(each, enums) for key, each in value.items()}


def _patches(models: Schemas) -> Schemas:
    """Merge patches (RFC 7396): nothing is required, `null` removes, objects merge and lists are replaced."""
    return {
        f"{name}Patch": {
            **{key: schema[key] for key in ("x-model", "additionalProperties", "type") if key in schema},
            "properties": {field: _patched(value, models) for field, value in schema["properties"].items()},
        }
        for name, schema in models.items()
        if schema["type"] == "object"
    }


def _patched(schema: Schema, models: Schemas) -> Schema:
    choices = schema.get("anyOf", [schema])
    inner = [_patched_value(each, models) for each in choices if each != NULL]
    described = {"description": schema["description"]} if "description" in schema else {}
    return {"anyOf": [*({k: v for k, v in each.items() if k != "description"} for each in inner), NULL]} | described


def _patched_value(schema: Schema, models: Schemas) -> Schema:
    if "$ref" in schema and models[_name_in(schema)]["type"] == "object":
        return reference(_name_in(schema) + "Patch")
    if "patternProperties" in schema:
        fields = {name: {"anyOf": [value, NULL]} for name, value in schema["patternProperties"].items()}
        return schema | {"patternProperties": fields}
    return schema


def _bodies() -> Schemas:
    names = [model.__name__ for model in CATALOG]
    patches = {model.about.wire: {"anyOf": [reference(f"{model.__name__}Patch"), NULL]} for model in CATALOG}
    contact: Schema = {"anyOf": [reference("ContactoPatch"), NULL]}
    lists = {"type": "array", "items": reference("Contacto")}, {"type": "array", "items": reference("ContactoPatch")}
    by_id = reference("ContactsById")
    return {
        "ModelName": {"type": "string", "enum": _names()},
        "AnyModel": {"anyOf": [reference(name) for name in names]},
        "AnyModelPatch": {"anyOf": [reference(f"{name}Patch") for name in names]},
        "RecordPatch": {"type": "object", "additionalProperties": False, "properties": patches},
        "ContactsById": {"type": "object", "additionalProperties": contact},
        "Contacts": {"anyOf": [lists[0], _in_contactos(lists[0])]},
        "ContactsPatch": {"anyOf": [lists[1], by_id, _in_contactos({"anyOf": [lists[1], by_id]})]},
    }


def _in_contactos(inner: Schema) -> Schema:
    """As the model itself has them."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["contactos"],
        "properties": {"contactos": inner},
    }


def _by_model(name: str, schema: Schema) -> Iterator[tuple[str, Schema]]:
    """The class for each model, all of them as one choice, and an object with a field for each."""
    kinds = schema.pop(BY_MODEL)
    own = {model.about.wire: model.__name__ + name for model in CATALOG}
    for model in CATALOG:
        kind = {
            DOCUMENT: reference(model.__name__),
            PATCH: reference(f"{model.__name__}Patch"),
            NAME: {"type": "string", "const": model.about.wire},
        }
        properties = dict(schema["properties"])
        for field, what in kinds.items():
            said = {key: each for key, each in properties[field].items() if key == "description"}
            properties[field] = kind.get(what, reference(model.__name__ + what)) | said
        yield own[model.about.wire], schema | {"properties": properties, "title": own[model.about.wire]}
    if NAME in kinds.values():
        [field] = [field for field, what in kinds.items() if what == NAME]
        told_by = {"propertyName": field, "mapping": {wire: REFERENCE + each for wire, each in own.items()}}
        yield name, {"oneOf": [reference(each) for each in own.values()], "discriminator": told_by}
    fields = {wire: reference(each) for wire, each in own.items()}
    yield f"{name}ByName", {"type": "object", "additionalProperties": False, "properties": fields}


def _name_in(schema: Schema) -> str:
    name: str = schema["$ref"].removeprefix(REFERENCE)
    return name
