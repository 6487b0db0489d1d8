"""The medical record and its log."""

from pathlib import Path

from pydantic import Field

from ficha.core.setting_groups.setting_group import SettingGroup


class RecordSettings(SettingGroup):
    anchor_minutes: int = Field(60, ge=1, le=1440, description="How often the ends of the log are signed.")
    anchor_dir: Path | None = Field(
        None, description="Folder for copies of what was signed, best on another disk; by default in the data folder."
    )
    record_changes: int = Field(20_000, ge=1, description="Changes that one record may have; all are kept.")
    record_bytes: int = Field(50_000_000, ge=1, description="Bytes that all versions of one record may take.")
    account_records: int = Field(20, ge=1, description="Records that one account may own.")
