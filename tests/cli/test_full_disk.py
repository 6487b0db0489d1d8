"""Commands on a disk that is really full, or read-only: a small one of its own, which nobody else sees."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ficha.backup.making import make_backup
from tests.backup.conftest import silent
from tests.processes import environment
from tests.world import World

pytestmark = [pytest.mark.slow, pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)]

# What is mounted in a namespace is gone with it, however this ends.
MOUNTED = """
mount -t tmpfs -o size=8m tmpfs {disk} && cp -a {data}/. {disk} || exit 99
fill() {{ cat /dev/zero > {disk}/everything 2>/dev/null; }}
ficha() {{ {python} -m ficha "$@"; echo "$?" >&2; }}
"""


class SmallDisk:
    def __init__(self, world: World, folder: Path) -> None:
        self.data, self.disk = folder / "here", folder / "disk"
        for made in (self.data, self.disk):
            made.mkdir()
        settings = world.parts.settings
        world.register()
        make_backup(world.parts, folder / "backup.zip", silent)
        world.parts.database.close()
        shutil.copy(settings.database.removeprefix("sqlite:///"), self.data / "ficha.db")
        shutil.copy(settings.key_path, self.data)

    def run(self, script: str, data: Path) -> list[str]:
        """What was said, and the exit code of each command."""
        unshare = ["unshare", "--map-root-user", "--mount"]
        if shutil.which("unshare") is None or subprocess.run([*unshare, "true"], check=False).returncode:
            pytest.skip("no namespace of one's own may be made here")
        whole = MOUNTED.format(disk=self.disk, data=self.data, python=sys.executable) + script
        done = subprocess.run(
            [*unshare, "sh", "-c", whole],
            env=environment(f"sqlite:///{data / 'ficha.db'}", data, PYTHONPATH=str(Path(__file__).parents[2])),
            capture_output=True,
            text=True,
            check=True,
        )
        return [line for line in done.stderr.splitlines() if line and "━" not in line and "-:--" not in line]


@pytest.fixture
def small(world: World, tmp_path: Path) -> SmallDisk:
    return SmallDisk(world, tmp_path)


def test_a_backup_to_a_full_disk_names_that_disk(small: SmallDisk) -> None:
    said = small.run(f"fill; ficha backup --to {small.disk}; ls -A {small.disk} >&2", small.data)
    full = f"The disk of {small.disk} is full. Nothing was changed: make room, then run it again."
    assert said == [full, "1", "everything", "ficha.db", "keys.json"], "and leaves nothing there"


def test_a_full_disk_is_not_called_a_broken_one(small: SmallDisk) -> None:
    """SQLite cannot make its own file beside the database, and says that it cannot read or write."""
    backup = small.disk.parent / "backup.zip"
    said = small.run(f"fill; ficha codes create --count 9; ficha restore {backup} --replace", small.disk)
    begun = "What was not finished is undone: make room, then run it again."
    assert said[:2] == [f"The disk of {small.disk / 'ficha.db'} is full. {begun}", "1"]
    assert said[2:] == [f"The disk of {small.disk} is full. Nothing was changed: make room, then run it again.", "1"]


def test_a_read_only_disk_is_called_so(small: SmallDisk) -> None:
    said = small.run(f"mount -o remount,ro {small.disk}; ficha codes create --count 9; ficha jobs list", small.disk)
    sentence = f"The database {small.disk / 'ficha.db'} is read-only: for this user, or because its disk is."
    assert said == [sentence, "1"] * 2


def test_half_a_key_file_is_not_left(small: SmallDisk) -> None:
    """The database is elsewhere and has room."""
    said = small.run(
        f"fill; FICHA_KEY_FILE={small.disk}/keys.json ficha keys announce; ls -A {small.disk} >&2", small.data
    )
    assert said == [f"{small.disk}/keys.json: No space left on device", "1", "everything", "ficha.db", "keys.json"]
