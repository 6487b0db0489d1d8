"""ficha migrate: brings the database up to date."""

from ficha.cli.rich_console import progress_bars, rich_console
from ficha.core.settings import Settings


def migrate() -> None:
    """Bring the database to the newest shape.

    Safe to run while the previous version serves, and again.

    Example: FICHA_DATABASE_URL=postgresql://… ficha migrate
    """
    from ficha.core.db import Database
    from ficha.migrations import migrate as run

    settings = Settings()
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    database = Database(settings.database)
    with progress_bars() as show:
        run(database, progress=show)
    database.close()
    rich_console(stderr=True).print("The database is up to date.")
