"""Every field of every model, found in the JSON Schemas and the examples, with values at and past its limits."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from ficha.fmd.base import FmdModel
from ficha.fmd.catalog import CATALOG
from tests.fmd.documents import TODAY, example_of

# Fields that limit each other: the partner is removed while the field is tried.
PARTNERS = {
    "desde": "hasta",
    "hasta": "desde",
    "vigente_desde": "vigente_hasta",
    "vigente_hasta": "vigente_desde",
}
LANGUAGES = ["es", "en", "pt-BR", "zh-Hant-TW", "es-419", "ase", "sgn-ase", "de-1996", "qu", "gn", "fr"]
LONG_CORREO = f"{'a' * 64}@{'b' * 63}.{'c' * 63}.{'d' * 57}.com"

# Values of kinds that no length or range describes: (accepted, refused).
KINDS: Mapping[str, tuple[list[Any], list[Any]]] = {
    "bcp47": (LANGUAGES, ["", "e", "español", "es_VE", "es-", "es VE", "a" * 9, "es\n"]),
    "iso3166": (["VE", "br"], ["", "V", "VEN", "1V", "V\n"]),
    "timezone": (
        ["UTC", "America/Argentina/Buenos_Aires", "Etc/GMT+4"],
        ["", "utc ", "America Caracas", "../etc", "Mars/Phobos", "America", "america/caracas"],
    ),
    "number": (["9" * 40, "V-12.345/6 #Ñ"], ["9" * 41, "", "  ", "a\nb", "<b>"]),
    "file": (["a" * 64, "A_b-9"], ["a" * 65, "", "a/b", "a b"]),
    "pressure": (["90/60", "240/140"], ["", "120", "120/", "1200/80", "alta"]),
    "helpline": (["*1", "0500-5550000", "+" * 30][1:], ["1" * 31, "12", "", "llame"]),
    "prefix": (["+58"], ["", "58", "+0", "+12345"]),
    "phone": (["4125551111"], ["", "123", "1" * 16, "412-5551111"]),
    "code": ([], ["", "9" * 19]),
}


@dataclass(frozen=True)
class FieldPlace:
    """A field of a model's example, and its schema."""

    model: type[FmdModel]
    path: tuple[str | int, ...]
    schema: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.model.about.wire}:{'.'.join(map(str, self.path))}"

    def document_with(self, value: Any) -> dict[str, Any]:
        """The example with `value` at this place."""
        document = example_of(self.model)
        inside: Any = document
        for step in self.path[:-1]:
            inside = inside[step]
        if isinstance(inside, list):
            inside[:] = [value]  # Alone, because plain values must not repeat.
        else:
            inside.pop(PARTNERS.get(str(self.path[-1]), ""), None)
            inside[self.path[-1]] = value
        return document

    @property
    def accepted(self) -> list[Any]:
        return _accepted(self.schema)

    @property
    def refused(self) -> list[Any]:
        return _refused(self.schema)


def field_places(catalog: Any = CATALOG) -> Iterator[FieldPlace]:
    for model in catalog:
        schema = model.json_schema()
        yield from _walk(model, schema, schema, example_of(model), ())


def _walk(
    model: type[FmdModel], root: Mapping[str, Any], schema: Mapping[str, Any], value: Any, path: tuple[Any, ...]
) -> Iterator[FieldPlace]:
    schema = _resolved(root, schema)
    if "properties" in schema:
        for name, inner in schema["properties"].items():
            if not inner.get("readOnly") and not name.startswith("ausencia"):
                yield from _walk(model, root, inner, value[name], (*path, name))
    elif schema["type"] == "array":
        item = _resolved(root, schema["items"])
        yield FieldPlace(model, path, {**schema, "items": item, "example": value[0]})
        yield from _walk(model, root, item, value[0], (*path, 0))
    elif schema["type"] != "object":
        yield FieldPlace(model, path, {**schema, "name": path[-1]})


def _resolved(root: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Without `| null` and references."""
    if "anyOf" in schema:
        (schema,) = [option for option in schema["anyOf"] if option.get("type") != "null"]
    return root["$defs"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def _accepted(schema: Mapping[str, Any]) -> list[Any]:
    if schema["type"] == "array":
        return [_items(schema, schema["maxItems"])]
    if "x-minimum" in schema:
        last = TODAY if schema["x-maximum"] == "today" else date.fromisoformat(schema["x-maximum"])
        partial = ["1900", "2000-02"] if "pattern" in schema else []
        return [schema["x-minimum"], last.isoformat(), "2000-02-29", *partial]
    if "x-kind" in schema:
        return KINDS[schema["x-kind"]][0]
    if schema.get("format") == "email":
        return [LONG_CORREO, "a@b.co"]
    if "enum" in schema:
        return [] if schema["name"] == "sistema" else list(schema["enum"])
    if schema["type"] == "boolean":
        return [True, False]
    if schema["type"] == "string":
        return ["ñ" * schema["maxLength"], "ñ" * schema["minLength"]]
    return [schema["minimum"], schema["maximum"]]


def _refused(schema: Mapping[str, Any]) -> list[Any]:
    if schema["type"] == "array":
        return [_items(schema, schema["maxItems"] + 1), "uno", {}]
    if schema["type"] == "boolean":
        return ["true", 1, 0]
    if schema["type"] in ("integer", "number"):
        return [schema["minimum"] - 0.1, schema["maximum"] + 0.1, schema["maximum"] + 1, "5", float("nan"), True]
    wrong = [5, True, [], {}]
    if "x-minimum" in schema:
        return [*wrong, *_impossible_dates(schema)]
    if "x-kind" in schema:
        return [*wrong, *KINDS[schema["x-kind"]][1]]
    if schema.get("format") == "email":
        return [*wrong, f"a{LONG_CORREO}", "a@b", "ana", ""]
    if "enum" in schema:
        return [*wrong, "zzz", ""]
    return [*wrong, "ñ" * (schema["maxLength"] + 1), "", "   ", "nulo\x00"]


def _impossible_dates(schema: Mapping[str, Any]) -> list[str]:
    one_day = timedelta(days=1)
    before = date.fromisoformat(schema["x-minimum"]) - one_day
    # One day more is accepted: it may be tomorrow already where the caller lives.
    late = TODAY + one_day if schema["x-maximum"] == "today" else date.fromisoformat(schema["x-maximum"])
    vague = [] if "pattern" in schema else ["2000", "2000-02"]
    nonsense = [
        "2001-02-29",
        "2000-13-01",
        "2000-1-1",
        "20000101",
        "2000-W01-1",
        "2000-01-01T00:00:00",
        "",
        "2000-01-01\n",
    ]
    return [before.isoformat(), (late + one_day).isoformat(), *nonsense, *vague]


def _items(schema: Mapping[str, Any], count: int) -> list[Any]:
    """A list of that length. Plain values must not repeat, but there may be fewer different ones than `count`."""
    if schema["items"]["type"] == "object":
        return [deepcopy(schema["example"]) for _ in range(count)]
    values = schema["items"].get("enum", LANGUAGES)
    return [values[place % len(values)] for place in range(count)]
