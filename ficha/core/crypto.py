"""Envelope encryption: small data keys, each wrapped by a master key that has an id and can be replaced."""

import base64
import json
import os
import secrets
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES = 32
NONCE_BYTES = 12


class BadKeys(Exception):
    """The master keys are missing, unreadable or not fit for where they are used. The message says which."""


class Tampered(Exception):
    """A sealed value does not open: altered, moved to another place, or under a key we do not have."""


@dataclass(frozen=True)
class Wrapped:
    """A data key as it is stored: which master key closes it, and the closed bytes."""

    key_id: str
    sealed: bytes


def new_key() -> bytes:
    return secrets.token_bytes(KEY_BYTES)


def seal(key: bytes, plain: bytes, place: str) -> bytes:
    """AES-256-GCM with a fresh nonce. `place` is bound in: the bytes open nowhere else."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, plain, place.encode())


def unseal(key: bytes, sealed: bytes, place: str) -> bytes:
    try:
        return AESGCM(key).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], place.encode())
    except (InvalidTag, ValueError) as error:
        raise Tampered(place) from error


class Keyring:
    """The master keys, newest first. Read from a setting, or from a key file that may change while we run."""

    def __init__(self, keys: dict[str, bytes], file: Path | None = None) -> None:
        self._keys = keys
        self._file = file
        self._seen = _stamp(file)
        self._lock = Lock()

    @classmethod
    def from_text(cls, text: str) -> "Keyring":
        """`id:base64,id:base64`, newest first."""
        keys = {}
        for pair in filter(None, (part.strip() for part in text.split(","))):
            key_id, separator, encoded = pair.partition(":")
            if not separator:
                raise BadKeys("FICHA_MASTER_KEYS must hold id:base64 pairs, comma-separated.")
            keys[key_id] = _decoded(key_id, encoded)
        if not keys:
            raise BadKeys("FICHA_MASTER_KEYS holds no key.")
        return cls(keys)

    @classmethod
    def from_file(cls, file: Path, *, in_production: bool = False) -> "Keyring":
        """The key file; in development it is made on first start, in production by `ficha keys create`."""
        if not file.exists():
            if in_production:
                raise BadKeys(f"There is no key file at {file}. Make one with `ficha keys create`, and back it up.")
            create_key_file(file, made_for="development")
        if file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise BadKeys(f"{file} can be read by others. Run: chmod 600 {file}")
        if in_production and _read(file).get("made_for") != "production":
            raise BadKeys(f"{file} was made in development. Production needs its own: `ficha keys create`.")
        return cls(_keys_of(file), file)

    @property
    def current(self) -> str:
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
        if wrapped.key_id not in self._keys:
            self._refresh()
        try:
            master = self._keys[wrapped.key_id]
        except KeyError:
            raise Tampered(f"{place}: no master key called {wrapped.key_id}") from None
        return unseal(master, wrapped.sealed, place)

    def _refresh(self) -> None:
        """Another process may have added a key: looking at the file's stamp costs a microsecond."""
        if self._file is None:
            return
        stamp = _stamp(self._file)
        if stamp == self._seen:
            return
        with self._lock:
            self._keys, self._seen = _keys_of(self._file), stamp


def create_key_file(file: Path, *, made_for: str) -> None:
    """A new file with one key. Two processes may start at once: the first to link it wins."""
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = _written(file, {"made_for": made_for, "keys": [_fresh_entry()]})
    try:
        os.link(temporary, file)
    except FileExistsError:
        pass
    finally:
        temporary.unlink()


def add_key(file: Path) -> str:
    """Puts a new key in front of the others and returns its id. Readers see the old file or the new one."""
    content = _read(file)
    entry = _fresh_entry()
    content["keys"] = [entry, *_entries(content)]
    _written(file, content).replace(file)
    return entry["id"]


def drop_keys(file: Path, ids: set[str]) -> None:
    content = _read(file)
    content["keys"] = [entry for entry in _entries(content) if entry["id"] not in ids]
    _written(file, content).replace(file)


def _fresh_entry() -> dict[str, str]:
    return {"id": secrets.token_hex(4), "key": base64.b64encode(new_key()).decode()}


def _written(file: Path, content: dict[str, object]) -> Path:
    """The content in a temporary file beside `file`, mode 0600 and on disk."""
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


def _keys_of(file: Path) -> dict[str, bytes]:
    keys = {entry["id"]: _decoded(entry["id"], entry["key"]) for entry in _entries(_read(file))}
    if not keys:
        raise BadKeys(f"{file} holds no key.")
    return keys


def _decoded(key_id: str, encoded: str) -> bytes:
    try:
        key = base64.b64decode(encoded, validate=True)
    except ValueError:
        raise BadKeys(f"Master key {key_id} is not base64.") from None
    if len(key) != KEY_BYTES:
        raise BadKeys(f"Master key {key_id} has {len(key)} bytes and must have {KEY_BYTES}.")
    return key


def _stamp(file: Path | None) -> tuple[int, int] | None:
    if file is None:
        return None
    status = file.stat()
    return status.st_mtime_ns, status.st_ino
