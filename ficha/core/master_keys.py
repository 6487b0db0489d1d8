"""The master keys that the database knows by their ids. A new one is announced first, and wraps nothing until every
live process has said that it has it (core/key_rotation.py)."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import cast

from sqlalchemy import LargeBinary, String, Table, delete, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.crypto import Keyring
from ficha.core.db import Base, Database, Utc
from ficha.core.key_sources import ID_LENGTH
from ficha.core.live_processes import LiveProcess, live_processes
from ficha.core.log import log
from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction

MOMENT = timedelta(milliseconds=1)
# Several heartbeats, and a run of a command.
TO_GET_ABOUT = timedelta(seconds=30)


class MasterKey(Base):
    __tablename__ = "master_keys"

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    # Opens with the key itself: another machine may have another one under the same id.
    proof: Mapped[bytes] = mapped_column(LargeBinary)
    announced_at: Mapped[datetime] = mapped_column(Utc)
    # The newest of these wraps; the others did before. None: it is announced.
    wraps_since: Mapped[datetime | None] = mapped_column(Utc)


_keys = cast(Table, MasterKey.__table__)
_READ_KEYS = Prepared(select(_keys.c.id, _keys.c.proof, _keys.c.wraps_since).order_by(_keys.c.announced_at.desc()))


def known_keys(tx: Transaction) -> list[MasterKey]:
    """The newest first."""
    return list(tx.orm.scalars(select(MasterKey).order_by(MasterKey.announced_at.desc(), MasterKey.id)))


def announced_key(tx: Transaction) -> MasterKey | None:
    """The newest that never wrapped anything."""
    return next((key for key in known_keys(tx) if key.wraps_since is None), None)


def announce_key(tx: Transaction, keyring: Keyring, key_id: str, now: datetime) -> None:
    """Processes look for it from now on. Raises MasterKeyMissing if it is not here."""
    tx.orm.add(MasterKey(id=key_id, proof=keyring.proof_of(key_id), announced_at=now, wraps_since=None))
    tx.orm.flush()


def start_wrapping(tx: Transaction, key_id: str, now: datetime) -> None:
    """Machines' clocks differ: whatever they say, it is the newest."""
    since = [key.wraps_since for key in known_keys(tx) if key.wraps_since is not None]
    tx.orm.get_one(MasterKey, key_id).wraps_since = max([now, *(moment + MOMENT for moment in since)])
    tx.orm.flush()


def forget_keys(tx: Transaction, key_ids: Collection[str]) -> None:
    """From now on nobody misses them."""
    tx.orm.execute(delete(MasterKey).where(MasterKey.id.in_(key_ids)))


def learn_keys(tx: Transaction, keyring: Keyring) -> bool:
    """Tells the keyring which keys there are and which of them wraps, so that it fetches what it misses. False if the
    database knows none yet."""
    known = tx.all(_READ_KEYS)
    wrapping = max((key for key in known if key.wraps_since is not None), key=lambda key: key.wraps_since, default=None)
    if wrapping is None:
        return False
    before, proofs = keyring.missing, {key.id: bytes(key.proof) for key in known}
    keyring.learn(proofs, wrapping.id)
    if keyring.missing and keyring.missing != before:
        log().error("keys.missing", ids=",".join(keyring.missing), source=keyring.source.name)
    return True


def keys_to_tell(database: Database, keyring: Keyring) -> str:
    """What a process writes beside its heartbeat: the ids that it has, the one that it wraps with first."""
    with database.reading() as tx:
        learn_keys(tx, keyring)
    return ",".join(keyring.here)


def lacking_keys(tx: Transaction, key_ids: Collection[str]) -> dict[str, list[str]]:
    """Live processes by their ids, each with those of the keys that it has not said it has."""
    told = {process.id: keys_of(process) for process in live_processes(tx)}
    lacking = {name: [key_id for key_id in key_ids if key_id not in here] for name, here in told.items()}
    return {name: missing for name, missing in lacking.items() if missing}


def keys_of(process: LiveProcess) -> list[str]:
    """The one that it wraps with first."""
    return process.key_ids.split(",") if process.key_ids else []


def missing_keys(tx: Transaction, keyring: Keyring, now: datetime) -> str:
    """Which of the known keys this process lacks, or another one. A key that was just announced has to get about: until
    then only this process, which has just looked for it, says so."""
    learn_keys(tx, keyring)
    if keyring.missing:
        return f"{', '.join(keyring.missing)}, here"
    older = [key.id for key in known_keys(tx) if key.announced_at < now - TO_GET_ABOUT]
    return "; ".join(f"{', '.join(keys)}, on {name}" for name, keys in lacking_keys(tx, older).items())
