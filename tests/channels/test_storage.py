"""Files on disk and in S3-compatible storage: both keep the same promises."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ficha.channels.errors import RetryLater
from ficha.channels.storage import PIECE_BYTES, DiskStorage, FileMissing, S3Storage, Storage
from ficha.core.ids import random_text
from tests.channels.s3_server import s3_server
from tests.ports import ReservedPort


@pytest.fixture(scope="module")
def s3_url() -> Iterator[str]:
    with s3_server() as url:
        yield url


@pytest.fixture(params=["disk", "s3"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    if request.param == "disk":
        return DiskStorage(tmp_path / "files")
    return S3Storage(request.getfixturevalue("s3_url"), "us-east-1")


def test_what_was_stored_comes_back_in_pieces(storage: Storage) -> None:
    name, content = random_text(24), os.urandom(3 * PIECE_BYTES + 5)
    storage.put(name, content)
    pieces = list(storage.read(name))
    assert b"".join(pieces) == content and len(pieces) > 1
    storage.put(name, b"otro")
    assert b"".join(storage.read(name)) == b"otro"


def test_a_deleted_file_is_missing_and_may_be_deleted_again(storage: Storage) -> None:
    name = random_text(24)
    storage.put(name, b"algo")
    storage.delete(name)
    storage.delete(name)
    with pytest.raises(FileMissing):
        storage.read(name)


@pytest.mark.parametrize("name", ["../../../../etc/passwd", "a/b", "", "corto", "con espacio con espacio"])
def test_a_name_leads_nowhere_else(storage: Storage, name: str) -> None:
    for call in (storage.read, storage.delete, lambda each: storage.put(each, b"")):
        with pytest.raises(ValueError):
            call(name)


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    storage, name = DiskStorage(tmp_path), random_text(24)
    storage.put(name, b"antes")
    folder = tmp_path / name[:2]
    (folder / name).unlink()
    (folder / name).mkdir()  # In its place, so that the last step of writing fails.
    with pytest.raises(RetryLater):
        storage.put(name, b"despues")
    assert [found.name for found in folder.iterdir()] == [name]


def test_nobody_else_may_read_the_folder(tmp_path: Path) -> None:
    name = random_text(24)
    DiskStorage(tmp_path / "files").put(name, b"x")
    [file] = [found for found in (tmp_path / "files").rglob("*") if found.is_file()]
    assert file.stat().st_mode & 0o077 == 0 and file.parent.stat().st_mode & 0o077 == 0


def test_a_storage_that_is_away_can_be_asked_again_and_its_key_is_not_told() -> None:
    port = ReservedPort()
    storage = S3Storage(f"http://clave:secreto@127.0.0.1:{port.number}/fichas", "us-east-1")
    with pytest.raises(RetryLater) as found:
        storage.read(random_text(24))
    assert "secreto" not in str(found.value)
    port.release()
