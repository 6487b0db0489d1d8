"""ETags and `If-Match`: which version a caller believes it is changing."""

import re
from typing import Annotated

from fastapi import Header

from ficha.core.errors import FichaError, Source

_TAG = re.compile(r'(?:W/)?"([!#-~\x80-\xff]*)"')
_TAGS = re.compile(rf"[ \t]*{_TAG.pattern}(?:[ \t]*,[ \t]*{_TAG.pattern})*[ \t]*")

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


def expected_versions(header: str | None, name: str) -> frozenset[int] | None:
    """The versions that `If-Match` allows, None if it allows any. One of a list is enough; a weak tag never matches,
    nor does one of something else (RFC 9110, 13.1.1). Raises BadIfMatch if it is no list of tags."""
    if header is None or header.strip() == "*":
        return None
    if not _TAGS.fullmatch(header):
        raise BadIfMatch
    own = re.compile(rf"{re.escape(name)}-([0-9]{{1,18}})")
    strong = (tag[1] for tag in _TAG.finditer(header) if not tag[0].startswith("W/"))
    return frozenset(int(match[1]) for match in map(own.fullmatch, strong) if match is not None)
