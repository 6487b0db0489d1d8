"""What commands work on: a data folder of their user's, a database that is set up, and the parts of the service."""

import os
import pwd
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ficha.core.schema_version import SchemaState, schema_state
from ficha.core.settings import Settings

if TYPE_CHECKING:
    from ficha.core.db import Database
    from ficha.core.transaction import Transaction
    from ficha.parts import Parts


# Its migrations leave what the version before needs, so that one may serve meanwhile, and be started again.
NEWER_DATABASE = (
    "The database was migrated by a newer Ficha. This version goes on with it if it is the one before that; with an"
    " older one, stop and install the newer version (docs/deploy.md)."
)


class NotMigrated(Exception):
    """Its text says what to do."""

    def __init__(self) -> None:
        super().__init__("There is no database here, or not the newest one. Run `ficha migrate` first.")


class WrongUser(Exception):
    """Its text says what to do."""

    def __init__(self, folder: Path, owner: int, group: int) -> None:
        try:
            name, prefix = (user := pwd.getpwuid(owner).pw_name), f"runuser -u {user} --"
        except KeyError:  # Of a container.
            name, prefix = str(owner), f"setpriv --reuid={owner} --regid={group} --clear-groups"
        super().__init__(
            f"{folder} belongs to the user {name}: what root makes there, the service could not open."
            f" Put `{prefix}` before this command (docs/deploy.md)."
        )


def working_settings() -> Settings:
    """For whatever may write into the data folder. Raises WrongUser."""
    settings = Settings()
    folder = settings.data_dir
    if os.geteuid() == 0 and folder.exists() and (found := folder.stat()).st_uid != 0:
        raise WrongUser(folder, found.st_uid, found.st_gid)
    return settings


def is_migrated(url: str) -> bool:
    """Warns if it was a newer version that did it."""
    state = schema_state(url)
    if state is SchemaState.NEWER:
        typer.secho(NEWER_DATABASE, fg="yellow", err=True)
    return state in (SchemaState.CURRENT, SchemaState.NEWER)


def migrated_settings(*, accepts_older: bool = False) -> Settings:
    """Raises NotMigrated and WrongUser, before anything is written."""
    settings = working_settings()
    is_older = accepts_older and schema_state(settings.database) is SchemaState.OLDER
    if not is_older and not is_migrated(settings.database):
        raise NotMigrated
    return settings


@contextmanager
def opened_parts(*, makes_secrets: bool = True) -> "Iterator[Parts]":
    """Raises as `migrated_settings`. The database is closed afterwards. Whoever only verifies makes no secret that is
    missing."""
    with _opened(migrated_settings()) as parts:
        if makes_secrets:
            parts.secrets.ensure_root()
        yield parts


@contextmanager
def parts_to_back_up() -> "Iterator[Parts]":
    """As `opened_parts`, but the database may be of an older version, which has not all of our tables: nothing is
    written to it."""
    settings = migrated_settings(accepts_older=True)
    with _opened(settings) as parts:
        if schema_state(settings.database) is not SchemaState.OLDER:
            parts.secrets.ensure_root()
        yield parts


@contextmanager
def _opened(settings: Settings) -> "Iterator[Parts]":
    from ficha.parts import build_parts

    parts = build_parts(settings)
    with closing(parts.database):
        yield parts


@contextmanager
def writing_parts() -> "Iterator[tuple[Parts, Transaction]]":
    """The parts, and a transaction that is committed at the end."""
    with opened_parts() as parts, parts.database.writing() as tx:
        yield parts, tx


@contextmanager
def opened_database() -> "Iterator[Database]":
    """For what needs the database alone, without keys."""
    from ficha.core.db import Database

    with closing(Database(migrated_settings().database)) as database:
        yield database
