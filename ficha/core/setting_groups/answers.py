"""What answers say about us."""

from pydantic import Field

from ficha.core.setting_groups.setting_group import SettingGroup


class AnswerSettings(SettingGroup):
    api_version: str = Field("v2.0.0", pattern=r"^v\d+\.\d+\.\d+$", description="meta.api_version of every answer.")
    copyright: str = Field("© Ficha", description="meta.copyright of every answer.")
