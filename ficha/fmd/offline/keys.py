"""The keys that sign the offline text of stickers. Old ones sign no more, but stay published to check old stickers."""

import base64
import hashlib
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDSA,
    SECP256R1,
    EllipticCurvePrivateKey,
    EllipticCurvePublicKey,
    derive_private_key,
    generate_private_key,
)
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from sqlalchemy import select

from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.secrets import Secret
from ficha.core.transaction import Transaction

# Prefix of their rows in the `secrets` table: the data key is the private number, so `ficha keys rotate` includes it.
PREFIX = "offline:"
NUMBER_BYTES = 32
ID_BYTES = 4
# A new key is published this long before it signs: phones that keep the list have it by then.
LEAD = timedelta(days=7)


@dataclass(frozen=True)
class SigningKey:
    """ES256, because old browsers can check it; few can check Ed25519."""

    id: str
    since: datetime
    private: EllipticCurvePrivateKey = field(repr=False)

    @property
    def public(self) -> EllipticCurvePublicKey:
        return self.private.public_key()

    def sign(self, message: bytes) -> bytes:
        """The two numbers of the signature one after the other, the form that browsers take."""
        r, s = decode_dss_signature(self.private.sign(message, ECDSA(SHA256())))
        return r.to_bytes(NUMBER_BYTES) + s.to_bytes(NUMBER_BYTES)

    def jwk(self) -> dict[str, str]:
        point = self.public.public_numbers()
        return {
            "kty": "EC",
            "crv": "P-256",
            "x": _base64url(point.x),
            "y": _base64url(point.y),
            "kid": self.id,
            "alg": "ES256",
            "use": "sig",
        }


def signing_key(tx: Transaction, keyring: Keyring, now: datetime) -> SigningKey:
    """The newest key that has been published for `LEAD`, else the oldest. Creates one if there is none."""
    keys = signing_keys(tx, keyring)
    if not keys:
        return add_signing_key(tx, keyring, now)
    ready = [key for key in keys if key.since <= now - LEAD]
    return ready[-1] if ready else keys[0]


def ensure_signing_key(database: Database, keyring: Keyring, now: datetime) -> bool:
    """For those who only read: creates the first key, and only then takes a write transaction. Says whether it did."""
    with database.reading() as tx:
        if signing_keys(tx, keyring):
            return False
    with database.writing() as tx:
        signing_key(tx, keyring, now)
    return True


def signing_keys(tx: Transaction, keyring: Keyring) -> list[SigningKey]:
    """Oldest first, with those that no longer sign: stickers that they signed are still in use."""
    query = (
        select(Secret)
        .where(Secret.name.startswith(PREFIX, autoescape=True), Secret.key_id.is_not(None))
        .order_by(Secret.created_at, Secret.name)
    )
    return [_opened(secret, keyring) for secret in tx.orm.scalars(query)]


def add_signing_key(tx: Transaction, keyring: Keyring, now: datetime) -> SigningKey:
    private = generate_private_key(SECP256R1())
    key_id = _id_of(private.public_key())
    secret = Secret(name=PREFIX + key_id, created_at=now)
    secret.store_key(keyring, private.private_numbers().private_value.to_bytes(NUMBER_BYTES))
    tx.orm.add(secret)
    tx.orm.flush()
    return SigningKey(key_id, now, private)


def forget_signing_key(tx: Transaction, key_id: str) -> None:
    """Destroys a stolen key: it is no longer published, so every sticker that it signed is refused."""
    secret = tx.orm.get(Secret, PREFIX + key_id)
    if secret is not None:
        secret.destroy_key()


def public_key_set(keys: list[SigningKey]) -> dict[str, list[dict[str, str]]]:
    """A JWK set (RFC 7517)."""
    return {"keys": [key.jwk() for key in keys]}


def _opened(secret: Secret, keyring: Keyring) -> SigningKey:
    private = derive_private_key(int.from_bytes(secret.open_key(keyring)), SECP256R1())
    return SigningKey(secret.name.removeprefix(PREFIX), secret.created_at, private)


def _id_of(public: EllipticCurvePublicKey) -> str:
    """The beginning of the hash of the key: short enough for a sticker, and unique without a counter."""
    point = public.public_numbers()
    both = point.x.to_bytes(NUMBER_BYTES) + point.y.to_bytes(NUMBER_BYTES)
    return hashlib.sha256(both).digest()[:ID_BYTES].hex()


def _base64url(number: int) -> str:
    return base64.urlsafe_b64encode(number.to_bytes(NUMBER_BYTES)).decode().rstrip("=")
