"""A document that somebody sends for a record, read with what this service is made of: by the API and by the pages."""

from datetime import datetime

from ficha.exchange.imports.cards import CardSigners
from ficha.exchange.imports.files import Documents, read_file
from ficha.exchange.imports.issuer_fetching import fetch_json
from ficha.exchange.issuer_keys import issuer_keys
from ficha.parts import Parts
from ficha.photos.photos import texts_in_picture


def read_sent(parts: Parts, content: bytes, language: str, now: datetime) -> Documents:
    """Nothing is locked meanwhile. Raises why it is refused."""
    with parts.database.reading() as tx:
        own_keys = {"keys": [key.public for key in issuer_keys(tx)]}
    signers = CardSigners(parts.trusted_issuers, own_keys, fetch_json)

    def texts_in(picture: bytes) -> list[str]:
        return texts_in_picture(parts.photo_reader, picture, parts.settings.picture_pixels)

    return read_file(content, language, now, signers, texts_in)
