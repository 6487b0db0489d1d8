"""The settings as rows, for `ficha settings` and for docs/settings.md."""

from enum import Enum
from typing import NamedTuple

from pydantic import SecretStr

from ficha.core.settings import Settings

PREFIX = "FICHA_"


class SettingRow(NamedTuple):
    variable: str
    value: str
    default: str
    help: str


def setting_rows(settings: Settings) -> list[SettingRow]:
    return [
        SettingRow(
            PREFIX + name.upper(),
            value_text(getattr(settings, name)),
            value_text(field.get_default()),
            field.description or "",
        )
        for name, field in type(settings).model_fields.items()
    ]


def value_text(value: object) -> str:
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
