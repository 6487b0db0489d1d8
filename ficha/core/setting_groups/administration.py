"""Projects and subscriptions."""

from pydantic import Field

from ficha.core.setting_groups.setting_group import SettingGroup


class AdministrationSettings(SettingGroup):
    project_link_minutes: int = Field(60, ge=1, le=43_200, description="Life of a signed link to a project.")
    trial_days: int = Field(30, ge=1, le=365, description="Length of the trial that a subscription begins with.")
