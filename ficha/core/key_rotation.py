"""Replaces the master key while the service runs, on however many machines: the new one is announced, every live process
says that it has it, then it wraps, and every data key is decrypted and wrapped again. Each step can be repeated."""

from collections import Counter
from collections.abc import Callable
from datetime import datetime

from sqlalchemy import func, select

from ficha.core.crypto import Keyring
from ficha.core.db import Base, Database
from ficha.core.key_sources import add_key
from ficha.core.live_processes import live_processes
from ficha.core.master_keys import (
    announce_key,
    announced_key,
    keys_of,
    known_keys,
    lacking_keys,
    learn_keys,
    start_wrapping,
)
from ficha.core.secrets import HasDataKey
from ficha.core.transaction import Transaction

BATCH = 200


class NoNewKey(Exception):
    """There is nothing to rotate to. The text says what to do."""


def next_key(database: Database, keyring: Keyring, now: datetime) -> str:
    """The key to rotate to, announced: the one that was announced before, else the newest of the source, else one that
    is made and put into the key file. Raises NoNewKey."""
    with database.writing() as tx:
        announced = announced_key(tx)
        if announced is not None:
            if announced.id not in keyring.ids:
                raise NoNewKey(
                    f"Master key {announced.id} is announced, and {keyring.source.name} on this machine does not have"
                    f" it. Bring it here first, or take it back with `ficha keys withdraw {announced.id}`."
                )
            return announced.id
        newest = keyring.ids[0]
        # A file whose newest is not known was written by somebody who was interrupted before the next line.
        if newest in {key.id for key in known_keys(tx)}:
            if keyring.file is None:
                raise NoNewKey(
                    f"{keyring.source.name} has no new key in front: {newest} was used before. Put one there on every"
                    " machine, as docs/keys.md says."
                )
            newest = add_key(keyring.file)
        announce_key(tx, keyring, newest, now)
        return newest


def wrapping_otherwise(tx: Transaction, key_id: str) -> list[str]:
    """The ids of live processes that have not said that they wrap with it."""
    return [process.id for process in live_processes(tx) if keys_of(process)[:1] != [key_id]]


def switch_to(database: Database, keyring: Keyring, key_id: str, now: datetime) -> list[str]:
    """From now on it wraps, unless live processes lack it: their ids are returned, and nothing has changed."""
    with database.writing() as tx:
        lacking = list(lacking_keys(tx, [key_id]))
        if not lacking:
            start_wrapping(tx, key_id, now)
            learn_keys(tx, keyring)
    return lacking


def tables_with_keys() -> list[type[HasDataKey]]:
    return [mapper.class_ for mapper in Base.registry.mappers if issubclass(mapper.class_, HasDataKey)]


def count_stale(database: Database, keyring: Keyring) -> int:
    """How many data keys are still wrapped by an older master key."""
    with database.reading() as tx:
        return sum(
            tx.orm.execute(select(func.count()).select_from(table).where(table.key_id != keyring.current)).scalar_one()
            for table in tables_with_keys()
        )


def count_by_key(tx: Transaction) -> Counter[str]:
    """How many data keys each master key wraps."""
    counts: Counter[str] = Counter()
    for table in tables_with_keys():
        query = select(table.key_id, func.count()).where(table.key_id.is_not(None)).group_by(table.key_id)
        counts.update({str(key_id): count for key_id, count in tx.orm.execute(query)})
    return counts


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
