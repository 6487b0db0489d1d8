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


EXISTENCE = frozenset({Read.RECORD_EXISTS, Read.MODEL_EXISTS})


class ReadTarget(NamedTuple):
    """What a path asks for of a record. `models` are those that it names."""

    read: Read
    models: tuple[str, ...] = ()


# All that may follow the code.
AFTER_CODE = {
    "": ReadTarget(Read.RECORD),
    "/exists": ReadTarget(Read.RECORD_EXISTS),
    "/models": ReadTarget(Read.MODELS),
    **{f"/{model}": ReadTarget(Read.MODEL, (model,)) for model in CATALOG.names},
    **{f"/{model}/exists": ReadTarget(Read.MODEL_EXISTS, (model,)) for model in CATALOG.names},
}


def target_of(rest: str) -> tuple[ReadTarget, str] | None:
    """What is asked for, and the code in upper case; `rest` is what follows `/fmd/`. None for whatever is not ours."""
    target = AFTER_CODE.get(rest[CODE_LENGTH:])
    code = rest[:CODE_LENGTH]
    # Stripping all known characters leaves nothing of a code: the quickest way to look at every one.
    if target is None or len(code) != CODE_LENGTH or code.strip(EITHER_CASE):
        return None
    return target, code.upper()


def sticker_in(path: str) -> tuple[str, str] | None:
    """Code and tag, upper case, of `/e/K7M2QX/…` or `/E/K7M2QX/…`. None for whatever is not ours."""
    if path[:3] not in ("/e/", "/E/"):
        return None
    code, _, tag = path[3:].partition("/")
    if len(code) != CODE_LENGTH or code.strip(EITHER_CASE) or len(tag) != TAG_LENGTH or not tag.isalnum():
        return None
    return code.upper(), tag.upper()
