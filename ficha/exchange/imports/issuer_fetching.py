"""The keys, and the lists of revoked cards, of issuers in our directory: fetched within bounds."""

from collections.abc import Mapping
from typing import Any

from ficha.channels.errors import Refused, RetryLater
from ficha.channels.public_files import fetch_file
from ficha.exchange.imports.cards import IssuerKeysAway
from ficha.exchange.jose import NotJose, json_object

MOST_BYTES = 200_000
SECONDS = 5.0


def fetch_json(url: str) -> Mapping[str, Any]:
    """Only from a public host with TLS, and not from where it sends us. Raises IssuerKeysAway."""
    try:
        return json_object(fetch_file(url, most_bytes=MOST_BYTES, seconds=SECONDS))
    except (Refused, RetryLater, NotJose):
        raise IssuerKeysAway from None
