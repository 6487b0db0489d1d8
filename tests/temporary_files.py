"""Where tests keep their files."""

import os
import shutil
import tempfile
from pathlib import Path

# Linux keeps what is written here in memory.
MEMORY = Path("/dev/shm")
ENOUGH_BYTES = 4_000_000_000


def keep_in_memory() -> None:
    """The service waits for the disk at each commit, so that an answer survives a power cut. No test cuts the power,
    and a disk may take milliseconds each time. Whoever sets TMPDIR chooses another place."""
    if "TMPDIR" in os.environ or not os.access(MEMORY, os.W_OK) or shutil.disk_usage(MEMORY).free < ENOUGH_BYTES:
        return
    os.environ["TMPDIR"] = str(MEMORY)  # Read by the processes that tests start, too.
    tempfile.tempdir = None  # Looked for anew.
