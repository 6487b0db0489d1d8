"""Another commit is checked out beside this one, and nothing of it is left."""

import subprocess
from pathlib import Path

import pytest

from bench.worktree import NoSuchCommit, worktree_of


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two commits of one file, `before` and `now`."""
    folder = tmp_path / "repository"
    folder.mkdir()
    _git(folder, "init", "--quiet")
    for content in ("before", "now"):
        (folder / "file").write_text(content)
        _git(folder, "add", "file")
        _git(folder, "-c", "user.name=Ana", "-c", "user.email=ana@ejemplo.com", "commit", "--quiet", "-m", content)
    return folder


def test_the_commit_is_there_and_then_gone(repository: Path) -> None:
    with worktree_of("HEAD~1", repository) as other:
        assert (other.folder / "file").read_text() == "before"
        assert other.name.startswith("HEAD~1 (")
    _nothing_is_left(repository, other.folder)
    assert (repository / "file").read_text() == "now"


@pytest.mark.parametrize("ending", [RuntimeError, KeyboardInterrupt])
def test_it_is_gone_when_the_run_fails(repository: Path, ending: type[BaseException]) -> None:
    folder = Path()
    with pytest.raises(ending), worktree_of("HEAD", repository) as other:
        folder = other.folder
        raise ending
    _nothing_is_left(repository, folder)


@pytest.mark.parametrize("commit", ["nowhere", "--help", ""])
def test_what_is_no_commit_is_refused(repository: Path, commit: str) -> None:
    with pytest.raises(NoSuchCommit), worktree_of(commit, repository):
        pass


def _nothing_is_left(repository: Path, folder: Path) -> None:
    assert not folder.parent.exists()
    assert len(_git(repository, "worktree", "list").splitlines()) == 1


def _git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout
