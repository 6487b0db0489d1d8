"""Envelope encryption: data keys encrypt content, and a replaceable master key encrypts (wraps) the data keys. The
master keys are in a file that is created once, readable by its owner only, and replaced as a whole."""

import base64
import json
import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES = 32


class BadKeys(Exception):
    """The master keys are missing, unreadable or not fit for where they are used. The message says which."""


def create_key_file(file: Path, *, made_for: str) -> None:
    """Creates the file with one key. If it exists already, or another process is quicker, nothing changes."""
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = _write_temporary(file, {"made_for": made_for, "keys": [_new_entry()]})
    try:
        os.link(temporary, file)
    except FileExistsError:
        pass
    finally:
        temporary.unlink()


def add_key(file: Path) -> str:
    """Adds a new key before the others and returns its id. Readers see the old file or the new one."""
    content = _read(file)
    entry = _new_entry()
    content["keys"] = [entry, *_entries(content)]
    _write_temporary(file, content).replace(file)
    return entry["id"]


def keys_replaced_before(file: Path, moment: datetime) -> set[str]:
    """The ids of keys whose successor was made before that moment. Files of older versions do not say when."""
    entries = _entries(_read(file))
    return {
        older["id"]
        for newer, older in pairwise(entries)
        if "made_at" in newer and datetime.fromisoformat(newer["made_at"]) < moment
    }


def drop_keys(file: Path, ids: set[str]) -> None:
    content = _read(file)
    content["keys"] = [entry for entry in _entries(content) if entry["id"] not in ids]
    _write_temporary(file, content).replace(file)


def _new_entry() -> dict[str, str]:
    key = base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode()
    return {"id": secrets.token_hex(4), "key": key, "made_at": datetime.now(UTC).isoformat(timespec="seconds")}


def _write_temporary(file: Path, content: dict[str, object]) -> Path:
    """Writes the content to a temporary file in the same folder, mode 0600, and waits until it is on disk."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    with os.fdopen(handle, "w") as stream:
        json.dump(content, stream, indent=2)
        stream.flush()
        os.fsync(stream.fileno())
    return Path(name)


def _read(file: Path) -> dict[str, object]:
    try:
        content = json.loads(file.read_text())
    except ValueError:
        raise BadKeys(f"{file} is not a key file.") from None
    if not isinstance(content, dict):
        raise BadKeys(f"{file} is not a key file.")
    return content


def _entries(content: dict[str, object]) -> list[dict[str, str]]:
    entries = content.get("keys")
    return entries if isinstance(entries, list) else []


def made_for(file: Path) -> object:
    """`development` or `production`."""
    return _read(file).get("made_for")


def keys_in(file: Path) -> dict[str, bytes]:
    """The keys by id, newest first. Raises BadKeys."""
    try:
        keys = {entry["id"]: parse_key(entry["id"], entry["key"]) for entry in _entries(_read(file))}
    except (KeyError, TypeError):
        raise BadKeys(f"{file} is not a key file.") from None
    if not keys:
        raise BadKeys(f"{file} holds no key.")
    return keys


def parse_key(key_id: str, encoded: str) -> bytes:
    try:
        key = base64.b64decode(encoded, validate=True)
    except ValueError:
        raise BadKeys(f"Master key {key_id} is not base64.") from None
    if len(key) != KEY_BYTES:
        raise BadKeys(f"Master key {key_id} has {len(key)} bytes and must have {KEY_BYTES}.")
    return key


def file_stamp(file: Path) -> tuple[int, int]:
    """Changes whenever the file is replaced."""
    status = file.stat()
    return status.st_mtime_ns, status.st_ino


NONCE_BYTES = 12


class Tampered(Exception):
    """An encrypted value does not open: altered, moved elsewhere, or under a key that we do not have."""


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

    def wrap(self, data_key: bytes, bound_to: str) -> Wrapped:
        key_id = self.current
        return Wrapped(key_id, seal(self._keys[key_id], data_key, bound_to))

    def unwrap(self, wrapped: Wrapped, bound_to: str) -> bytes:
        """Raises Tampered if it does not open, or if its master key is gone."""
        if wrapped.key_id not in self._keys:
            self._refresh()
        try:
            master = self._keys[wrapped.key_id]
        except KeyError:
            raise Tampered(f"{bound_to}: no master key called {wrapped.key_id}") from None
        return unseal(master, wrapped.sealed, bound_to)

    def _refresh(self) -> None:
        """Reads the file again if another process changed it. Looking at its stamp takes a microsecond."""
        if self._file is None:
            return
        stamp = file_stamp(self._file)
        if stamp == self._stamp:
            return
        with self._lock:
            self._keys, self._stamp = keys_in(self._file), stamp


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
