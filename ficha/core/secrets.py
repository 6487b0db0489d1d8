"""Secrets of the service itself: one random secret, stored wrapped by the master key, and others derived from it."""

import hashlib
import hmac
from abc import abstractmethod
from datetime import datetime
from threading import Lock
from typing import cast

from sqlalchemy import LargeBinary, String, Table, bindparam, insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.clock import Clock
from ficha.core.crypto import Keyring, MasterKeyMissing, Tampered, Wrapped, new_key, seal, unseal
from ficha.core.db import Base, Database, Utc
from ficha.core.key_sources import BadKeys
from ficha.core.master_keys import announce_key, learn_keys, start_wrapping
from ficha.core.prepared import Prepared


class HasDataKey:
    """A row with a data key. `ficha keys rotate` wraps the keys of all such tables again."""

    key_id: Mapped[str | None] = mapped_column(String(64), index=True)
    wrapped_key: Mapped[bytes | None] = mapped_column(LargeBinary)

    @property
    @abstractmethod
    def key_bound_to(self) -> str:
        """Part of the encryption, so that a key copied to another row does not open."""

    def store_key(self, keyring: Keyring, data_key: bytes) -> None:
        wrapped = keyring.wrap(data_key, self.key_bound_to)
        self.key_id, self.wrapped_key = wrapped.key_id, wrapped.sealed

    def open_key(self, keyring: Keyring) -> bytes:
        """Raises KeyDestroyed, or Tampered if it does not open."""
        return opened_key(keyring, self.key_id, self.wrapped_key, self.key_bound_to)

    def destroy_key(self) -> None:
        self.key_id = self.wrapped_key = None


class KeyDestroyed(Exception):
    """The key was destroyed to erase what it encrypted: nobody can read that any more."""


def opened_key(keyring: Keyring, key_id: str | None, wrapped_key: bytes | None, bound_to: str) -> bytes:
    """Of a row that was read without its class. Raises KeyDestroyed, or Tampered if it does not open."""
    if key_id is None or wrapped_key is None:
        raise KeyDestroyed(bound_to)
    return keyring.unwrap(Wrapped(key_id, wrapped_key), bound_to)


def secret_bound_to(name: str) -> str:
    return f"secret:{name}"


class Secret(HasDataKey, Base):
    __tablename__ = "secrets"

    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    created_at: Mapped[datetime] = mapped_column(Utc)

    @property
    def key_bound_to(self) -> str:
        return secret_bound_to(self.name)


_secrets = cast(Table, Secret.__table__)
_READ = Prepared(select(_secrets.c.key_id, _secrets.c.wrapped_key).where(_secrets.c.name == bindparam("wanted")))
_ADD = Prepared(insert(_secrets), ("name", "created_at", "key_id", "wrapped_key"))
ROOT = "root"
ROOT_BOUND_TO = secret_bound_to(ROOT)


class Secrets:
    """Secrets by name, all derived from the stored root. Rotating the master key does not change them."""

    def __init__(self, database: Database, keyring: Keyring, clock: Clock) -> None:
        self._database = database
        self._keyring = keyring
        self._clock = clock
        self._root: bytes | None = None
        self._lock = Lock()

    def ensure_root(self) -> None:
        """Creates the root if there is none, and learns which master key wraps. Called at start: later, a caller may
        hold the lock that this needs. Raises BadKeys if the keys here are not those of the database."""
        if self._root is not None:
            return
        try:
            self._root = self._read()
            self._learn_keys()
            self._root = self._root or self._read()
        except MasterKeyMissing as fault:
            raise self._other_keys(fault.key_id) from None
        except Tampered:
            raise self._other_keys(self._keyring.current) from None
        if not self._keyring.can_wrap:
            raise self._other_keys(self._keyring.current)

    def _learn_keys(self) -> None:
        """The first process of all writes down its key together with the root: of several that start at once with
        different keys, one wins. It has opened the root if there is one: its key is the right one."""
        with self._database.reading() as tx:
            if learn_keys(tx, self._keyring) and self._root is not None:
                return
        try:
            with self._database.writing() as tx:
                now, found = self._clock.now(), tx.first(_READ, wanted=ROOT)
                if not learn_keys(tx, self._keyring):
                    first = self._keyring.current if found is None else found.key_id
                    announce_key(tx, self._keyring, first, now)
                    start_wrapping(tx, first, now)
                    learn_keys(tx, self._keyring)
                if found is None:
                    key_id, sealed = self._keyring.wrap(new_key(), ROOT_BOUND_TO)
                    tx.run(_ADD, name=ROOT, created_at=now, key_id=key_id, wrapped_key=sealed)
        except IntegrityError:  # Another process was quicker.
            with self._database.reading() as tx:
                learn_keys(tx, self._keyring)

    def _other_keys(self, key_id: str) -> BadKeys:
        return BadKeys(
            f"The database is under master key {key_id}, and {self._keyring.source.name} does not have it, or another"
            " by that name. Bring the keys of the other machines here (docs/keys.md)."
        )

    def derive(self, name: str) -> bytes:
        """The secret of that name, always the same. Raises KeyDestroyed if there is no root."""
        with self._lock:
            if self._root is None:
                self._root = self._read()
            if self._root is None:
                raise KeyDestroyed("secret:root was never made; call ensure_root() at start")
        return hmac.new(self._root, f"ficha:{name}".encode(), hashlib.sha256).digest()

    def keyed_hash(self, name: str, value: str) -> bytes:
        """An HMAC, for values that must be compared but are too short or too private for a plain hash."""
        return hmac.new(self.derive(name), value.encode(), hashlib.sha256).digest()

    def seal(self, name: str, plain: bytes, bound_to: str) -> bytes:
        return seal(self.derive(name), plain, bound_to)

    def unseal(self, name: str, sealed: bytes, bound_to: str) -> bytes:
        return unseal(self.derive(name), sealed, bound_to)

    def _read(self) -> bytes | None:
        with self._database.reading() as tx:
            found = tx.first(_READ, wanted=ROOT)
            return None if found is None else opened_key(self._keyring, found.key_id, found.wrapped_key, ROOT_BOUND_TO)
