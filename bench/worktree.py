"""Another commit beside this one: its files in a temporary folder, and its own code to fill its database."""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.contenders import ROOT
from bench.requests import Seed

SEED_PROCESS = Path(__file__).with_name("seed_process.py")


class NoSuchCommit(Exception):
    """Git knows no commit by that name; the message is what it said."""


class DidNotSeed(Exception):
    """The other commit's code could not make what was asked for; the message is the end of what it said."""


@dataclass(frozen=True)
class Worktree:
    """`name` is the commit as it was asked for and its short number."""

    name: str
    folder: Path


@contextmanager
def worktree_of(commit: str, root: Path = ROOT) -> Iterator[Worktree]:
    """Checks that commit out, and removes it again whatever happens. Raises NoSuchCommit."""
    number = _git(root, "rev-parse", "--verify", "--short", "--end-of-options", f"{commit}^{{commit}}").strip()
    outer = Path(tempfile.mkdtemp(prefix="ficha-bench-commit-"))
    # Servers whose database runs as another user read it too.
    outer.chmod(0o755)
    folder = outer / "ficha"
    try:
        _git(root, "worktree", "add", "--quiet", "--detach", str(folder), number)
        yield Worktree(number if commit == number else f"{commit} ({number})", folder)
    finally:
        shutil.rmtree(outer, ignore_errors=True)
        # Git forgets a worktree whose folder is gone.
        _git(root, "worktree", "prune")


def _git(root: Path, *words: str) -> str:
    # In a session of its own: Ctrl-C must not reach the one that cleans up.
    done = subprocess.run(
        ["git", *words], cwd=root, capture_output=True, text=True, check=False, start_new_session=True
    )
    if done.returncode:
        raise NoSuchCommit(done.stderr.strip())
    return done.stdout


class SeededElsewhere:
    """The people of another commit's database, made by its code in a process of its own."""

    def __init__(self, data_dir: Path, database_url: str, environment: Mapping[str, str]) -> None:
        self._log = data_dir.parent / "seed.log"
        with self._log.open("wb") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(SEED_PROCESS), str(data_dir), database_url],
                env=environment,
                cwd=data_dir,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
            )

    def tokens(self, count: int) -> list[Seed]:
        return self._seeds("tokens", count)

    def claves(self, count: int) -> list[Seed]:
        return self._seeds("claves", count)

    def record_owners(self, count: int) -> list[Seed]:
        return self._seeds("record_owners", count)

    def empty_record_owners(self, count: int) -> list[Seed]:
        return self._seeds("empty_record_owners", count)

    def stickers(self, count: int) -> list[Seed]:
        return self._seeds("stickers", count)

    def health_links(self, count: int) -> list[Seed]:
        return self._seeds("health_links", count)

    def execute(self, sql: str) -> None:
        self._call("execute", sql)

    def close(self) -> None:
        self._process.terminate()
        self._process.communicate()

    def _seeds(self, method: str, count: int) -> list[Seed]:
        seeds: list[Seed] = self._call(method, count)
        return seeds

    def _call(self, method: str, argument: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps([method, argument]) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            raise DidNotSeed(self._log.read_text(errors="replace")[-1000:])
        return json.loads(line)
