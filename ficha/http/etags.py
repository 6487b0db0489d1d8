"""ETags: `If-Match` says which version a caller believes it is changing, `If-None-Match` what it has already."""

import hashlib
import re
from typing import Annotated, Any

from fastapi import Header
from pydantic_core import to_json
from starlette.responses import Response

from ficha.asgi.answers import JSON
from ficha.core.errors import FichaError, Source
from ficha.http.envelope import Answer, Listing

_TAG = re.compile(r'(?:W/)?"([!#-~\x80-\xff]*)"')
_TAGS = re.compile(rf"[ \t]*{_TAG.pattern}(?:[ \t]*,[ \t]*{_TAG.pattern})*[ \t]*")

IfMatch = Annotated[
    str | None,
    Header(alias="If-Match", max_length=200, description="Write only if the version is still this one (412 if not)."),
]
IfNoneMatch = Annotated[
    str | None,
    Header(alias="If-None-Match", max_length=500, description="The ETag of an earlier answer: 304 if it is the same."),
]
# It has no body, so it is not among the errors.
NOT_MODIFIED: dict[int | str, dict[str, Any]] = {304: {"description": "Not Modified"}}
# Shown for so long without asking; then the answer may be kept, but is asked for again.
CACHE_CONTROL = "public, max-age=60, stale-while-revalidate=600"


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


def cacheable(told: Answer[Any] | Listing[Any], if_none_match: str | None) -> Response:
    """A public answer that a browser or a proxy may keep. The tag is weak: `meta.timestamp` differs each time, what is
    told does not."""
    page = told.meta.page.next if isinstance(told, Listing) else None
    digest = hashlib.sha256(to_json([told.data, page], by_alias=True)).hexdigest()[:32]
    headers = {"ETag": f'W/"{digest}"', "Cache-Control": CACHE_CONTROL}
    if if_none_match is not None and is_same(if_none_match, digest):
        return Response(status_code=304, headers=headers)
    return Response(to_json(told, by_alias=True), media_type=JSON, headers=headers)


def is_same(if_none_match: str, etag: str) -> bool:
    """Whether the header names this tag: one of several, or any; compared weakly, as RFC 9110 asks for here."""
    tags = [tag.strip().removeprefix("W/") for tag in if_none_match.split(",")]
    return "*" in tags or f'"{etag}"' in tags
