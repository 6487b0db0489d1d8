"""Where files are kept: a folder on disk, or S3-compatible storage. Names are random and say nothing; contents come
encrypted by whoever stores them."""

import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, TypeVar
from urllib.parse import unquote, urlsplit

from ficha.channels.errors import RetryLater

if TYPE_CHECKING:
    from obstore.store import S3Store

# Letters and digits only: no name leads out of the folder or the bucket's prefix.
NAME = re.compile(r"[0-9A-Za-z]{16,64}")
PIECE_BYTES = 256 * 1024


class FileMissing(Exception):
    """There is no file of that name."""


class Storage(Protocol):
    def put(self, name: str, content: bytes) -> None:
        """Stores the whole file or nothing; it is safe once this returns. Raises RetryLater."""

    def read(self, name: str) -> Iterator[bytes]:
        """The file piece by piece. Raises FileMissing or RetryLater, before the first piece."""

    def delete(self, name: str) -> None:
        """Does nothing if there is no such file. Raises RetryLater."""


def check_name(name: str) -> str:
    """Raises ValueError for what was not made by `random_text`: always a bug of ours."""
    if not NAME.fullmatch(name):
        raise ValueError("not a name of a stored file")
    return name


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


T = TypeVar("T")
LONGEST_CALL = timedelta(seconds=15)
LONGEST_RETRIES = timedelta(seconds=10)


class S3Storage:
    """`url` is https://key:secret@host/bucket or https://key:secret@host/bucket/prefix."""

    def __init__(self, url: str, region: str) -> None:
        self._url, self._region = url, region
        self._opened: S3Store | None = None

    def put(self, name: str, content: bytes) -> None:
        import obstore  # noqa: PLC0415  A start needs no file, and 10 MB less.

        path = check_name(name)
        self._call(lambda: obstore.put(self._store, path, content))

    def read(self, name: str) -> Iterator[bytes]:
        import obstore  # noqa: PLC0415

        path = check_name(name)
        found = self._call(lambda: obstore.get(self._store, path))
        return (bytes(piece) for piece in found.stream(min_chunk_size=PIECE_BYTES))

    def delete(self, name: str) -> None:
        import obstore  # noqa: PLC0415

        path = check_name(name)
        with suppress(FileMissing):  # Some storages say so; it is what was asked for.
            self._call(lambda: obstore.delete(self._store, path))

    @property
    def _store(self) -> "S3Store":
        if self._opened is None:
            from obstore.store import S3Store  # noqa: PLC0415

            parts = urlsplit(self._url)
            bucket, _, prefix = parts.path.strip("/").partition("/")
            self._opened = S3Store(
                bucket,
                prefix=prefix or None,
                endpoint=f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}",
                region=self._region,
                access_key_id=unquote(parts.username or ""),
                secret_access_key=unquote(parts.password or ""),
                virtual_hosted_style_request=False,
                client_options={"timeout": LONGEST_CALL, "allow_http": parts.scheme == "http"},
                retry_config={"max_retries": 2, "retry_timeout": LONGEST_RETRIES},
            )
        return self._opened

    def _call(self, call: Callable[[], T]) -> T:
        """The client's own words could quote our address and key: only their class is told on."""
        from obstore.exceptions import BaseError, NotFoundError  # noqa: PLC0415

        try:
            return call()
        except (NotFoundError, FileNotFoundError):
            raise FileMissing from None
        except (BaseError, OSError) as error:
            raise RetryLater(f"the storage: {type(error).__name__}") from None
