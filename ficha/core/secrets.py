"""Secrets of the service itself, made at random on first use and stored wrapped by the master key."""

import hashlib
import hmac
from abc import abstractmethod
from datetime import datetime
from threading import Lock

from sqlalchemy import LargeBinary, String
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.clock import Clock
from ficha.core.crypto import Keyring, Wrapped, new_key, seal, unseal
from ficha.core.db import Base, Database, Utc


class HasDataKey:
    """A row that owns a data key. `ficha keys rotate` re-wraps every table built with this."""

    key_id: Mapped[str | None] = mapped_column(String(64), index=True)
    wrapped_key: Mapped[bytes | None] = mapped_column(LargeBinary)

    @property
    @abstractmethod
    def key_place(self) -> str:
        """Bound into the wrapping, so that a key copied to another row does not open."""

    def keep_key(self, keyring: Keyring, data_key: bytes) -> None:
        wrapped = keyring.wrap(data_key, self.key_place)
        self.key_id, self.wrapped_key = wrapped.key_id, wrapped.sealed

    def open_key(self, keyring: Keyring) -> bytes:
        if self.key_id is None or self.wrapped_key is None:
            raise KeyDestroyed(self.key_place)
        return keyring.unwrap(Wrapped(self.key_id, self.wrapped_key), self.key_place)

    def destroy_key(self) -> None:
        self.key_id = self.wrapped_key = None


class KeyDestroyed(Exception):
    """What this key closed was erased, and nobody can open it again."""


class Secret(HasDataKey, Base):
    __tablename__ = "secrets"

    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    created_at: Mapped[datetime] = mapped_column(Utc)

    @property
    def key_place(self) -> str:
        return f"secret:{self.name}"


class Secrets:
    """Named secrets, all derived from one that is stored. They outlive every rotation of the master key."""

    ROOT = "root"

    def __init__(self, database: Database, keyring: Keyring, clock: Clock) -> None:
        self._database = database
        self._keyring = keyring
        self._clock = clock
        self._root: bytes | None = None
        self._lock = Lock()

    def ensure(self) -> None:
        """Makes the root if there is none. Called at start: later, a caller may hold the lock that this needs."""
        if self._read() is None:
            try:
                with self._database.writing() as session:
                    secret = Secret(name=self.ROOT, created_at=self._clock.now())
                    secret.keep_key(self._keyring, new_key())
                    session.add(secret)
            except IntegrityError:
                pass  # Another process made it first: theirs counts.

    def named(self, name: str) -> bytes:
        with self._lock:
            if self._root is None:
                self._root = self._read()
            if self._root is None:
                raise KeyDestroyed("secret:root was never made; call ensure() at start")
        return hmac.new(self._root, f"ficha:{name}".encode(), hashlib.sha256).digest()

    def keyed_hash(self, name: str, value: str) -> bytes:
        """For what must be searched or compared but is too short or too private for a plain hash."""
        return hmac.new(self.named(name), value.encode(), hashlib.sha256).digest()

    def seal(self, name: str, plain: bytes, place: str) -> bytes:
        return seal(self.named(name), plain, place)

    def unseal(self, name: str, sealed: bytes, place: str) -> bytes:
        return unseal(self.named(name), sealed, place)

    def _read(self) -> bytes | None:
        with self._database.reading() as session:
            secret = session.get(Secret, self.ROOT)
            return None if secret is None else secret.open_key(self._keyring)
