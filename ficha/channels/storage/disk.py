"""Files in a folder, in subfolders by the first two letters of their names."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ficha.channels.errors import RetryLater
from ficha.channels.storage.storage import PIECE_BYTES, FileMissing, check_name


class DiskStorage:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, name: str, content: bytes) -> None:
        file = self._path(name)
        try:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=".")
            try:
                with os.fdopen(handle, "wb") as stream:
                    stream.write(content)
                    stream.flush()
                    os.fsync(stream.fileno())
                Path(temporary).replace(file)
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
            # The names too: without this, a file and its subfolder can be gone after a power failure.
            for folder in (file.parent, self._folder):
                _sync_folder(folder)
        except OSError as error:
            raise RetryLater(f"the disk: {error.strerror}") from error

    def read(self, name: str) -> Iterator[bytes]:
        try:
            stream = self._path(name).open("rb")
        except FileNotFoundError:
            raise FileMissing(name) from None
        except OSError as error:
            raise RetryLater(f"the disk: {error.strerror}") from error
        return _pieces(stream)

    def delete(self, name: str) -> None:
        try:
            self._path(name).unlink(missing_ok=True)
        except OSError as error:
            raise RetryLater(f"the disk: {error.strerror}") from error

    def _path(self, name: str) -> Path:
        return self._folder / check_name(name)[:2] / name


def _pieces(stream: BinaryIO) -> Iterator[bytes]:
    with stream:
        while piece := stream.read(PIECE_BYTES):
            yield piece


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
