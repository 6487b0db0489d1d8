"""Who saw or changed what in a record. For the owner and her guardians."""

from pydantic import Field

from ficha.api.examples import listing_example
from ficha.api.operations import Operations
from ficha.audit.chain import AuditEntry
from ficha.audit.log import entries_of
from ficha.core.deferred_model import DeferredModel
from ficha.http.cursors import NO_END, Cursor, PageSize, next_cursor, row_before
from ficha.http.dependencies import Now, Parts, Reading, Reply
from ficha.http.envelope import Listing, Moment, Resource
from ficha.http.fmd_dependencies import ReadFmd

operations = Operations("fmd", prefix="/fmd")


class AccessAttributes(DeferredModel):
    at: Moment
    actor: str = Field(description="account:<id>, tag (whoever scanned), glass:<id>, or service.")
    via: str = Field(description="owner, guardian, delegate, institution, tag, or empty.")
    origin: str = Field(description="The address it came from.")
    action: str
    what: list[str] = Field(
        description="Names of models or codes, and the version of the `rules:` that a stranger saw; never content."
    )
    hash: str = Field(description="Seals this entry and all before it.")


AccessOut = Resource[AccessAttributes]


@operations.get(
    "/{code}/access-log",
    "FMD access log",
    door="bearer",
    errors=(403, 404, 422),
    example=listing_example(
        [
            {
                "type": "access",
                "id": 31,
                "attributes": {
                    "at": "2026-11-15T12:00:00+00:00",
                    "actor": "account:21",
                    "via": "delegate",
                    "origin": "203.0.113.9",
                    "action": "record.read",
                    "what": ["salud"],
                    "hash": "5f3c…",
                },
            }
        ]
    ),
)
def access_log(
    reading: Reading,
    opened: ReadFmd,
    parts: Parts,
    now: Now,
    reply: Reply,
    cursor: Cursor = None,
    size: PageSize = 50,
) -> "Listing[AccessOut]":
    """Who saw or changed what, newest first. This look is written down too."""
    opened.fmd.must_manage()
    opened.note("log.read", [], now)
    parts.read_log.drain_now()
    reading.commit()  # To see what was drained just now, this look too.
    found = entries_of(reading, opened.fmd.id, before_seq=row_before(cursor, NO_END), limit=size + 1)
    following = next_cursor(found, size, lambda entry: entry.seq)
    return reply.listing([access_out(entry) for entry in found[:size]], size, following)


def access_out(entry: AuditEntry) -> AccessOut:
    return Resource(
        type="access",
        id=entry.seq,
        attributes=AccessAttributes(
            at=entry.at,
            actor=entry.actor,
            via=entry.via,
            origin=entry.origin,
            action=entry.action,
            what=entry.what,
            hash=entry.hash.hex(),
        ),
    )
