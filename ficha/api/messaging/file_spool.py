"""A file between two lines: whole before it leaves, and on the disk only under a key that dies with the request."""

import tempfile
from collections.abc import Iterator

from ficha.core.crypto import new_key, seal, unseal


class FileSpool:
    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  Closed by whoever reads it to its end.
        self._key = new_key()
        self._lengths: list[int] = []
        self.size = 0

    def add(self, piece: bytes) -> None:
        sealed = seal(self._key, piece, str(len(self._lengths)))
        self._file.write(sealed)
        self._lengths.append(len(sealed))
        self.size += len(piece)

    def pieces(self) -> Iterator[bytes]:
        """Once: the file is gone afterwards."""
        try:
            self._file.seek(0)
            for place, length in enumerate(self._lengths):
                yield unseal(self._key, self._file.read(length), str(place))
        finally:
            self.close()

    def close(self) -> None:
        self._file.close()
