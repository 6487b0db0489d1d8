"""The wheel, built from this tree and installed in an environment of its own, far from it."""

import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]


def build_wheel(folder: Path) -> Path:
    """By the locked hatchling, which downloads nothing."""
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder), cwd=ROOT)
    [wheel] = folder.glob("*.whl")
    return wheel


class InstalledWheel:
    """A virtual environment without pip, into which nothing of this tree leads."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        self._wheel = wheel
        venv.create(folder, symlinks=True)
        self.bin = folder / "bin"
        [self._packages] = folder.glob("lib/python3*/site-packages")

    def install_lock(self) -> None:
        """As docs/deploy.md says for who wants what was tested: downloads everything."""
        self._pip("install", "-q", "--require-hashes", "-r", str(ROOT / "requirements" / "run.lock"))

    def link_dependencies(self, *extras: str) -> None:
        """Those that the wheel declares, and theirs, from where the tests run: to download 300 MB would take longer
        than all else. What is declared nowhere is not there."""
        for found in with_their_own(required_by(self._wheel, extras)):
            for top in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
                place = self._packages / top
                if not place.exists():
                    place.symlink_to(str(found.locate_file(top)))

    def install(self, *extras: str) -> None:
        """With dependencies that are there: pip refuses those that are not in the ranges of the wheel."""
        wanted = f"{self._wheel}[{','.join(extras)}]" if extras else str(self._wheel)
        self._pip("install", "-q", "--no-index", "--no-compile", wanted)

    def _pip(self, *words: str) -> None:
        run(sys.executable, "-m", "pip", "--python", str(self.bin / "python"), *words)


def required_by(wheel: Path, extras: Iterable[str] = ()) -> list[Requirement]:
    """What the metadata inside the wheel asks for."""
    with zipfile.ZipFile(wheel) as archive:
        [name] = [one for one in archive.namelist() if one.endswith(".dist-info/METADATA")]
        lines = archive.read(name).decode().partition("\n\n")[0].splitlines()
    found = [Requirement(line.removeprefix("Requires-Dist: ")) for line in lines if line.startswith("Requires-Dist: ")]
    return [one for one in found if is_wanted(one, extras)]


def is_wanted(requirement: Requirement, extras: Iterable[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras))


def with_their_own(wanted: Iterable[Requirement]) -> list[Distribution]:
    """These distributions, those that they ask for, and so on."""
    found: dict[tuple[str, frozenset[str]], Distribution] = {}
    waiting = list(wanted)
    while waiting:
        requirement = waiting.pop()
        key = canonicalize_name(requirement.name), frozenset(requirement.extras)
        if key in found:
            continue
        found[key] = distribution(requirement.name)
        asked = [Requirement(line) for line in found[key].requires or ()]
        waiting += [one for one in asked if is_wanted(one, requirement.extras)]
    return list(found.values())


def run(*command: str, cwd: Path | None = None, env: Mapping[str, str] = os.environ) -> str:
    """What it printed. Without our own PYTHONPATH, which would lead into this tree."""
    env = {name: value for name, value in env.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout
