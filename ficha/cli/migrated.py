"""The settings for commands that need a database which is set up."""

from ficha.core.schema_version import is_schema_current
from ficha.core.settings import Settings


class NotMigrated(Exception):
    """Its text says what to do."""

    def __init__(self) -> None:
        super().__init__("There is no database here, or not the newest one. Run `ficha migrate` first.")


def migrated_settings() -> Settings:
    """Raises NotMigrated, before anything is written."""
    settings = Settings()
    if not is_schema_current(settings.database):
        raise NotMigrated
    return settings
