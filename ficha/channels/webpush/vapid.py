"""Says to a push service who sends (RFC 8292): a key pair of ours, and a token that it signs for each service."""

import json
from datetime import datetime, timedelta

from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDSA,
    SECP256R1,
    EllipticCurvePrivateKey,
    derive_private_key,
)
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from ficha.channels.webpush.encryption import base64url, point_of
from ficha.core.secrets import Secrets

SECRET = "vapid"  # noqa: S105  The name of the secret.
# Of the curve: how many private keys there are.
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
LIFETIME = timedelta(hours=12)


class SenderKey:
    """Derived from the service's own secret, which is made at the first start and wrapped by the master key: the same
    in every process, and browsers stay subscribed when the master key changes."""

    def __init__(self, secrets: Secrets) -> None:
        number = int.from_bytes(secrets.derive(SECRET)) % (ORDER - 1) + 1
        self._key: EllipticCurvePrivateKey = derive_private_key(number, SECP256R1())

    @property
    def public(self) -> str:
        """What a browser needs to subscribe, in base64url."""
        return base64url(point_of(self._key.public_key()))

    def authorization(self, audience: str, subject: str, now: datetime) -> str:
        """The header for a push service; `audience` is its origin, with the port if it has one."""
        claims = {"aud": audience, "exp": int((now + LIFETIME).timestamp()), "sub": subject}
        parts = [base64url(json.dumps(part).encode()) for part in ({"typ": "JWT", "alg": "ES256"}, claims)]
        signed = ".".join(parts)
        r, s = decode_dss_signature(self._key.sign(signed.encode(), ECDSA(SHA256())))
        return f"vapid t={signed}.{base64url(r.to_bytes(32) + s.to_bytes(32))}, k={self.public}"
