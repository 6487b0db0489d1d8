"""ETags: `If-Match` says which version a caller believes it is changing, `If-None-Match` what it has already. And the
public answers that may be kept, compressed."""

import gzip
import hashlib
import re
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

from fastapi import Depends, Header, Request
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
OnlyNewHeader = Annotated[
    str | None,
    Header(
        alias="If-None-Match",
        max_length=500,
        description="`*`: write only what is not there yet (412 if it is).",
        json_schema_extra={"enum": ["*"]},
    ),
]
# It has no body, so it is not among the errors.
NOT_MODIFIED: dict[int | str, dict[str, Any]] = {304: {"description": "Not Modified"}}
# Shown for so long without asking; then the answer may be kept, but is asked for again.
CACHE_CONTROL = "public, max-age=60, stale-while-revalidate=600"
# What is shorter fits into one packet either way, in bytes.
SMALLEST_COMPRESSED = 1_000


class BadIfMatch(FichaError):
    status = 400
    code = "if_match_invalido"
    message = "If-Match debe ser el ETag de una respuesta anterior, con sus comillas."
    source = Source("header", "If-Match")


class BadIfNoneMatch(FichaError):
    status = 400
    code = "if_none_match_invalido"
    message = "Al escribir, If-None-Match solo puede ser *: escribir únicamente si todavía no hay nada."
    source = Source("header", "If-None-Match")


class AlreadyThere(FichaError):
    status = 412
    code = "ya_existe"
    message = "Ya existe, y la petición pide escribir solo si no existe. No se cambió nada."
    source = Source("header", "If-None-Match")


def only_new(if_none_match: OnlyNewHeader = None) -> bool:
    """Whether the caller wants to write only what is not there yet. Raises BadIfNoneMatch."""
    if if_none_match is not None and if_none_match.strip() != "*":
        raise BadIfNoneMatch
    return if_none_match is not None


OnlyNew = Annotated[bool, Depends(only_new)]


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


class PublicCaching(NamedTuple):
    """What a request says about an answer that everybody may have and keep."""

    if_none_match: str | None
    accept_encoding: str

    def answer(self, told: Answer[Any] | Listing[Any]) -> Response:
        """The tag is of what is told: `meta.timestamp` differs each time."""
        page = told.meta.page.next if isinstance(told, Listing) else None
        digest = hashlib.sha256(to_json([told.data, page], by_alias=True)).hexdigest()[:32]
        return self.file(to_json(told, by_alias=True), JSON, CACHE_CONTROL, digest)

    def file(self, content: bytes, kind: str, caching: str, tag: str = "", **headers: str) -> Response:
        """`content` under a weak tag, because it may be compressed on its way: its digest, if no other is given."""
        tag = tag or _digest(content)
        headers = {"ETag": f'W/"{tag}"', "Cache-Control": caching, "Vary": "Accept-Encoding", **headers}
        if self.if_none_match is not None and is_same(self.if_none_match, tag):
            return Response(status_code=304, headers=headers)
        if len(content) >= SMALLEST_COMPRESSED and gzip_accepted(self.accept_encoding):
            content, headers["Content-Encoding"] = _gzipped(content), "gzip"
        return Response(content, media_type=kind, headers=headers)


def public_caching(request: Request, if_none_match: IfNoneMatch = None) -> PublicCaching:
    return PublicCaching(if_none_match, request.headers.get("accept-encoding", ""))


Caching = Annotated[PublicCaching, Depends(public_caching)]


@lru_cache(maxsize=256)  # Browsers send few different ones.
def gzip_accepted(accept_encoding: str) -> bool:
    for choice in accept_encoding.lower().split(","):
        name, _, rest = choice.partition(";")
        if name.strip() in ("gzip", "*") and rest.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000"):
            return True
    return False


# The same few files again and again.
@lru_cache(maxsize=64)
def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


@lru_cache(maxsize=64)
def _gzipped(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def is_same(if_none_match: str, etag: str) -> bool:
    """Whether the header names this tag: one of several, or any; compared weakly, as RFC 9110 asks for here."""
    tags = [tag.strip().removeprefix("W/") for tag in if_none_match.split(",")]
    return "*" in tags or f'"{etag}"' in tags
