"""Files in S3-compatible storage. The bucket stays private: nobody but this service reads it."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import unquote, urlsplit

from ficha.channels.errors import RetryLater
from ficha.channels.storage.storage import PIECE_BYTES, FileMissing, check_name

if TYPE_CHECKING:
    from obstore.store import S3Store

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
