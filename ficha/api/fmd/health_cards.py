"""The record's Health Card as a file and as a QR; those that were issued, and revoking one. And what whoever verifies a
card asks us for: our keys, and the list of revoked cards of each."""

from typing import Annotated, Any

from fastapi import Path
from pydantic import Field
from pydantic_core import to_json
from starlette.responses import Response

from ficha.api.examples import answer_example, file_answer, listing_example, resource_example
from ficha.api.operations import Operations
from ficha.asgi.answers import JSON
from ficha.cards.printing import FileType
from ficha.cards.qr import health_card_symbol
from ficha.core.deferred_model import DeferredModel
from ficha.exchange.health_cards.issued import (
    CardState,
    ListedCard,
    issued_cards,
    published_keys,
    revoke_card,
    revoked_cards,
)
from ficha.exchange.issuer_keys import ensure_issuer_key
from ficha.http.dependencies import Db, Now, Page, Parts, Reading, Reply
from ficha.http.envelope import Answer, Listing, Moment, Resource, filled
from ficha.http.etags import Caching
from ficha.http.file_answers import file_response, saved_as
from ficha.http.fmd_dependencies import Code, CurrentFmd, ReadFmd, SignedCard

operations = Operations("fmd", prefix="/fmd", callers="bearer", progress="Developing")
well_known_operations = Operations("fmd", prefix="/.well-known", callers="public", progress="Developing")

CARD_TYPE = "application/smart-health-card"
# Scripts of any page may read what is public. Not by `http/open_origins.py`, which says so only to who sends an Origin:
# these answers are kept by caches, which give a script what somebody else asked for.
ANYBODY = {"Access-Control-Allow-Origin": "*"}
FOR_MINUTES = "public, max-age=300"
KID = "3Kfdg-XwP-7gXyywtUfUADwBumDOPKMQx-iELL11W9s"
KEYS: dict[str, Any] = {
    "keys": [
        {
            "kty": "EC",
            "kid": KID,
            "use": "sig",
            "alg": "ES256",
            "crv": "P-256",
            "x": "11XvRWy1I2S0EyJlyf_bWfw_TQ5CJJNLw78bHXNxcgw",
            "y": "eZXwxvO1hvCY0KucrPfKo7yAyMT6Ajc3N7OkAB6VYy8",
            "crlVersion": 2,
        }
    ]
}
REVOKED: dict[str, Any] = {"kid": KID, "method": "rid", "ctr": 2, "rids": ["AQPCj4wwk6M"]}


class HealthCardAttributes(DeferredModel):
    state: CardState = Field(description="issued, revoked or expired.")
    issued_at: Moment
    expires_at: Moment | None
    revoked_at: Moment | None
    models: list[str] | None = Field(description="The models of which it tells; null once it was revoked.")
    left_out: int | None = Field(description="How many facts had no room on it; null once it was revoked.")


HealthCardOut = Resource[HealthCardAttributes]
EXAMPLE = resource_example(
    "health-card",
    3,
    HealthCardAttributes,
    state="issued",
    issued_at="2026-11-15T12:00:00+00:00",
    expires_at="2027-11-15T12:00:00+00:00",
    models=["alergiasm", "medicacion"],
    left_out=0,
)
CardId = Annotated[int, Path(alias="id", ge=1, le=2**63 - 1, examples=[1])]


@operations.get(
    "/{code}/health-card",
    "Health Card",
    errors=(403, 404, 503),
    responses=file_answer(CARD_TYPE, '{"verifiableCredential":["eyJhbGciOiJFUzI1NiIs…"]}'),
    response_class=Response,
)
def card(signed: SignedCard, code: Code) -> Response:
    """The SMART Health Card of the record, for owner and guardian: what whoever scans the sticker may see, the most
    urgent first, signed. Whoever asks again before something changed gets the same card. `docs/health-cards.md` says
    what is left out where not everything fits."""
    content = to_json({"verifiableCredential": [signed]})
    return Response(content, media_type=CARD_TYPE, headers=saved_as(f"{code.upper()}.smart-health-card"))


@operations.get(
    "/{code}/health-card.png",
    "Health Card PNG",
    errors=(403, 404, 503),
    responses=file_answer(FileType.PNG, "…"),
    response_class=Response,
)
def card_png(signed: SignedCard) -> Response:
    """The same card as a QR, to be shown at least 4 cm wide, or printed at least 48 mm."""
    return file_response(FileType.PNG, health_card_symbol(signed).png())


@operations.get(
    "/{code}/health-card.svg",
    "Health Card SVG",
    errors=(403, 404, 503),
    responses=file_answer(FileType.SVG, '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 113 113">…</svg>'),
    response_class=Response,
)
def card_svg(signed: SignedCard) -> Response:
    """The same card as a QR, to be shown at least 4 cm wide, or printed at least 48 mm."""
    return file_response(FileType.SVG, health_card_symbol(signed).svg())


@operations.get(
    "/{code}/health-cards",
    "Health Cards issued",
    errors=(403, 404, 422, 503),
    example=listing_example([EXAMPLE]),
)
def cards(reading: Reading, opened: ReadFmd, now: Now, page: Page) -> "Listing[HealthCardOut]":
    """Those that were issued, the first first, for owner and guardian."""
    found = issued_cards(reading, opened.fmd, now)
    return page.part(found, _card_out, lambda card: card.id)


@operations.delete(
    "/{code}/health-cards/{id}",
    "Revoke Health Card",
    errors=(403, 404, 409, 419, 422),
    example=answer_example(EXAMPLE | {"attributes": EXAMPLE["attributes"] | {"state": "revoked"}}),
    example_of_own=True,
)
def revoke(db: Db, fmd: CurrentFmd, now: Now, reply: Reply, card_id: CardId) -> "Answer[HealthCardOut]":
    """Whoever verifies it from now on learns that it does not count any more. Who saw it has seen it."""
    return reply(_card_out(revoke_card(db, fmd, card_id, now)))


@well_known_operations.get(
    "/jwks.json",
    "Issuer keys",
    errors=(503,),
    responses={200: {"content": {"application/json": {"schema": {"type": "object"}, "example": KEYS}}}},
    response_class=Response,
)
def keys(reading: Reading, parts: Parts, now: Now, caching: Caching) -> Response:
    """The public keys by which our Health Cards are verified, those too that sign no more (RFC 7517)."""
    if ensure_issuer_key(parts.database, parts.keyring, now):
        reading.give_back()  # To see the key that was made just now.
    return caching.file(to_json(published_keys(reading)), JSON, FOR_MINUTES, **ANYBODY)


@well_known_operations.get(
    "/crl/{kid}.json",
    "Revoked Health Cards",
    errors=(404, 503),
    responses={200: {"content": {"application/json": {"schema": {"type": "object"}, "example": REVOKED}}}},
    example_of_own=True,
    response_class=Response,
)
def revoked(
    reading: Reading,
    now: Now,
    caching: Caching,
    kid: Annotated[str, Path(max_length=43, description="The name of the key.", examples=[KID])],
) -> Response:
    """The Health Cards of a key that were revoked, by their `rid`."""
    return caching.file(to_json(revoked_cards(reading, kid, now)), JSON, FOR_MINUTES, **ANYBODY)


def _card_out(card: ListedCard) -> HealthCardOut:
    return Resource(type="health-card", id=str(card.id), attributes=filled(HealthCardAttributes, card))
