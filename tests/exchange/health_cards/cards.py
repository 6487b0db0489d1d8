"""Health Cards made by hand, right ones and wrong ones, and an issuer that is not us."""

from collections.abc import Mapping
from typing import Any, cast

from joserfc.jwk import ECKey
from pydantic_core import to_json

from ficha.exchange.health_cards.reading import HEALTH_CARD, OFFSET, SCHEME
from ficha.exchange.jose import deflated, signed
from tests.exchange.samples import NOW

ISSUER = "https://issuer.example/cards"
PATIENT = {"resourceType": "Patient", "name": [{"family": "Pérez", "given": ["Ana"]}], "birthDate": "2012-05-03"}


class Issuer:
    """Somebody with one key, who publishes it."""

    def __init__(self) -> None:
        self.private = ECKey.generate_key("P-256")
        self.kid = self.private.thumbprint()
        public = cast(dict[str, Any], self.private.as_dict(private=False))
        self.key = public | {"kid": self.kid, "use": "sig", "alg": "ES256"}

    @property
    def keys(self) -> dict[str, Any]:
        return {"keys": [self.key]}

    def sign(self, claims: Mapping[str, Any] | bytes) -> str:
        plain = claims if isinstance(claims, bytes) else to_json(claims)
        return self.sign_deflated(deflated(plain))

    def sign_deflated(self, payload: bytes) -> str:
        return signed(payload, self.private, self.kid)


def claims(*, vc: Mapping[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    subject = {
        "fhirVersion": "4.0.1",
        "fhirBundle": {
            "resourceType": "Bundle",
            "type": "collection",
            "entry": [{"fullUrl": "resource:0", "resource": PATIENT}],
        },
    }
    credential = {"type": [HEALTH_CARD], "credentialSubject": subject}
    return {"iss": ISSUER, "nbf": int(NOW.timestamp()), "vc": {**credential, **(vc or {})}} | changes


def digits_of(compact: str) -> str:
    return SCHEME + "".join(f"{ord(letter) - OFFSET:02}" for letter in compact)
