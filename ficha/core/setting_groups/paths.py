"""Path prefixes."""

from pydantic import Field

from ficha.core.setting_groups.setting_group import SettingGroup


class PathSettings(SettingGroup):
    v1: str = Field("/v1", description="Prefix of version 1.")
    v2: str = Field("/v2", description="Prefix of version 2.")
    test: str = Field("/test", description="Prefix of the test group.")
    csrf_scope: str = Field("sanctum", description="First part of the csrf-cookie path.")
    integration: str = Field("whatsapp", description="Name of the messaging integration in paths.")
    messaging_channel: str = Field("whatsapp", description="Name of the webhook's channel in its path.")
