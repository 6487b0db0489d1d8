"""Files of a Health Link, encrypted with its key: JWE, `dir` and A256GCM. Each time under a nonce of its own."""

from typing import NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from joserfc import jwe
from joserfc.jwk import OctKey

from ficha.exchange.jose import DEFLATE, InflatesTooLarge, NotJose, from_base64url, inflated, json_object

JOSE = "application/jose"
NONCE_BYTES, TAG_BYTES = 12, 16
_REGISTRY = jwe.JWERegistry(algorithms=["dir", "A256GCM", "DEF"])


def encrypted_file(key: bytes, content_type: str, content: bytes) -> str:
    """In compact form. Deflated before: FHIR repeats itself, and a phone gets a sixth of it."""
    header = {"alg": "dir", "enc": "A256GCM", "zip": "DEF", "cty": content_type}
    return jwe.encrypt_compact(header, content, OctKey.import_key(key), registry=_REGISTRY)


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
