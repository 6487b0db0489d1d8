"""SMART Health Cards of others: read, and held against the keys of whoever issued them, if our directory knows them."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from ficha.channels.errors import Refused, RetryLater
from ficha.channels.public_files import fetch_file
from ficha.core.errors import FichaError
from ficha.exchange.health_cards.reading import CardExpired, CardNotYetValid, HealthCard, check_card
from ficha.exchange.imports.content import Signature, SignatureState
from ficha.exchange.jose import NotJose, json_object
from ficha.exchange.trusted_issuers import TrustedIssuers

LEEWAY_SECONDS = 300
# Of what an issuer of our directory answers: its keys, or its list of revoked cards.
MOST_BYTES = 200_000
SECONDS = 5.0


class IssuerKeysAway(FichaError):
    status = 503
    code = "claves_del_emisor_no_disponibles"
    message = "Quien emitió esa tarjeta no responde, y sin sus claves no se puede comprobar. Vuelva a probar más tarde."
    headers = {"Retry-After": "60"}  # noqa: RUF012


class CardSigners(NamedTuple):
    """`own_keys`: the JWK set that we publish. `fetch`: a JSON object from an address of an issuer of the directory; it
    raises IssuerKeysAway."""

    issuers: TrustedIssuers
    own_keys: Mapping[str, Any]
    fetch: Callable[[str], Mapping[str, Any]]


def signature_of(card: HealthCard, signers: CardSigners, now: datetime) -> Signature:
    """Keys of whoever is not in the directory are not asked for: the card would choose whom we call. Raises why a card
    whose keys are known is refused, IssuerKeysAway, or that it is not valid now."""
    known = signers.issuers.find(card.issuer)
    if known is None:
        if card.expires is not None and card.expires <= now.timestamp():
            raise CardExpired
        if card.not_before > now.timestamp() + LEEWAY_SECONDS:
            raise CardNotYetValid
        return Signature(state=SignatureState.UNKNOWN, issuer=card.issuer)
    is_own = card.issuer == signers.issuers.own.iss
    keys = signers.own_keys if is_own else signers.fetch(card.keys_url)
    check_card(card, keys, now, None if is_own else signers.fetch)
    return Signature(state=SignatureState.VERIFIED, issuer=card.issuer, name=known.name, is_own=is_own)


def fetch_json(url: str) -> Mapping[str, Any]:
    """Only from a public host with TLS, and not from where it sends us. Raises IssuerKeysAway."""
    try:
        return json_object(fetch_file(url, most_bytes=MOST_BYTES, seconds=SECONDS))
    except (Refused, RetryLater, NotJose):
        raise IssuerKeysAway from None
