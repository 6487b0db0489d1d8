"""Jobs."""

from pydantic import Field

from ficha.core.setting_groups.setting_group import SettingGroup


class JobSettings(SettingGroup):
    jobs_in_server: bool | None = Field(
        None, description="Run jobs inside the server; by default on SQLite only (PostgreSQL has `ficha worker`)."
    )
    job_threads: int = Field(4, ge=1, le=64, description="Jobs that one process runs side by side.")
    job_lease_seconds: float = Field(30, gt=0, description="A job whose process is silent this long is taken over.")
