"""What a person wrote, as words for an agent, from the message as it came."""

from collections.abc import Mapping
from typing import Any


def words_of(raw: Mapping[str, Any], kind: str) -> str:
    """The text or the caption; for all else its kind, in brackets."""
    for place in ("text", "button", "image", "video", "document", "audio"):
        part = raw.get(place)
        if isinstance(part, Mapping):
            for name in ("body", "text", "caption"):
                if isinstance(part.get(name), str) and part[name]:
                    return str(part[name])
    return f"[{kind}]"
