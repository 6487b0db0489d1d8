"""The settings as rows: for the command that prints them and for the page that documents them."""

from enum import Enum
from typing import NamedTuple

from pydantic import SecretStr

from ficha.core.settings import Settings

PREFIX = "FICHA_"


class Row(NamedTuple):
    variable: str
    value: str
    default: str
    help: str


def rows(settings: Settings) -> list[Row]:
    return [
        Row(
            PREFIX + name.upper(),
            shown(getattr(settings, name)),
            shown(field.get_default()),
            field.description or "",
        )
        for name, field in type(settings).model_fields.items()
    ]


def shown(value: object) -> str:
    if isinstance(value, SecretStr):
        return "••••" if value.get_secret_value() else ""
    if value is None:
        return ""
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
