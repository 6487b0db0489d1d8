"""JSON from outside that every database and every program after us can hold."""

import base64
import binascii
import json
import math
import re
from typing import Any

# Real notifications nest about ten deep.
DEEPEST = 40
LARGEST = 2**63
UNSPEAKABLE = re.compile("[\x00\ud800-\udfff]")


class Malformed(ValueError):
    """Not what it should be; the text says what, and quotes nothing."""


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
    """Python refuses the whole document for a number of thousands of digits; here only its own item is lost."""
    return int(digits) if len(digits) < 30 else math.inf


def check_storable(value: Any) -> None:
    """Raises Malformed for what a database would refuse later: NUL, half characters, endless numbers and nests."""
    level = [value]
    for _ in range(DEEPEST):
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
        if UNSPEAKABLE.search(value):
            raise Malformed("unspeakable characters")
    elif isinstance(value, int | float) and not _is_holdable(value):
        raise Malformed("a number too large")


def _is_holdable(value: float) -> bool:
    return math.isfinite(value) if isinstance(value, float) else -LARGEST <= value < LARGEST


def cleaned(value: Any, deep: int = DEEPEST) -> Any:
    """The same, made holdable: for keeping what could not be read."""
    if isinstance(value, str):
        return UNSPEAKABLE.sub("\ufffd", value)
    if isinstance(value, int | float) and not _is_holdable(value):
        return "number"
    if not isinstance(value, dict | list):
        return value
    if deep == 0:
        return "…"
    if isinstance(value, dict):
        return {cleaned(key): cleaned(each, deep - 1) for key, each in value.items()}
    return [cleaned(each, deep - 1) for each in value]


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
