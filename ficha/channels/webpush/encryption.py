"""Encrypts a notification so that only the device can read it (RFC 8291, with the coding of RFC 8188)."""

import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDH,
    SECP256R1,
    EllipticCurvePublicKey,
    generate_private_key,
)
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

COORDINATE_BYTES, AUTH_BYTES, SALT_BYTES = 32, 16, 16
POINT_BYTES = 1 + 2 * COORDINATE_BYTES
RECORD_BYTES = 4096
# Every message has this length, so that the push service does not learn which one it carries.
PLAIN_BYTES = 2048
# Marks the end of the last record.
END = b"\x02"


class BadDeviceKey(Exception):
    """What the browser gave is no point of the curve, or no secret of sixteen bytes."""


class TooLong(Exception):
    """The notification does not fit into one message. Always a bug of ours."""


@dataclass(frozen=True)
class Device:
    """Where a device is reached, and the keys that its browser made for us."""

    endpoint: str = field(repr=False)
    p256dh: str = field(repr=False)
    auth: str = field(repr=False)

    def public_key(self) -> EllipticCurvePublicKey:
        """Raises BadDeviceKey."""
        try:
            point = from_base64url(self.p256dh)
            if len(point) != POINT_BYTES or len(from_base64url(self.auth)) != AUTH_BYTES:
                raise BadDeviceKey
            return EllipticCurvePublicKey.from_encoded_point(SECP256R1(), point)
        except ValueError:
            raise BadDeviceKey from None


def encrypt(device: Device, plain: bytes) -> bytes:
    """Raises BadDeviceKey or TooLong."""
    if len(plain) > PLAIN_BYTES:
        raise TooLong
    theirs, ours, salt = device.public_key(), generate_private_key(SECP256R1()), os.urandom(SALT_BYTES)
    their_point, our_point = point_of(theirs), point_of(ours.public_key())
    shared = ours.exchange(ECDH(), theirs)
    info = b"WebPush: info\x00" + their_point + our_point
    secret = _derive(from_base64url(device.auth), shared, info, 32)
    key = _derive(salt, secret, b"Content-Encoding: aes128gcm\x00", 16)
    nonce = _derive(salt, secret, b"Content-Encoding: nonce\x00", 12)
    padded = plain + END + bytes(PLAIN_BYTES - len(plain))
    head = salt + RECORD_BYTES.to_bytes(4) + bytes([len(our_point)]) + our_point
    return head + AESGCM(key).encrypt(nonce, padded, None)


def point_of(key: EllipticCurvePublicKey) -> bytes:
    """Uncompressed, as X9.62 writes it. The library's own writer comes with those of many formats: a megabyte."""
    numbers = key.public_numbers()
    return b"\x04" + numbers.x.to_bytes(COORDINATE_BYTES) + numbers.y.to_bytes(COORDINATE_BYTES)


def base64url(content: bytes) -> str:
    return urlsafe_b64encode(content).decode().rstrip("=")


def from_base64url(text: str) -> bytes:
    """Raises ValueError."""
    return urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))


def _derive(salt: bytes, secret: bytes, info: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt, info).derive(secret)
