"""Notifications on people's own devices."""

from pydantic import Field, field_validator

from ficha.core.setting_groups.browsers_and_proxies import CommaSeparated, split_at_commas
from ficha.core.setting_groups.setting_group import SettingGroup


class PushSettings(SettingGroup):
    push_contact: str = Field(
        "", description="mailto: or https: address where push services reach us; empty means the public address."
    )
    push_hosts: CommaSeparated = Field(
        (), description="Push services besides those of the known browsers, as host or host:port, comma-separated."
    )
    devices_per_account: int = Field(10, ge=1, description="Devices of one account that get notifications.")

    _split_hosts = field_validator("push_hosts", mode="before")(split_at_commas)
