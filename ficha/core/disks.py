"""What a disk says of itself. Libraries only say that a file cannot be opened or written, for whatever reason."""

import errno
import os
import shutil
import tempfile
from pathlib import Path

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})
# SQLite needs half of this beside its file before it reads anything.
LITTLE = 64 * 1024
TRIED = bytes(4096)


def is_full(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < LITTLE
    except OSError:
        return False


def is_read_only(folder: Path) -> bool:
    try:
        return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except OSError:
        return False


def can_be_written(folder: Path) -> bool:
    """Tries it, with a file that nobody sees."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(TRIED)
            file.flush()
    except OSError:
        return False
    return True
