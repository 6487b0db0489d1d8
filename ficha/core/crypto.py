"""Envelope encryption: data keys encrypt content, and a replaceable master key encrypts (wraps) the data keys."""

import secrets
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Lock, Thread
from typing import NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from ficha.core.errors import FichaError
from ficha.core.key_sources import (
    KEY_BYTES,
    BadKeys,
    KeyFile,
    KeySource,
    create_key_file,
    key_source_of,
)
from ficha.core.log import log
from ficha.core.settings import Settings

# A command that fetches keys is not run for every request that misses one.
FETCH_SECONDS = 5.0
NONCE_BYTES = 12


class Tampered(Exception):
    """An encrypted value does not open: altered, moved elsewhere, or sealed with another key."""


class Wrapped(NamedTuple):
    """A data key as it is stored: the id of the master key that encrypted it, and the encrypted bytes."""

    key_id: str
    sealed: bytes


def new_key() -> bytes:
    return secrets.token_bytes(KEY_BYTES)


def seal(key: bytes, plain: bytes, bound_to: str) -> bytes:
    """Encrypts with AES-256-GCM. `bound_to` says where the bytes are stored: bound to another they do not open."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, plain, bound_to.encode())


def cipher_of(key: bytes) -> AESGCM:
    """For whoever opens much with one key: making it ready takes longer than opening a document."""
    return AESGCM(key)


def unseal(key: bytes | AESGCM, sealed: bytes, bound_to: str) -> bytes:
    """Decrypts. Raises Tampered if the bytes, the key or what they are bound to differ."""
    try:
        cipher = AESGCM(key) if isinstance(key, bytes) else key
        return cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], bound_to.encode())
    except (InvalidTag, ValueError) as error:
        raise Tampered(bound_to) from error


class MasterKeyMissing(FichaError):
    """This process lacks a master key that others have. It has asked for its keys again; until they come, others may
    answer in its place."""

    status = 503
    code = "falta_clave_maestra"
    message = "A este servidor le falta por ahora la clave que abre estos datos. Vuelva a probar en unos segundos."
    headers = {"Retry-After": "2"}  # noqa: RUF012

    def __init__(self, key_id: str) -> None:
        super().__init__(f"no master key called {key_id}")
        self.key_id = key_id


def proof_bound_to(key_id: str) -> str:
    return f"master key:{key_id}"


class Keyring:
    """The master keys, newest first. The source may bring others while the service runs; when it cannot be read, those
    that were read before stay. Which of them wraps is said by the database (core/master_keys.py), so that no process
    uses a key that others do not have; a keyring that nobody told wraps with its newest."""

    def __init__(self, source: KeySource) -> None:
        """Raises BadKeys."""
        self.source = source
        self._keys = source.load()
        self._wrapping: str | None = None
        self._lock = Lock()
        self._fetch_at = 0.0
        self._fault = ""
        self._proofs: Mapping[str, bytes] = {}

    @classmethod
    def from_file(cls, file: Path, *, in_production: bool = False) -> "Keyring":
        """From the key file, which is created here in development and by `ficha keys create` in production.

        Raises BadKeys.
        """
        if not in_production and not file.exists():
            create_key_file(file, made_for="development")
        return cls(KeyFile(file, in_production=in_production))

    @property
    def current(self) -> str:
        """The id of the key that wraps new data keys."""
        self._refresh()
        return self._wrapping or next(iter(self._keys))

    @property
    def ids(self) -> list[str]:
        self._refresh()
        return list(self._keys)

    @property
    def file(self) -> Path | None:
        return self.source.file if isinstance(self.source, KeyFile) else None

    @property
    def here(self) -> list[str]:
        """Of those that the database knows, the ones that this process has. The one that wraps comes first."""
        known = [key_id for key_id in self._proofs if key_id in self._keys]
        return sorted(known, key=lambda key_id: key_id != self._wrapping)

    @property
    def missing(self) -> list[str]:
        return [key_id for key_id in self._proofs if key_id not in self._keys]

    @property
    def can_wrap(self) -> bool:
        return self.current in self._keys

    def learn(self, proofs: Mapping[str, bytes], wrapping: str) -> None:
        """What the database says: the keys that it knows, and which of them wraps. Those that are missing here are
        fetched."""
        self._proofs, self._wrapping = proofs, wrapping
        self._keys = self._genuine(self._keys)
        if self.missing:
            self.fetch_again()

    def wrap(self, data_key: bytes, bound_to: str) -> Wrapped:
        """Raises MasterKeyMissing."""
        key_id = self.current
        return Wrapped(key_id, seal(self._key(key_id), data_key, bound_to))

    def unwrap(self, wrapped: Wrapped, bound_to: str) -> bytes:
        """Raises Tampered if it does not open, MasterKeyMissing if its master key is not here."""
        return unseal(self._key(wrapped.key_id), wrapped.sealed, bound_to)

    def proof_of(self, key_id: str) -> bytes:
        """Opens with this very key only: two machines may call different keys by one id."""
        return seal(self._key(key_id), b"", proof_bound_to(key_id))

    def fetch_again(self) -> None:
        """For a key that is missing. A file is read at once. A command runs in a thread of its own, because who needs
        the key may be on the event loop, and not more often than every FETCH_SECONDS."""
        if not self.source.is_slow:
            self._refresh()
        elif time.monotonic() >= self._fetch_at:
            self._fetch_at = time.monotonic() + FETCH_SECONDS
            Thread(target=self._load, name="fetch-keys", daemon=True).start()

    def _key(self, key_id: str) -> bytes:
        if key_id not in self._keys:
            self.fetch_again()
        try:
            return self._keys[key_id]
        except KeyError:
            raise MasterKeyMissing(key_id) from None

    def _refresh(self) -> None:
        if self.source.has_changed():
            self._load()

    def _load(self) -> None:
        with self._lock:
            try:
                self._keys, self._fault = self._genuine(self.source.load()), ""
            except BadKeys as fault:
                if str(fault) != self._fault:  # Once: it may be met by every request.
                    log().error("keys.not_read", why=str(fault))
                self._fault = str(fault)

    def _genuine(self, keys: dict[str, bytes]) -> dict[str, bytes]:
        """Without those that only have the id of one that the database knows."""
        return {key_id: key for key_id, key in keys.items() if self._is_genuine(key_id, key)}

    def _is_genuine(self, key_id: str, key: bytes) -> bool:
        try:
            unseal(key, self._proofs[key_id], proof_bound_to(key_id))
        except KeyError:
            return True
        except Tampered:
            log().error("keys.not_the_same", key_id=key_id)
            return False
        return True


def keyring_of(settings: Settings) -> Keyring:
    """Raises BadKeys."""
    source = key_source_of(settings)
    if isinstance(source, KeyFile):
        return Keyring.from_file(source.file, in_production=settings.in_production)
    return Keyring(source)


class EncryptedTempFile:
    """Written piece by piece, then read once. For a file that must be complete before its first byte is sent on."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  Closed by whoever reads it to its end.
        self._key = new_key()
        self._lengths: list[int] = []
        self.size = 0

    def add(self, piece: bytes) -> None:
        sealed = seal(self._key, piece, str(len(self._lengths)))
        self._file.write(sealed)
        self._lengths.append(len(sealed))
        self.size += len(piece)

    def pieces(self) -> Iterator[bytes]:
        """Can be read once: the file is deleted afterwards."""
        try:
            self._file.seek(0)
            for number, length in enumerate(self._lengths):
                yield unseal(self._key, self._file.read(length), str(number))
        finally:
            self.close()

    def close(self) -> None:
        self._file.close()
