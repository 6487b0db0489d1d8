"""Envelope encryption: data keys encrypt content, and a replaceable master key encrypts (wraps) the data keys."""

import secrets
import stat
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from ficha.core.key_file import (
    KEY_BYTES,
    BadKeys,
    create_key_file,
    file_stamp,
    keys_in,
    made_for,
    parse_key,
)

NONCE_BYTES = 12


class Tampered(Exception):
    """An encrypted value does not open: altered, moved to another place, or under a key that we do not have."""


class Wrapped(NamedTuple):
    """A data key as it is stored: the id of the master key that encrypted it, and the encrypted bytes."""

    key_id: str
    sealed: bytes


def new_key() -> bytes:
    return secrets.token_bytes(KEY_BYTES)


def seal(key: bytes, plain: bytes, place: str) -> bytes:
    """Encrypts with AES-256-GCM. `place` says where the bytes are stored: with another place they do not open."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, plain, place.encode())


def cipher_of(key: bytes) -> AESGCM:
    """For whoever opens much with one key: making it ready takes longer than opening a document."""
    return AESGCM(key)


def unseal(key: bytes | AESGCM, sealed: bytes, place: str) -> bytes:
    """Decrypts. Raises Tampered if the bytes, the key or the place differ."""
    try:
        cipher = AESGCM(key) if isinstance(key, bytes) else key
        return cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], place.encode())
    except (InvalidTag, ValueError) as error:
        raise Tampered(place) from error


class Keyring:
    """The master keys, newest first, from a setting or from a key file that may change while the service runs."""

    def __init__(self, keys: dict[str, bytes], file: Path | None = None) -> None:
        self._keys = keys
        self._file = file
        self._stamp = file_stamp(file) if file else None
        self._lock = Lock()

    @classmethod
    def from_text(cls, text: str) -> "Keyring":
        """From `id:base64,id:base64`, newest first. Raises BadKeys."""
        keys = {}
        for pair in filter(None, (part.strip() for part in text.split(","))):
            key_id, separator, encoded = pair.partition(":")
            if not separator:
                raise BadKeys("FICHA_MASTER_KEYS must hold id:base64 pairs, comma-separated.")
            keys[key_id] = parse_key(key_id, encoded)
        if not keys:
            raise BadKeys("FICHA_MASTER_KEYS holds no key.")
        return cls(keys)

    @classmethod
    def from_file(cls, file: Path, *, in_production: bool = False) -> "Keyring":
        """From the key file, which is created here in development and by `ficha keys create` in production.

        Raises BadKeys.
        """
        if not file.exists():
            if in_production:
                raise BadKeys(f"There is no key file at {file}. Make one with `ficha keys create`, and back it up.")
            create_key_file(file, made_for="development")
        if file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise BadKeys(f"{file} can be read by others. Run: chmod 600 {file}")
        if in_production and made_for(file) != "production":
            raise BadKeys(f"{file} was made in development. Production needs its own: `ficha keys create`.")
        return cls(keys_in(file), file)

    @property
    def current(self) -> str:
        """The id of the newest key, which wraps new data keys."""
        self._refresh()
        return next(iter(self._keys))

    @property
    def ids(self) -> list[str]:
        self._refresh()
        return list(self._keys)

    @property
    def file(self) -> Path | None:
        return self._file

    def wrap(self, data_key: bytes, place: str) -> Wrapped:
        key_id = self.current
        return Wrapped(key_id, seal(self._keys[key_id], data_key, place))

    def unwrap(self, wrapped: Wrapped, place: str) -> bytes:
        """Raises Tampered if it does not open, or if its master key is gone."""
        if wrapped.key_id not in self._keys:
            self._refresh()
        try:
            master = self._keys[wrapped.key_id]
        except KeyError:
            raise Tampered(f"{place}: no master key called {wrapped.key_id}") from None
        return unseal(master, wrapped.sealed, place)

    def _refresh(self) -> None:
        """Reads the file again if another process changed it. Looking at its stamp takes a microsecond."""
        if self._file is None:
            return
        stamp = file_stamp(self._file)
        if stamp == self._stamp:
            return
        with self._lock:
            self._keys, self._stamp = keys_in(self._file), stamp
