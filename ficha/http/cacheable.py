"""Public answers that a browser or a proxy may keep: an `ETag` over what is told, and 304 for who has it already."""

import hashlib
from typing import Annotated, Any

from fastapi import Header
from pydantic_core import to_json
from starlette.responses import Response

from ficha.asgi.answers import JSON
from ficha.http.envelope import Answer, Listing

# Shown for so long without asking; then the answer may be kept, but is asked for again.
CACHE_CONTROL = "public, max-age=60, stale-while-revalidate=600"

IfNoneMatch = Annotated[
    str | None,
    Header(alias="If-None-Match", max_length=500, description="The ETag of an earlier answer: 304 if it is the same."),
]
# It has no body, so it is not among the errors.
NOT_MODIFIED: dict[int | str, dict[str, Any]] = {304: {"description": "Not Modified"}}


def cacheable(told: Answer[Any] | Listing[Any], if_none_match: str | None) -> Response:
    """The tag is weak: `meta.timestamp` differs each time, what is told does not."""
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
