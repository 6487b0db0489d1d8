"""Projects, subscriptions and the console."""

from pydantic import Field, field_validator

from ficha.core.setting_groups.setting_group import SettingGroup


class AdministrationSettings(SettingGroup):
    project_link_minutes: int = Field(60, ge=1, le=43_200, description="Life of a signed link to a project.")
    trial_days: int = Field(30, ge=1, le=365, description="Length of the trial that a subscription begins with.")
    time_zone: str = Field("UTC", description="Where the console is read: its times are shown so, as America/Caracas.")

    @field_validator("time_zone")
    @classmethod
    def is_known(cls, value: str) -> str:
        from zoneinfo import ZoneInfo  # noqa: PLC0415  Only where a zone is set.

        try:
            ZoneInfo(value)
        except (KeyError, ValueError, OSError):
            raise ValueError("not a time zone that this machine knows, such as America/Caracas") from None
        return value
