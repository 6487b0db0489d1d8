"""Texts that exist in the three languages of the service, and choices that carry theirs."""

from enum import StrEnum
from typing import Any, NamedTuple

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema


class Translated(NamedTuple):
    """The same text in Spanish, English and Portuguese: leaving one out does not type-check."""

    es: str
    en: str
    pt: str

    def in_language(self, language: str) -> str:
        return self[language_index(language)]

    def as_json(self) -> dict[str, str]:
        return self._asdict()


LANGUAGE_INDEX = {language: index for index, language in enumerate(Translated._fields)}


def language_index(language: str) -> int:
    """The index of a language in `Translated`: of Spanish for every language but our three."""
    return LANGUAGE_INDEX.get(language, 0)


class Choice(StrEnum):
    """One of a closed list: the value on the wire, then its words. `ALTA = "alta", "Alta", "High", "Alta"`."""

    words: Translated

    def __new__(cls, value: str, es: str, en: str, pt: str) -> "Choice":
        member = str.__new__(cls, value)
        member._value_ = value
        member.words = Translated(es, en, pt)
        return member

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
        # Documents are strict about types, and JSON has no enumerations: here, and only here, a string will do.
        return core_schema.enum_schema(cls, list(cls), sub_type="str", strict=False)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return handler(schema) | {"x-labels": labels_of(cls)}


def labels_of(choice: type[Choice]) -> dict[str, dict[str, str]]:
    return {member.value: member.words.as_json() for member in choice}
