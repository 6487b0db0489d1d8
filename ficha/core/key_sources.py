"""Where master keys come from: a key file, the environment, or a command that prints them. The file is created once,
readable by its owner only, and replaced as a whole."""

import base64
import json
import os
import secrets
import shlex
import signal
import stat
import subprocess
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Protocol

from ficha.core.settings import Settings

KEY_BYTES = 32
# As long as the columns that name a data key's master key.
ID_LENGTH = 64


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
    try:
        with os.fdopen(handle, "w") as stream:
            json.dump(content, stream, indent=2)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:  # As of a full disk. Half of a key file is of no use to anybody.
        Path(name).unlink()
        raise OSError(error.errno, error.strerror, str(file)) from None
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
        keys = {entry["id"]: parse_key(f"Master key {entry['id']}", entry["key"]) for entry in _entries(_read(file))}
    except (KeyError, TypeError):
        raise BadKeys(f"{file} is not a key file.") from None
    if not keys:
        raise BadKeys(f"{file} holds no key.")
    return keys


def keys_in_text(text: str, source: str) -> dict[str, bytes]:
    """From `id:base64` pairs, newest first, one per line or comma-separated. Raises BadKeys, whose sentence quotes
    nothing of them: what stands in the place of an id may be a key."""
    keys: dict[str, bytes] = {}
    pairs = [part.strip() for line in text.splitlines() for part in line.split(",")]
    for number, pair in enumerate(filter(None, pairs), 1):
        key_id, separator, encoded = pair.partition(":")
        if not separator or not 0 < len(key_id) <= ID_LENGTH:
            raise BadKeys(
                f"{source} must hold id:base64 pairs, comma-separated or one per line. Number {number} is none."
            )
        if key_id in keys:
            raise BadKeys(f"{source} has the id of its key number {number} twice.")
        keys[key_id] = parse_key(f"Key number {number} of {source}", encoded)
    if not keys:
        raise BadKeys(f"{source} holds no key.")
    return keys


def parse_key(name: str, encoded: str) -> bytes:
    try:
        key = base64.b64decode(encoded, validate=True)
    except ValueError:
        raise BadKeys(f"{name} is not base64.") from None
    if len(key) != KEY_BYTES:
        raise BadKeys(f"{name} has {len(key)} bytes and must have {KEY_BYTES}.")
    return key


class KeySource(Protocol):
    """`name` is what sentences call it. `is_slow`: whether asking again takes so long that nobody may wait for it."""

    name: str
    is_slow: bool

    def load(self) -> dict[str, bytes]:
        """The keys by id, newest first. Raises BadKeys."""

    def has_changed(self) -> bool:
        """Whether loading again may give others; quick to ask."""


class KeyFile:
    is_slow = False

    def __init__(self, file: Path, *, in_production: bool = False) -> None:
        self.file, self.name = file, str(file)
        self._in_production = in_production
        self._stamp: tuple[int, ...] | None = None

    def load(self) -> dict[str, bytes]:
        """It may be replaced while it is read, or half copied: whoever could not read it finds it changed again."""
        self._stamp = None
        try:
            stamp, mode = file_stamp(self.file), self.file.stat().st_mode
            if mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise BadKeys(f"{self.file} can be read by others. Run: chmod 600 {self.file}")
            if self._in_production and made_for(self.file) != "production":
                raise BadKeys(f"{self.file} was made in development. Production needs its own: `ficha keys create`.")
            keys = keys_in(self.file)
        except FileNotFoundError:
            raise BadKeys(
                f"There is no key file at {self.file}. Make one with `ficha keys create`, and back it up; if the"
                " service runs on other machines already, copy theirs."
            ) from None
        except OSError as fault:
            raise BadKeys(f"{self.file} cannot be read: {fault.strerror}.") from None
        self._stamp = stamp
        return keys

    def has_changed(self) -> bool:
        """Looking at its stamp takes a microsecond."""
        try:
            return file_stamp(self.file) != self._stamp
        except OSError:
            return True


def file_stamp(file: Path) -> tuple[int, ...]:
    """Changes whenever the file is replaced."""
    status = file.stat()
    return status.st_mtime_ns, status.st_ino, status.st_size


class KeysInEnvironment:
    """What a process was started with: only a restart brings others."""

    name = "FICHA_MASTER_KEYS"
    is_slow = False

    def __init__(self, text: str) -> None:
        self._text = text

    def load(self) -> dict[str, bytes]:
        return keys_in_text(self._text, self.name)

    def has_changed(self) -> bool:
        return False


class KeyCommand:
    """Runs without a shell. Nothing that it prints is written anywhere, also not what it says of its failure: that
    may quote a token."""

    name = "FICHA_MASTER_KEYS_COMMAND"
    is_slow = True

    def __init__(self, command: str, seconds: float) -> None:
        self._command, self._seconds = command, seconds

    def load(self) -> dict[str, bytes]:
        return keys_in_text(self._output(), f"What {self.name} prints")

    def has_changed(self) -> bool:
        return False

    def _output(self) -> str:
        try:
            process = subprocess.Popen(  # noqa: S603  Whoever sets it runs the service.
                shlex.split(self._command),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # So that its own children can be ended with it.
            )
        except (OSError, ValueError) as fault:
            why = fault.strerror if isinstance(fault, OSError) else str(fault)
            raise BadKeys(f"{self.name} cannot be started: {why}.") from None
        with process:
            try:
                output, _ = process.communicate(timeout=self._seconds)
            except BaseException as fault:  # Ctrl-C too: neither it nor its children outlive this.
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                if isinstance(fault, subprocess.TimeoutExpired):
                    raise BadKeys(f"{self.name} did not end within {self._seconds:g} seconds.") from None
                raise
        if process.returncode != 0:
            raise BadKeys(f"{self.name} ended with exit code {process.returncode}. Run it by hand to see why.")
        try:
            return output.decode()
        except UnicodeDecodeError:
            raise BadKeys(f"What {self.name} prints is not text.") from None


def key_source_of(settings: Settings) -> KeySource:
    """Raises BadKeys if two are named."""
    text, command = settings.master_keys.get_secret_value(), settings.master_keys_command.get_secret_value()
    if text and command:
        raise BadKeys("FICHA_MASTER_KEYS and FICHA_MASTER_KEYS_COMMAND are both set. Keep one of them.")
    if text:
        return KeysInEnvironment(text)
    if command:
        return KeyCommand(command, settings.master_keys_seconds)
    return KeyFile(settings.key_path, in_production=settings.in_production)
