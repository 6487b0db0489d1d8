"""Replaces the master key while the service runs: every data key is decrypted and wrapped again."""

from collections.abc import Callable

from sqlalchemy import func, select

from ficha.core.crypto import Keyring
from ficha.core.db import Base, Database
from ficha.core.secrets import HasDataKey

BATCH = 200


def tables_with_keys() -> list[type[HasDataKey]]:
    return [mapper.class_ for mapper in Base.registry.mappers if issubclass(mapper.class_, HasDataKey)]


def count_stale(database: Database, keyring: Keyring) -> int:
    """How many data keys are still wrapped by an older master key."""
    with database.reading() as tx:
        return sum(
            tx.orm.execute(select(func.count()).select_from(table).where(table.key_id != keyring.current)).scalar_one()
            for table in tables_with_keys()
        )


def rewrap(database: Database, keyring: Keyring, progress: Callable[[int], None]) -> None:
    """Wraps all data keys with the current master key, in small transactions. Destroyed keys stay destroyed."""
    for table in tables_with_keys():
        while True:
            with database.making_way(), database.writing() as tx:
                rows = tx.orm.scalars(
                    select(table).where(table.key_id != keyring.current).limit(BATCH).with_for_update(skip_locked=True)
                ).all()
                for row in rows:
                    row.store_key(keyring, row.open_key(keyring))
            if not rows:
                break
            progress(len(rows))
