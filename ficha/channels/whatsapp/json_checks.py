"""What is read in JSON from outside, and checks that it can be stored in every database and read by every program."""

import base64
import binascii
import json
import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

# Real notifications nest about ten deep.
MOST_LEVELS = 40
LARGEST = 2**63
LATEST = int(datetime(9999, 1, 1, tzinfo=UTC).timestamp())
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class Malformed(ValueError):
    """It does not have the expected form. The text says why and quotes nothing of it."""


class BadCharacters(Malformed):
    """It has characters that no database takes. Without them it may be read."""


def read_json(body: bytes) -> Any:
    try:
        return json.loads(body.decode("utf-8"), parse_int=_number)
    except UnicodeDecodeError:
        raise Malformed("not UTF-8") from None
    except RecursionError:
        raise Malformed("nested too deep") from None
    except ValueError:
        raise Malformed("not JSON") from None


def _number(digits: str) -> float:
    """Python refuses a whole document for one number of thousands of digits. This way only its own item is lost."""
    return int(digits) if len(digits) < 30 else math.inf


def check_storable(value: Any) -> None:
    """Raises Malformed for what a database would refuse: NUL, lone surrogates, and numbers or nesting without limit."""
    level = [value]
    for _ in range(MOST_LEVELS):
        below: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                below += each.keys()
                below += each.values()
            elif isinstance(each, list):
                below += each
            else:
                _check_leaf(each)
        if not below:
            return
        level = below
    raise Malformed("nested too deep")


def _check_leaf(value: Any) -> None:
    if isinstance(value, str):
        if UNSTORABLE.search(value):
            raise BadCharacters("characters that cannot be stored")
    elif isinstance(value, int | float) and not _is_storable_number(value):
        raise Malformed("a number too large")


def _is_storable_number(value: float) -> bool:
    return math.isfinite(value) if isinstance(value, float) else -LARGEST <= value < LARGEST


def without_bad_characters(value: Any, levels: int = MOST_LEVELS) -> Any:
    """A copy without NULs and lone surrogates. What is nested too deep stays, and is refused for its depth."""
    if isinstance(value, str):
        return UNSTORABLE.sub("", value)
    if levels and isinstance(value, dict):
        return {without_bad_characters(key): without_bad_characters(each, levels - 1) for key, each in value.items()}
    if levels and isinstance(value, list):
        return [without_bad_characters(each, levels - 1) for each in value]
    return value


def make_storable(value: Any, levels: int = MOST_LEVELS) -> Any:
    """A copy that can be stored, of a value that could not be read."""
    if isinstance(value, str):
        return UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, int | float) and not _is_storable_number(value):
        return "number"
    if not isinstance(value, dict | list):
        return value
    if levels == 0:
        return "…"
    if isinstance(value, dict):
        return {make_storable(key): make_storable(each, levels - 1) for key, each in value.items()}
    return [make_storable(each, levels - 1) for each in value]


def hex_hash(text: object) -> str | None:
    """A SHA-256 in hex: the platform writes it in base64 in its notifications and in hex elsewhere."""
    if not isinstance(text, str):
        return None
    if re.fullmatch(r"[0-9A-Fa-f]{64}", text):
        return text.lower()
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return raw.hex() if len(raw) == 32 else None


def text_in(value: object) -> str | None:
    """A text that can be stored, or None."""
    return value if isinstance(value, str) and value and not UNSTORABLE.search(value) else None


def number_in(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def dict_in(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def list_in(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def moment_in(value: object) -> datetime | None:
    """Unix seconds; zero means never."""
    seconds = number_in(value)
    return datetime.fromtimestamp(seconds, UTC) if seconds is not None and 0 < seconds < LATEST else None
