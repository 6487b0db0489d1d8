"""What is sent to the platform and comes back, without the library that carries it, which loads late."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO


@dataclass(frozen=True)
class HttpAnswer:
    """Header names in lower case; the body after decompression."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Stream:
    status: int
    headers: Mapping[str, str]
    chunks: Iterator[bytes]


@dataclass(frozen=True)
class FileForm:
    """A multipart form with one file in it."""

    fields: Mapping[str, str]
    file: IO[bytes]
    file_name: str
    mime: str
