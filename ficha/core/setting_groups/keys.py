"""Keys."""

from pathlib import Path

from pydantic import Field, SecretStr

from ficha.core.setting_groups.setting_group import SettingGroup


class KeySettings(SettingGroup):
    master_keys: SecretStr = Field(
        SecretStr(""), description="id:base64 pairs, comma-separated, newest first; empty means the key file."
    )
    key_file: Path | None = Field(None, description="Key file; by default keys.json in the data folder.")
