"""Single values of the medical record: texts, dates, languages, countries, each with its limits."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache
from typing import Annotated, Any
from zoneinfo import available_timezones

from pydantic import AfterValidator, Field, GetCoreSchemaHandler, GetJsonSchemaHandler, StringConstraints
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from ficha.core.errors import Sentence
from ficha.core.text_types import TextLimits, single_line
from ficha.fmd.faults import field_fault

FIRST_DAY = date(1900, 1, 1)
LAST_DAY = date(2199, 12, 31)


@dataclass(frozen=True)
class WriteContext:
    """What validation knows when a document is written: today, the names of the models, and what the document holds
    until then. Reading has none of it.

    Only rules that stay true as time passes may use it, or an old document could no longer be patched; another one
    leaves what is already there.
    """

    today: date
    models: frozenset[str] = frozenset()
    before: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Day:
    """A date as text. People often know only the year: where `partial`, `2019` and `2019-03` are dates too."""

    partial: bool = False
    past: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_after_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        kind = {"pattern": IN_RANGE} if self.partial else {"format": "date"}
        limits = {"x-minimum": FIRST_DAY.isoformat(), "x-maximum": "today" if self.past else LAST_DAY.isoformat()}
        return handler(schema) | kind | limits

    def _checked(self, value: str, info: core_schema.ValidationInfo) -> str:
        if not (PARTIAL if self.partial else FULL).fullmatch(value):
            raise field_fault("fecha_invalida", "Escriba la fecha como 2019-03-31.")
        day = first_day(value)
        if day is None:
            raise field_fault("fecha_invalida", "Esa fecha no existe.")
        last = LAST_DAY
        if self.past and isinstance(info.context, WriteContext):
            last = info.context.today + timedelta(days=1)  # It may be tomorrow already where the caller lives.
        if not FIRST_DAY <= day <= last:
            told = Sentence("La fecha debe estar entre {first} y {last}.", first=FIRST_DAY, last=last)
            raise field_fault("fecha_fuera_de_rango", told)
        return value


FULL = re.compile(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")
PARTIAL = re.compile(r"^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$")
# The same from FIRST_DAY to LAST_DAY, for who reads the schema: ours are told apart what is wrong with a date.
IN_RANGE = r"^(19|2[01])[0-9]{2}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?$"


def first_day(value: str) -> date | None:
    """The first day that a date, whole or partial, can mean."""
    try:
        return date.fromisoformat(f"{value}-01-01"[:10])
    except ValueError:
        return None


def last_day(value: str) -> date | None:
    """The last day that a date, whole or partial, can mean."""
    start = first_day(value)
    if start is None or len(value) >= 10:
        return start
    after = start.replace(year=start.year + 1) if len(value) == 4 else (start + timedelta(days=31)).replace(day=1)
    return after - timedelta(days=1)


def _proper_case(tag: str) -> str:
    """The case that BCP 47 recommends: es-VE, zh-Hant."""
    first, *rest = tag.split("-")
    cases = {2: str.upper, 4: str.title}
    return "-".join([first.lower(), *(cases.get(len(part), str.lower)(part) for part in rest)])


class OnceEach:
    """Of a list: no value twice."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return handler(schema) | {"uniqueItems": True}

    @staticmethod
    def _checked(values: list[Any]) -> list[Any]:
        if len(set(values)) < len(values):
            raise field_fault("repetido", "Hay un valor repetido.")
        return values


def _known_model(key: str, info: core_schema.ValidationInfo) -> str:
    """Refuses a misspelt model, which would hide nothing or turn nothing on without anybody noticing."""
    if isinstance(info.context, WriteContext) and key.partition("/")[0] not in info.context.models:
        raise field_fault("modelo_desconocido", "No hay ningún modelo con ese nombre.")
    return key


@cache  # Some hundred files are looked at, when a zone is first written.
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())


def _known_zone(name: str, info: core_schema.ValidationInfo) -> str:
    """Refuses a misspelt zone, whose hours would be those of UTC. The list of zones is that of this machine."""
    if not isinstance(info.context, WriteContext) or info.context.before.get(info.field_name or "") == name:
        return name
    if name not in _zones():
        raise field_fault("zona_desconocida", "Esa zona horaria no existe. Escríbala como America/Caracas.")
    return name


def kind(name: str) -> Any:
    """Tells who reads the schema what the text is, where JSON Schema has no word for it."""
    return Field(json_schema_extra={"x-kind": name})


EachOnce = OnceEach()
# Of the name of a model, which the catalogue knows: its list is told where all models are.
ANY_MODEL = "[a-z0-9_]{1,40}"
KnownModel = AfterValidator(_known_model)

Texto = Annotated[str, TextLimits(200), AfterValidator(single_line)]
Parrafo = Annotated[str, TextLimits(2000)]

Fecha = Annotated[str, Day()]
FechaPasada = Annotated[str, Day(past=True)]
FechaParcial = Annotated[str, Day(partial=True)]
FechaPasadaParcial = Annotated[str, Day(partial=True, past=True)]

Idioma = Annotated[
    str,
    StringConstraints(
        pattern=r"^[A-Za-z]{2,3}(-[A-Za-z]{3})?(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?"
        r"(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3})){0,2}$"
    ),
    AfterValidator(_proper_case),
    kind("bcp47"),
]
Pais = Annotated[str, StringConstraints(pattern="^[A-Za-z]{2}$", to_upper=True), kind("iso3166")]
ZonaHoraria = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Z][A-Za-z_]{1,20}(/[A-Za-z0-9_+-]{1,30}){0,2}$"),
    AfterValidator(_known_zone),
    kind("timezone"),
]
# Documents, licence numbers, policies: letters and digits as printed on the card.
Numero = Annotated[str, TextLimits(40, pattern=r"^[\p{L}\p{M}\p{N} ./#-]+$"), kind("number")]
# A file that the service keeps: the image or the signed document.
ArchivoId = Annotated[str, StringConstraints(pattern="^[A-Za-z0-9_-]{1,64}$"), kind("file")]
