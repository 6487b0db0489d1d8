"""The base of every group of settings."""

from pydantic_settings import BaseSettings, SettingsConfigDict


class SettingGroup(BaseSettings):
    """Only the class of all settings is ever used, so Pydantic need not build those of the groups."""

    model_config = SettingsConfigDict(defer_build=True)
