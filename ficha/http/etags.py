"""ETags and `If-Match`: which version a caller believes it is changing."""

import re
from typing import Annotated

from fastapi import Header

from ficha.core.errors import FichaError, Source

_TAG = re.compile(r'(?:W/)?"([a-z]+)-(\d{1,18})"')

IfMatch = Annotated[
    str | None,
    Header(alias="If-Match", max_length=200, description="Write only if the version is still this one (412 if not)."),
]


class BadIfMatch(FichaError):
    status = 400
    code = "if_match_invalido"
    message = "If-Match debe ser el ETag de una respuesta anterior, con sus comillas."
    source = Source("header", "If-Match")


def etag(name: str, version: int) -> str:
    return f'"{name}-{version}"'


def expected_version(header: str | None, name: str) -> int | None:
    """The version that `If-Match` asks for, None if it asks for none, -1 if it is the ETag of something else.
    Raises BadIfMatch."""
    if header is None or header.strip() == "*":
        return None
    match = _TAG.fullmatch(header.strip())
    if match is None:
        raise BadIfMatch
    return int(match[2]) if match[1] == name else -1
