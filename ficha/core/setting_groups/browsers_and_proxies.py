"""Browsers and proxies."""

from ipaddress import ip_network
from typing import Annotated, Literal

from pydantic import Field, field_validator
from pydantic_settings import NoDecode

from ficha.core.setting_groups.setting_group import SettingGroup

CommaSeparated = Annotated[tuple[str, ...], NoDecode]


def split_at_commas(value: object) -> object:
    if isinstance(value, str):
        return tuple(word.strip() for word in value.split(",") if word.strip())
    return value


class BrowserSettings(SettingGroup):
    cors_origins: CommaSeparated = Field((), description="Origins whose scripts may call us, comma-separated.")
    stateful_hosts: CommaSeparated = Field(
        (), description="host:port of the front ends that use cookies; empty means the host of the base URL."
    )
    trusted_proxies: CommaSeparated = Field((), description="Addresses or networks of proxies that are believed.")
    forwarded_header: Literal["x-forwarded-for", "forwarded"] = Field(
        "x-forwarded-for", description="Where these write whom they speak for; the other header is not read."
    )

    _split_lists = field_validator("cors_origins", "stateful_hosts", "trusted_proxies", mode="before")(split_at_commas)

    @field_validator("trusted_proxies")
    @classmethod
    def are_networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for text in value:
            ip_network(text, strict=False)  # Its ValueError says what is wrong with which.
        return value
