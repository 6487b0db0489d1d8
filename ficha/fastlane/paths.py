"""What a path asks the lane for, found by looking at its text: one of the five reads, or a sticker's page."""

from enum import StrEnum
from typing import NamedTuple

from ficha.core.ids import CODE_ALPHABET, CODE_LENGTH
from ficha.fmd.catalog import CATALOG

EITHER_CASE = CODE_ALPHABET + CODE_ALPHABET.lower()
TAG_LENGTH = 26


class Read(StrEnum):
    """Each is named by its route, which metrics and logs show: a path may carry a code."""

    RECORD_EXISTS = "/fmd/{code}/exists"
    MODEL_EXISTS = "/fmd/{code}/{model}/exists"
    MODEL = "/fmd/{code}/{model}"
    MODELS = "/fmd/{code}/models"
    RECORD = "/fmd/{code}"

    # An enumeration's own is a function in Python, and every read looks up several things by its kind.
    __hash__ = str.__hash__


class ReadTarget(NamedTuple):
    """`models` are those that the path names."""

    read: Read
    code: str
    models: tuple[str, ...]


# All that may follow the code.
AFTER_CODE: dict[str, tuple[Read, tuple[str, ...]]] = {
    "": (Read.RECORD, ()),
    "/exists": (Read.RECORD_EXISTS, ()),
    "/models": (Read.MODELS, ()),
    **{f"/{model}": (Read.MODEL, (model,)) for model in CATALOG.names},
    **{f"/{model}/exists": (Read.MODEL_EXISTS, (model,)) for model in CATALOG.names},
}


def target_of(rest: str) -> ReadTarget | None:
    """`rest` is what follows `/fmd/`. None for whatever is not ours."""
    found = AFTER_CODE.get(rest[CODE_LENGTH:])
    code = rest[:CODE_LENGTH]
    # Stripping all known characters leaves nothing of a code: the quickest way to look at every one.
    if found is None or len(code) != CODE_LENGTH or code.strip(EITHER_CASE):
        return None
    return ReadTarget(found[0], code.upper(), found[1])


def sticker_in(path: str) -> tuple[str, str] | None:
    """Code and tag, upper case, of `/e/K7M2QX/…` or `/E/K7M2QX/…`. None for whatever is not ours."""
    if path[:3] not in ("/e/", "/E/"):
        return None
    code, _, tag = path[3:].partition("/")
    if len(code) != CODE_LENGTH or code.strip(EITHER_CASE) or len(tag) != TAG_LENGTH or not tag.isalnum():
        return None
    return code.upper(), tag.upper()
