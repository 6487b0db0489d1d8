"""Which files belong to a backup, and where each is put back."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from ficha.core.settings import Settings

FILES, ANCHORS, READS, KEYS = "files", "anchors", "reads", "keys/keys.json"
BEFORE = "before-restore-"
# Counts of the processes that run now; mails and messages of the sandbox, in clear, which were sent to nobody; and
# rosters in clear, for as long as they are read.
LEFT_OUT = ("metrics", "sandbox", "nominas")


def stored_files(settings: Settings) -> dict[str, Path]:
    """Everything in the data folder but the database, the keys, what has a member of its own, and what is unfinished:
    by the house's habit, that has a name which begins with a dot."""
    found = _below(settings.data_dir, FILES)
    return {name: path for name, path in found if not _is_left_out(settings, path)}


def anchor_files(settings: Settings) -> dict[str, Path]:
    return dict(_below(settings.anchor_path, ANCHORS))


def read_log_folder(settings: Settings) -> Path:
    return settings.data_dir / READS


def copy_pending_reads(settings: Settings, folder: Path) -> None:
    """What the service has noted and not yet written to the log. Files only grow: of two copies, the later has all."""
    folder.mkdir(exist_ok=True)
    for file in read_log_folder(settings).glob("*.reads"):
        try:
            shutil.copyfile(file, folder / file.name)
        except FileNotFoundError:  # In the log by now.
            continue


def place_of(settings: Settings, name: str) -> Path:
    """Where a member of `files/` or `anchors/` belongs."""
    folder, _, rest = name.partition("/")
    return (settings.anchor_path if folder == ANCHORS else settings.data_dir) / rest


def database_file(settings: Settings) -> Path:
    """Of SQLite."""
    return Path(settings.database.removeprefix("sqlite:///"))


def _below(folder: Path, name: str) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder)
        if path.is_file() and not path.is_symlink() and not any(part.startswith(".") for part in inner.parts):
            yield f"{name}/{inner.as_posix()}", path


def _is_left_out(settings: Settings, path: Path) -> bool:
    first = path.relative_to(settings.data_dir).parts[0]
    if first in (*LEFT_OUT, READS) or BEFORE in first or path == settings.key_path:
        return True
    if path.is_relative_to(settings.anchor_path):
        return True
    file = database_file(settings)
    return settings.database.startswith("sqlite") and path.parent == file.parent and path.name.startswith(file.name)
