"""Writes a Health Card: as many facts of the emergency set as one QR holds, signed."""

import hashlib
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from pydantic_core import to_json

from ficha.exchange.health_cards.emergency_set import CardFact, EmergencySet
from ficha.exchange.health_cards.reading import HEALTH_CARD, OFFSET, SCHEME
from ficha.exchange.issuer_keys import IssuerSigningKey
from ficha.exchange.jose import deflated, signed
from ficha.fmd.fhir_codes import TERMINOLOGY
from ficha.fmd.fhir_parts import Resource

FHIR_VERSION = "4.0.1"
# What a QR of version 22 and level L holds, which is readable at 4 cm; and what of it are header, signature and dots.
MOST_LETTERS = 1195
AROUND = 194
MOST_BYTES = (MOST_LETTERS - AROUND) * 3 // 4
# In HL7's own words: this is a part of what there is.
SUBSET = {"security": [{"system": f"{TERMINOLOGY}v3-ObservationValue", "code": "SUBSETTED"}]}
# In JSON without blanks: what somebody wrote has no quotation mark without a backslash.
REFERENCE = re.compile(rb'"reference":"([^"]+)"')


class CardClaims(NamedTuple):
    """What a card says besides its facts. `rid` names it in the list of revoked cards."""

    issuer: str
    rid: str
    not_before: datetime
    expires: datetime | None


class WrittenCard(NamedTuple):
    signed: str
    # Which models it tells of, and how many facts did not fit.
    models: list[str]
    left_out: int


def written_card(known: EmergencySet, claims: CardClaims, key: IssuerSigningKey) -> WrittenCard:
    """The most urgent facts that fit: none is on it while a more urgent one is not. Before any is left out, the details
    of all are."""
    facts, most = known.facts, len(known.facts)
    payload = _Draft(known, facts, claims).payload(most)
    if len(payload) > MOST_BYTES:
        facts = [fact.without_details() for fact in facts]
        most, payload = _Draft(known, facts, claims).largest()
    compact = signed(payload, key.private, key.kid)
    if len(compact) > MOST_LETTERS:
        raise AssertionError("a card that no QR holds")
    return WrittenCard(compact, sorted({fact.model for fact in facts[:most]}), len(facts) - most)


def digest_of(known: EmergencySet) -> str:
    """The same for the same facts: who asks again gets the card that she has."""
    return hashlib.sha256(to_json(known)).hexdigest()


def qr_text(compact: str) -> str:
    """The scheme, then two digits for each letter: a QR holds them as a segment of bytes and one of digits."""
    return SCHEME + "".join(f"{ord(letter) - OFFSET:02}" for letter in compact)


class _Draft:
    """The entries of a card are written once; how many of them fit is tried."""

    def __init__(self, known: EmergencySet, facts: Sequence[CardFact], claims: CardClaims) -> None:
        self._known, self._facts, self._claims = known, facts, claims
        urls = [known.patient_url, *(url for fact in facts for url, _ in fact.resources)]
        # In the order of the entries, so that they stay the same when the last are left out.
        self._names = {url: f"resource:{index}" for index, url in enumerate(urls)}
        self._written = [b"".join(b"," + self._entry(*one) for one in fact.resources) for fact in facts]

    def largest(self) -> tuple[int, bytes]:
        """How many facts fit, and the claims with them, deflated. What is tried next lies where the bytes would be
        reached if all facts were as long: that takes half as many tries as halving."""
        everything = len(self._facts)
        payload = self.payload(everything)
        if len(payload) <= MOST_BYTES:
            return everything, payload
        fits, found = 0, self.payload(0)
        too_many, over = everything, len(payload)
        while too_many - fits > 1:
            share = (MOST_BYTES - len(found)) / (over - len(found))
            tried = min(max(fits + 1, fits + int((too_many - fits) * share)), too_many - 1)
            payload = self.payload(tried)
            if len(payload) <= MOST_BYTES:
                fits, found = tried, payload
            else:
                too_many, over = tried, len(payload)
        return fits, found

    def payload(self, count: int) -> bytes:
        contacts = [fact.contact for fact in self._facts[:count] if fact.contact is not None]
        patient = self._known.patient | ({"contact": contacts} if contacts else {})
        entries = self._entry(self._known.patient_url, patient) + b"".join(self._written[:count])
        is_part = self._known.is_cut or self._known.facts[:count] != list(self._facts)
        return deflated(_claims(self._claims, entries, is_part=is_part))

    def _entry(self, url: str, made: Resource) -> bytes:
        return REFERENCE.sub(self._renamed, to_json({"fullUrl": self._names[url], "resource": made}))

    def _renamed(self, found: re.Match[bytes]) -> bytes:
        return b'"reference":"%b"' % self._names[found[1].decode()].encode()


def _claims(claims: CardClaims, entries: bytes, *, is_part: bool) -> bytes:
    """What `json` would write of it, without a space."""
    said: dict[str, Any] = {"iss": claims.issuer, "nbf": int(claims.not_before.timestamp())}
    if claims.expires is not None:
        said["exp"] = int(claims.expires.timestamp())
    bundle = {"resourceType": "Bundle", **({"meta": SUBSET} if is_part else {}), "type": "collection", "entry": []}
    subject = {"fhirVersion": FHIR_VERSION, "fhirBundle": bundle}
    said["vc"] = {"type": [HEALTH_CARD], "rid": claims.rid, "credentialSubject": subject}
    before, _, after = to_json(said).rpartition(b"[]")
    return b"".join([before, b"[", entries, b"]", after])
