"""The archive: a zip with a manifest that names every member with its hash, signed by a key that the database holds."""

import hashlib
import os
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, ValidationError

from ficha.backup.files import BadArchive

MANIFEST, SIGNATURE = "manifest.json", "manifest.hmac"
PIECE = 1 << 20
MOST_MANIFEST_BYTES = 64 << 20
# Records are encrypted and do not become smaller; the rest does, quickly.
LEVEL = 1
# What we write. Of the others that a zip may have, a few bytes can swell to gigabytes before anybody counts.
COMPRESSION = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class ArchivedFile(BaseModel):
    sha256: str
    size: int


class TableCopy(BaseModel):
    """A table of PostgreSQL, in the member of its name."""

    name: str
    columns: list[str]
    rows: int


class Manifest(BaseModel):
    format: int = 1
    version: str
    schema_version: str
    engine: str
    made_at: datetime
    members: dict[str, ArchivedFile] = {}
    # In the order in which they can be filled.
    tables: list[TableCopy] = []
    sequences: dict[str, int] = {}

    @property
    def size(self) -> int:
        return sum(member.size for member in self.members.values())


class ArchiveWriter:
    def __init__(self, file: Path) -> None:
        self._stream = os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb")
        self._zip = zipfile.ZipFile(self._stream, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL)
        self.members: dict[str, ArchivedFile] = {}

    def add(self, name: str, pieces: Iterable[bytes]) -> None:
        digest, size = hashlib.sha256(), 0
        with self._zip.open(name, "w", force_zip64=True) as member:
            for piece in pieces:
                digest.update(piece)
                size += len(piece)
                member.write(piece)
        self.members[name] = ArchivedFile(sha256=digest.hexdigest(), size=size)

    def add_file(self, name: str, file: Path) -> None:
        """A file that is gone meanwhile is left out."""
        try:
            stream = file.open("rb")
        except FileNotFoundError:
            return
        with stream:
            self.add(name, iter(lambda: stream.read(PIECE), b""))

    def finish(self, manifest: bytes, signature: bytes) -> None:
        """Returns when it is on the disk."""
        self._zip.writestr(MANIFEST, manifest)
        self._zip.writestr(SIGNATURE, signature.hex())
        self._zip.close()
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self._stream.close()

    def abandon(self) -> None:
        with suppress(OSError):  # The disk may be full; the file goes away anyway.
            self._zip.close()
        with suppress(OSError):
            self._stream.close()


class ArchiveReader:
    """Raises BadArchive wherever the file is not what the manifest says."""

    def __init__(self, file: Path) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
            if any(member.compress_type not in COMPRESSION for member in self._zip.infolist()):
                raise ValueError
            self.manifest_bytes = self._small(MANIFEST)
            self.signature = bytes.fromhex(self._small(SIGNATURE).decode("ascii"))
            self.manifest = Manifest.model_validate_json(self.manifest_bytes)
        except FileNotFoundError:
            raise BadArchive(f"There is no file {file}.") from None
        except (OSError, zipfile.BadZipFile, KeyError, ValueError, ValidationError):
            raise BadArchive(f"{file} is not a whole backup of Ficha.") from None
        if self.manifest.format != 1:
            raise BadArchive(f"{file} was made by a newer version of Ficha. Install that one first.")
        if {*self.manifest.members, MANIFEST, SIGNATURE} != set(self._zip.namelist()):
            raise BadArchive(f"{file} does not have the members that its manifest names.")
        for name in self.manifest.members:
            if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
                raise BadArchive(f"{file} names a place outside: {name}")

    def names(self, folder: str) -> list[str]:
        return [name for name in self.manifest.members if name.startswith(f"{folder}/")]

    def pieces(self, name: str) -> Iterator[bytes]:
        """Raises BadArchive after the last piece, if it was another's hash."""
        expected, digest, size = self.manifest.members[name], hashlib.sha256(), 0
        try:
            with self._zip.open(name) as member:
                while piece := member.read(PIECE):
                    digest.update(piece)
                    size += len(piece)
                    if size > expected.size:
                        break
                    yield piece
        except (zipfile.BadZipFile, EOFError, OSError):
            raise BadArchive(f"The member {name} of the backup is damaged.") from None
        if digest.hexdigest() != expected.sha256:
            raise BadArchive(f"The member {name} of the backup was altered: its hash is another.")

    def extract(self, name: str, file: Path) -> None:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as stream:
            for piece in self.pieces(name):
                stream.write(piece)
            stream.flush()
            os.fsync(stream.fileno())

    def close(self) -> None:
        self._zip.close()

    def _small(self, name: str) -> bytes:
        """Raises ValueError if it is not: by what is read, whatever the zip says of its size."""
        with self._zip.open(name) as member:
            content = member.read(MOST_MANIFEST_BYTES + 1)
        if len(content) > MOST_MANIFEST_BYTES:
            raise ValueError(name)
        return content
