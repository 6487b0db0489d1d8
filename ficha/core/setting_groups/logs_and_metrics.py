"""Logs and metrics."""

from typing import Literal

from pydantic import Field

from ficha.core.setting_groups.setting_group import SettingGroup


class LogSettings(SettingGroup):
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least level to log.")
    log_format: Literal["auto", "console", "json"] = Field(
        "auto", description="console or json; auto is console in development."
    )
    metrics_door: Literal["off", "local", "admin", "public"] = Field(
        "local", description="Who may read /metrics: nobody, this machine, an admin token, or anyone."
    )
