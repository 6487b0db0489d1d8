"""The file of the master keys: created once, readable by its owner only, replaced as a whole."""

import base64
import json
import os
import secrets
import tempfile
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

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
    keys = {entry["id"]: parse_key(entry["id"], entry["key"]) for entry in _entries(_read(file))}
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
