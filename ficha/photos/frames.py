"""What the service and a picture process write to each other: a short JSON head, and bytes."""

import json
import struct
from collections.abc import Mapping, Sequence
from typing import IO, Any, NamedTuple

HEAD = struct.Struct(">I")


class FramedMessage(NamedTuple):
    head: Mapping[str, Any]
    parts: Sequence[bytes]


def write_message(stream: IO[bytes], head: Mapping[str, Any], *parts: bytes) -> None:
    encoded = json.dumps({**head, "sizes": [len(part) for part in parts]}).encode()
    stream.write(HEAD.pack(len(encoded)) + encoded)
    for part in parts:
        stream.write(part)
    stream.flush()


def read_message(stream: IO[bytes]) -> FramedMessage | None:
    """None if the other side has ended."""
    start = stream.read(HEAD.size)
    if len(start) < HEAD.size:
        return None
    [size] = HEAD.unpack(start)
    encoded = stream.read(size)
    if len(encoded) < size:
        return None
    head = json.loads(encoded)
    sizes: list[int] = head.pop("sizes")
    parts = [stream.read(size) for size in sizes]
    return FramedMessage(head, parts) if [len(part) for part in parts] == sizes else None
