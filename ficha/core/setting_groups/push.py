"""Notifications on people's own devices."""

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings

from ficha.core.setting_groups.browsers_and_proxies import CommaSeparated, split_at_commas


class PushSettings(BaseSettings):
    push_contact: str = Field(
        "", description="mailto: or https: address where push services reach us; empty means the public address."
    )
    push_hosts: CommaSeparated = Field(
        (), description="Push services besides those of the known browsers, as host or host:port, comma-separated."
    )
    devices_per_account: int = Field(10, ge=1, description="Devices of one account that get notifications.")

    _split_hosts = field_validator("push_hosts", mode="before")(split_at_commas)
