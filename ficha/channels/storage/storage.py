"""What a place for files offers. Names are random and say nothing; contents come encrypted by whoever stores them."""

import re
from collections.abc import Iterator
from typing import Protocol

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
