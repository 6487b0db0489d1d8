"""A temporary file that is encrypted on the disk, with a key that exists only in memory."""

import tempfile
from collections.abc import Iterator

from ficha.core.crypto import new_key, seal, unseal


class EncryptedTempFile:
    """Written piece by piece, then read once. For a file that must be complete before its first byte is sent on."""

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
        """Can be read once: the file is deleted afterwards."""
        try:
            self._file.seek(0)
            for number, length in enumerate(self._lengths):
                yield unseal(self._key, self._file.read(length), str(number))
        finally:
            self.close()

    def close(self) -> None:
        self._file.close()
