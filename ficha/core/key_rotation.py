"""Replaces the master key while the service runs, on however many machines: the new one is announced, every live
process says that it has it, then it wraps, and every data key is wrapped again. Each step can be repeated."""

import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Literal, NamedTuple

from sqlalchemy import func, select

from ficha.core.crypto import Keyring
from ficha.core.db import Base, Database
from ficha.core.key_sources import add_key, keys_replaced_before
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
# Whoever holds a row that is passed by has committed soon.
ROUNDS = 10
ROUND_SECONDS = 0.5
# An interrupted rotation is repeated soon. What is under an older key after that was left over by somebody else.
RESUMED_WITHIN = timedelta(days=1)


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
    with database.reading() as tx:  # Asked again and again, it does not get in the way of those who write.
        lacking = list(lacking_keys(tx, [key_id]))
    if lacking:
        return lacking
    with database.writing() as tx:
        lacking = list(lacking_keys(tx, [key_id]))
        if not lacking:
            start_wrapping(tx, key_id, now)
            learn_keys(tx, keyring)
    return lacking


def is_under_way(database: Database, keyring: Keyring, now: datetime) -> bool:
    """Whether a rotation was interrupted after its key began to wrap. What is left over from longer ago does not keep
    anybody from a new key, which wraps it as well."""
    with database.reading() as tx:
        known = {key.id: key.wraps_since for key in known_keys(tx)}
    began = known.get(keyring.current)
    is_recent = began is not None and now - began < RESUMED_WITHIN
    has_next = None in known.values() or keyring.ids[0] not in known
    return is_recent and not has_next and count_stale(database, keyring) > 0


def replaced_keys(tx: Transaction, keyring: Keyring, before: datetime | None) -> set[str]:
    """Keys that wrap no more, here and in the database; only those whose successor is older than `before`."""
    known, ids, current = known_keys(tx), keyring.ids, keyring.current
    wrapped = sorted((key for key in known if key.wraps_since is not None), key=lambda key: str(key.wraps_since))
    old = {key.id for key in wrapped} | set(ids[ids.index(current) + 1 :])
    old -= {current, *(key.id for key in known if key.wraps_since is None)}
    if before is None:
        return old
    long_ago = {older.id for older, newer in pairwise(wrapped) if newer.wraps_since and newer.wraps_since < before}
    if keyring.file is not None:
        long_ago |= keys_replaced_before(keyring.file, before)
    return old & long_ago


def tables_with_keys() -> list[type[HasDataKey]]:
    return [mapper.class_ for mapper in Base.registry.mappers if issubclass(mapper.class_, HasDataKey)]


def count_stale(database: Database, keyring: Keyring) -> int:
    """How many data keys are still wrapped by an older master key."""
    with database.reading() as tx:
        return sum(
            tx.orm.execute(select(func.count()).select_from(table).where(table.key_id != keyring.current)).scalar_one()
            for table in tables_with_keys()
        )


class KeyRow(NamedTuple):
    """What an operator is told of a master key. `missing_on`: live processes that have not said that they have it."""

    key: str
    state: Literal["announced", "wraps", "replaced", "not known"]
    since: datetime | None
    data_keys: int
    missing_on: list[str]


def key_rows(tx: Transaction, keyring: Keyring) -> list[KeyRow]:
    """Those that the database knows, the newest first, and others that wrap something."""
    counts: Counter[str] = Counter()
    for table in tables_with_keys():
        query = select(table.key_id, func.count()).where(table.key_id.is_not(None)).group_by(table.key_id)
        counts.update({str(key_id): count for key_id, count in tx.orm.execute(query)})
    rows = []
    for key in known_keys(tx):
        lacking = list(lacking_keys(tx, [key.id]))
        if key.wraps_since is None:
            rows.append(KeyRow(key.id, "announced", key.announced_at, counts.pop(key.id, 0), lacking))
        else:
            state: Literal["wraps", "replaced"] = "wraps" if key.id == keyring.current else "replaced"
            rows.append(KeyRow(key.id, state, key.wraps_since, counts.pop(key.id, 0), lacking))
    return rows + [KeyRow(key_id, "not known", None, count, []) for key_id, count in sorted(counts.items())]


def rewrap(database: Database, keyring: Keyring, progress: Callable[[int], None]) -> None:
    """Wraps all data keys with the current master key, in small transactions. Destroyed keys stay destroyed."""
    for table in tables_with_keys():
        while True:
            with database.letting_others_write(), database.writing() as tx:
                rows = tx.orm.scalars(
                    select(table).where(table.key_id != keyring.current).limit(BATCH).with_for_update(skip_locked=True)
                ).all()
                for row in rows:
                    row.store_key(keyring, row.open_key(keyring))
            if not rows:
                break
            progress(len(rows))


def rewrap_all(database: Database, keyring: Keyring, progress: Callable[[int], None]) -> int:
    """Also what others held while it passed by. How many are left after that."""
    for _ in range(ROUNDS):
        rewrap(database, keyring, progress)
        if not count_stale(database, keyring):
            return 0
        time.sleep(ROUND_SECONDS)
    return count_stale(database, keyring)
