"""What Health Cards and Health Links share of JOSE: base64url, the name of a key, signatures by ES256, and reading what
strangers compressed without being drowned in it."""

import zlib
from base64 import urlsafe_b64encode
from binascii import a2b_base64
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import ECKey
from joserfc.registry import HeaderParameter
from pydantic_core import from_json

ALGORITHM, CURVE, DEFLATE = "ES256", "P-256", "DEF"
# Levels of compression: for what must fit into a QR, and for what is made while somebody waits.
SMALLEST, FAST = 9, 3
# What an inflated text may have. Ours have a few kilobytes; a whole patient summary has a hundred.
MOST_BYTES = 1_000_000
# `zip` is a header of encryption in JOSE; Health Cards use it with signatures too. Bounds are ours, checked before.
_REGISTRY = jws.JWSRegistry({"zip": HeaderParameter("Compression", "str")}, [ALGORITHM])
_REGISTRY.max_payload_length = MOST_BYTES


class NotJose(ValueError):
    """The text is not what JOSE writes."""


class InflatesTooLarge(ValueError):
    """Inflated, the text would be larger than is read."""


class SignatureMismatch(ValueError):
    """The signature is not that of this key, or it was made for another text."""


def to_base64url(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def from_base64url(text: str) -> bytes:
    """Raises NotJose."""
    if not set("=+/").isdisjoint(text):
        raise NotJose("not base64url")
    try:
        padded = text.translate(_FROM_URL) + "=" * (-len(text) % 4)
        return a2b_base64(padded.encode("ascii"), strict_mode=True)
    except ValueError as error:
        raise NotJose("not base64url") from error


_FROM_URL = str.maketrans("-_", "+/")


def key_name(jwk: Mapping[str, Any]) -> str:
    """The `kid` of a public key: its thumbprint (RFC 7638). Raises NotJose if it is no key of P-256."""
    return _public_key(jwk).thumbprint()


def deflated(content: bytes, level: int = SMALLEST) -> bytes:
    """Raw DEFLATE."""
    stream = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS, 9)
    return stream.compress(content) + stream.flush()


def inflated(content: bytes, most: int = MOST_BYTES) -> bytes:
    """Never makes more than `most` bytes of it. Raises InflatesTooLarge or NotJose."""
    stream = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        plain = stream.decompress(content, most + 1)
    except zlib.error as error:
        raise NotJose("not deflated") from error
    if len(plain) > most:
        raise InflatesTooLarge
    if not stream.eof or stream.unused_data:
        raise NotJose("not all of it, or more than it")
    return plain


def json_object(content: bytes | str) -> dict[str, Any]:
    """Its parser stops at 200 levels. Raises NotJose."""
    try:
        found = from_json(content, allow_inf_nan=False)
    except ValueError as error:
        raise NotJose("not JSON") from error
    if not isinstance(found, dict):
        raise NotJose("not an object")
    return found


def signed(payload: bytes, private: ECKey, kid: str) -> str:
    """A compact JWS of what is deflated already. Its header has exactly what Health Cards ask for."""
    return jws.serialize_compact({"alg": ALGORITHM, "zip": DEFLATE, "kid": kid}, payload, private, registry=_REGISTRY)


def check_signature(compact: str, jwk: Mapping[str, Any]) -> None:
    """Raises SignatureMismatch, or NotJose if it is no key of P-256."""
    try:
        jws.deserialize_compact(compact, _public_key(jwk), registry=_REGISTRY)
    except (JoseError, ValueError) as error:
        raise SignatureMismatch from error


def _public_key(jwk: Mapping[str, Any]) -> ECKey:
    if (jwk.get("kty"), jwk.get("crv")) != ("EC", CURVE):
        raise NotJose("no key of P-256")
    x, y = jwk.get("x"), jwk.get("y")
    if not (isinstance(x, str) and isinstance(y, str)):
        raise NotJose("no point of P-256")
    return _public_key_at(x, y)


@lru_cache(maxsize=64)
def _public_key_at(x: str, y: str) -> ECKey:
    try:
        return ECKey.import_key({"kty": "EC", "crv": CURVE, "x": x, "y": y})
    except (JoseError, ValueError, TypeError) as error:
        raise NotJose("no point of P-256") from error
