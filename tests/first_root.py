"""The root secret and the master key of a new service, made once in each test process: to make them took half of what
a world costs. The tests of keys and of starting make their own."""

import shutil
from pathlib import Path

from sqlalchemy import select

from ficha.core.crypto import keyring_of
from ficha.core.db import Base, Database
from ficha.core.secrets import Secrets
from tests.clock import MovableClock
from tests.databases import Rows, fill
from tests.world import settings_for

TABLES = ("master_keys", "secrets")


class FirstRoot:
    def __init__(self, folder: Path, template: Path) -> None:
        self._database_file = folder / "rooted.db"
        shutil.copy(template, self._database_file)
        settings = settings_for(f"sqlite:///{self._database_file}", folder / "data")
        database, keyring = Database(settings.database), keyring_of(settings)
        Secrets(database, keyring, MovableClock()).ensure_root()
        with database.engine.connect() as connection:
            self._rows: Rows = {
                table: [dict(row) for row in connection.execute(select(table)).mappings()]
                for table in (Base.metadata.tables[name] for name in TABLES)
            }
            connection.rollback()
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()
        self._key_file = settings.key_path

    def put(self, database_url: str, data_dir: Path) -> None:
        """Into an empty database, and the folder of the service that will be its first."""
        data_dir.mkdir(mode=0o700)
        shutil.copy(self._key_file, data_dir)
        if database_url.startswith("sqlite:///"):
            shutil.copy(self._database_file, database_url.removeprefix("sqlite:///"))
        else:
            fill(database_url, self._rows)
