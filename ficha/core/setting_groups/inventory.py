"""Codes, stickers and cards."""

from pydantic import Field

from ficha.core.setting_groups.setting_group import SettingGroup


class InventorySettings(SettingGroup):
    batch_codes: int = Field(100_000, ge=1, description="Most codes of a batch that is made over HTTP.")
    tag_days: float = Field(
        7, gt=0, le=7, description="How long the tags of a batch are kept sealed if its sheet is not confirmed."
    )
    carnet_days: int = Field(365, ge=1, le=3650, description="How long a carnet is valid.")
    sticker_codes: int = Field(50, ge=1, description="Most codes in one preview of stickers.")
