"""What a SMART Health Link leads to: its manifest, its files, or the one file of a direct link.

Bodies and answers are those of the specification, for programs that know nothing of us; only what it does not speak of
(a body that is no JSON, a server that is busy) is told as everywhere else. Whatever opens nothing is one 404, the same
bytes for all.
"""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Path, Query, Request
from pydantic import ConfigDict, Field
from pydantic_core import to_json
from starlette.responses import Response

from ficha.api.bodies import Body
from ficha.api.examples import DEMO_DIRECT, DEMO_SHARED
from ficha.api.operations import Operations
from ficha.core.text_types import TextLimits
from ficha.core.transaction import Transaction
from ficha.exchange.health_links.encryption import JOSE, SHORTEST_FILE, encrypted_file
from ficha.exchange.health_links.file_addresses import EXAMPLE_MARK, asked_file, file_mark
from ficha.exchange.health_links.files import FileKind, LinkFile, link_file, link_files, link_kinds, shared_record
from ficha.exchange.health_links.opening import (
    LinkGone,
    LiveLink,
    WrongPasscode,
    find_health_link,
    open_health_link,
    opened_health_link,
)
from ficha.exchange.health_links.openings import RECIPIENT_LETTERS
from ficha.exchange.health_links.payload import PATH
from ficha.http.dependencies import Address, Db, Limiter, Now, Parts, Reading
from ficha.http.languages import preferred_language
from ficha.http.limits import RateLimit
from ficha.http.served_operation import ServedToAnyProgram
from ficha.parts import Parts as AllParts

operations = Operations("fmd", prefix=PATH, served=ServedToAnyProgram, callers="link", progress="Developing")

JSON = "application/json"
# How long a program waits before it asks a long-term link again.
POLL_SECONDS = 60
NOT_ACTIVE = b'{"error":"not_active"}'
Secret = Annotated[str, Path(description="43 letters: what makes it secret.", examples=[DEMO_SHARED])]
FROM_LOCATION = "From `location` of a manifest: signed, for ten minutes."
Recipient = Annotated[str, TextLimits(RECIPIENT_LETTERS)]
WHO = "Who opens it, in words for the owner: the name of a person or of an organisation."

MANIFEST: dict[str, Any] = {
    "files": [
        {
            "contentType": "application/fhir+json",
            "embedded": "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..8zH0NmUXGwMOqEya.xdGRpgyv…",
            "lastUpdated": "2026-11-15T12:00:00+00:00",
            "status": "can-change",
            "fhirVersion": "4.0.1",
        }
    ]
}
GONE: dict[int | str, dict[str, Any]] = {
    404: {"description": "Not active", "content": {JSON: {"schema": {"type": "object"}}}},
}
WRONG: dict[int | str, dict[str, Any]] = {
    401: {
        "description": "Wrong passcode, or none",
        "content": {JSON: {"schema": {"type": "object"}, "example": {"remainingAttempts": 9}}},
    }
}
ONE_FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {JOSE: {"schema": {"type": "string"}, "example": MANIFEST["files"][0]["embedded"]}}},
}


class ManifestRequest(Body):
    """What we do not know of it is ignored, as the specification asks."""

    model_config = ConfigDict(extra="ignore")

    recipient: Recipient = Field(description=WHO, examples=["Dra. Rosa Silva, Hospital Central"])
    passcode: str | None = Field(None, max_length=1000, description="Of a link with the flag `P`.")
    embedded_length_max: int | None = Field(
        None, alias="embeddedLengthMax", ge=0, description="Longer files are given as a `location`."
    )


@operations.post(
    "/{secret}",
    "Health link manifest",
    errors=(429,),
    responses={200: {"content": {JSON: {"schema": {"type": "object"}, "example": MANIFEST}}}} | GONE | WRONG,
    response_class=Response,
)
def manifest(
    request: Request,
    db: Db,
    parts: Parts,
    limiter: Limiter,
    now: Now,
    address: Address,
    secret: Secret,
    body: ManifestRequest,
) -> Response:
    """The files of a link, each encrypted with its key: what a professional may read of the record at this moment. In
    the record's log, and told to its owner with `recipient`."""
    link = _found(request, db, parts, limiter, secret, now, direct=False)
    if link is None:
        return not_active()
    try:
        wrong = open_health_link(db, link, body.passcode, body.recipient, now)
    except LinkGone:
        return not_active()
    if wrong is not None:
        return _wrong_passcode(wrong)
    shared = shared_record(db, link.record, link.record_key, _language(request), parts.settings.public_url, now)
    db.commit()  # Nothing is held while the files are made.
    most = body.embedded_length_max
    # Who wants none embedded fetches them one by one: none is made here, and each is noted when it is fetched.
    files = [] if most is not None and most < SHORTEST_FILE else list(link_files(shared, now))
    _note(parts, link, "link.opened", files, now, address)
    sealed = {one.kind: encrypted_file(link.key, one.kind.content_type, one.content) for one in files}
    told = []
    for kind in sealed or link_kinds(shared, now):
        fits = most is None or (kind in sealed and len(sealed[kind]) <= most)
        given = {"embedded": sealed[kind]} if fits else {"location": _location(parts, link, kind, now)}
        entry = {"contentType": kind.content_type, **given, "status": "finalized" if link.row.once else "can-change"}
        if shared.updated_at is not None:
            entry["lastUpdated"] = shared.updated_at.isoformat(timespec="seconds")
        told.append(entry | ({"fhirVersion": kind.fhir_version} if kind.fhir_version else {}))
    headers = {"Retry-After": str(POLL_SECONDS)} if link.row.long_term else {}
    return Response(to_json({"files": told}), media_type=JSON, headers=headers)


@operations.get(
    "/{secret}",
    "Health link direct file",
    errors=(422, 429),
    responses=ONE_FILE | GONE,
    example_path={"secret": DEMO_DIRECT},
    response_class=Response,
)
def direct_file(
    request: Request,
    db: Db,
    parts: Parts,
    limiter: Limiter,
    now: Now,
    address: Address,
    secret: Secret,
    recipient: Annotated[Recipient, Query(description=WHO, examples=["Hospital Central"])],
) -> Response:
    """The patient summary of a direct link (`U`), encrypted with its key."""
    link = _found(request, db, parts, limiter, secret, now, direct=True)
    if link is None:
        return not_active()
    if request.method == "HEAD":  # Nobody has read anything: a link that opens once is not used up.
        return Response(media_type=JOSE)
    try:
        open_health_link(db, link, None, recipient, now)
    except LinkGone:
        return not_active()
    shared = shared_record(db, link.record, link.record_key, _language(request), parts.settings.public_url, now)
    db.commit()
    [file] = link_files(shared, now, [FileKind.SUMMARY])
    _note(parts, link, "link.opened", [file], now, address)
    return _encrypted(link, file)


@operations.get("/file/{mark}", "Health link file", errors=(429,), responses=ONE_FILE | GONE, response_class=Response)
def one_file(
    request: Request,
    reading: Reading,
    parts: Parts,
    limiter: Limiter,
    now: Now,
    address: Address,
    mark: Annotated[str, Path(description=FROM_LOCATION, examples=[EXAMPLE_MARK])],
) -> Response:
    """One file of a manifest, encrypted with the key of its link. Counted as one more request for the link."""
    asked = asked_file(parts.secrets, mark, now)
    link = asked and opened_health_link(reading, parts.keyring, asked.link_id, now)
    if asked is None or link is None:
        return not_active()
    limiter.hit(request, RateLimit.HEALTH_LINK, str(link.id))
    shared = shared_record(reading, link.record, link.record_key, _language(request), parts.settings.public_url, now)
    file = link_file(shared, asked.kind, now)
    if file is None:
        return not_active()
    _note(parts, link, "link.file", [file], now, address)
    return _encrypted(link, file)


def not_active() -> Response:
    return Response(NOT_ACTIVE, 404, media_type=JSON)


def _found(
    request: Request, tx: Transaction, parts: AllParts, limiter: Limiter, secret: str, now: datetime, *, direct: bool
) -> LiveLink | None:
    """None if there is no live link of this kind. Counts the request for it; raises TooManyRequests."""
    link = find_health_link(tx, parts.keyring, secret, now)
    if link is None or link.row.direct is not direct:
        return None
    limiter.hit(request, RateLimit.HEALTH_LINK, str(link.id))
    return link


def _wrong_passcode(wrong: WrongPasscode) -> Response:
    return Response(to_json({"remainingAttempts": wrong.attempts_left}), 401, media_type=JSON)


def _encrypted(link: LiveLink, file: LinkFile) -> Response:
    return Response(encrypted_file(link.key, file.kind.content_type, file.content), media_type=JOSE)


def _note(parts: AllParts, link: LiveLink, action: str, files: list[LinkFile], now: datetime, origin: str) -> None:
    """In the record's log before anybody sees it."""
    what = sorted({model for file in files for model in file.models})
    parts.read_log.note(link.record.id, f"link:{link.id}", action, what, now, via="link", origin=origin)


def _location(parts: AllParts, link: LiveLink, kind: FileKind, now: datetime) -> str:
    return f"{parts.settings.public_url}{PATH}/file/{file_mark(parts.secrets, link.id, kind, now)}"


def _language(request: Request) -> str:
    return preferred_language(request.headers.get("accept-language", "")).value
