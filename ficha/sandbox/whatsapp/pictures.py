"""The picture of a group: a square JPEG."""

import base64
import hashlib
from dataclasses import dataclass

from ficha.core.multipart import FormPart
from ficha.sandbox.whatsapp.errors import invalid_parameter

LARGEST = 5_000_000
SMALLEST_SIDE = 192
# The markers of a JPEG file after which its height and width stand.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


@dataclass(frozen=True)
class GroupPicture:
    mime_type: str
    sha256: str


def read_group_picture(file: FormPart) -> GroupPicture:
    """Raises GraphError for what is not a square JPEG within the limits."""
    if len(file.content) > LARGEST:
        raise invalid_parameter("Param file must be at most 5 MB.")
    width, height = _jpeg_size(file.content)
    if width != height or width < SMALLEST_SIDE:
        raise invalid_parameter(f"Param file must be a square JPEG of at least {SMALLEST_SIDE} pixels.")
    return GroupPicture("image/jpeg", base64.b64encode(hashlib.sha256(file.content).digest()).decode())


def _jpeg_size(content: bytes) -> tuple[int, int]:
    """Width and height; zero for what is not a JPEG file."""
    at = 2 if content.startswith(b"\xff\xd8") else len(content)
    while at + 9 <= len(content) and content[at] == 0xFF:
        if content[at + 1] in _FRAMES:
            return int.from_bytes(content[at + 7 : at + 9]), int.from_bytes(content[at + 5 : at + 7])
        at += 2 + int.from_bytes(content[at + 2 : at + 4])
    return 0, 0
