"""Files of a Health Link, encrypted with its key: JWE, `dir` and A256GCM. Each time under a nonce of its own."""

import secrets
from functools import cache
from typing import NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pydantic_core import to_json

from ficha.core.crypto import NONCE_BYTES
from ficha.exchange.jose import (
    DEFLATE,
    FAST,
    InflatesTooLarge,
    NotJose,
    deflated,
    from_base64url,
    inflated,
    json_object,
    to_base64url,
)

JOSE = "application/jose"
TAG_BYTES = 16
# Of header, nonce and tag alone: no file has fewer letters.
SHORTEST_FILE = 130


def encrypted_file(key: bytes, content_type: str, content: bytes) -> str:
    """In compact form, deflated before: the last tenth that could be saved would take as long as all else. By the
    cipher itself, because the objects of a library take longer than what they do."""
    header, nonce = _header(content_type), secrets.token_bytes(NONCE_BYTES)
    sealed = AESGCM(key).encrypt(nonce, deflated(content, FAST), header.encode())
    # The second part, an encrypted key, is empty: whoever has the link has the key.
    return ".".join([header, "", *map(to_base64url, (nonce, sealed[:-TAG_BYTES], sealed[-TAG_BYTES:]))])


@cache
def _header(content_type: str) -> str:
    return to_base64url(to_json({"alg": "dir", "enc": "A256GCM", "zip": "DEF", "cty": content_type}))


class DecryptedFile(NamedTuple):
    """`content_type` is empty where its header names none."""

    content_type: str
    content: bytes


class KeyMismatch(ValueError):
    """The key does not open the file: it is another's, or somebody altered it."""


def decrypted_file(key: bytes, compact: str, most_bytes: int) -> DecryptedFile:
    """Of anybody's link. Never makes more than `most_bytes` of it, which the libraries for JWE do not promise. Raises
    NotJose, KeyMismatch or InflatesTooLarge."""
    parts = compact.strip().split(".")
    if len(parts) != 5 or parts[1]:
        raise NotJose("not five parts, or with a key of its own")
    header = json_object(from_base64url(parts[0]))
    if (header.get("alg"), header.get("enc")) != ("dir", "A256GCM") or "crit" in header:
        raise NotJose("another encryption")
    if header.get("zip", DEFLATE) != DEFLATE:
        raise NotJose("another compression")
    nonce, content, tag = (from_base64url(part) for part in parts[2:])
    if (len(nonce), len(tag)) != (NONCE_BYTES, TAG_BYTES):
        raise NotJose("another nonce or tag")
    try:
        plain = AESGCM(key).decrypt(nonce, content + tag, parts[0].encode())
    except InvalidTag:
        raise KeyMismatch from None
    if "zip" in header:
        plain = inflated(plain, most_bytes)
    elif len(plain) > most_bytes:
        raise InflatesTooLarge
    kind = header.get("cty")
    return DecryptedFile(kind if isinstance(kind, str) else "", plain)
