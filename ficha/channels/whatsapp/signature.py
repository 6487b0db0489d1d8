"""Is it really the platform that calls our webhook?"""

import hashlib
import hmac

from ficha.channels.errors import BadSignature, MissingSignature

HEADER = "x-hub-signature-256"


def verify(secret: str, header: str | None, body: bytes) -> None:
    """Over the bytes of the wire: read and written again, any text outside ASCII has another signature."""
    if not header:
        raise MissingSignature
    # Without a secret everybody could sign.
    if not secret or not hmac.compare_digest(header.encode(errors="replace"), sign(secret, body).encode()):
        raise BadSignature


def sign(secret: str, body: bytes) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def shake_hands(verify_token: str, mode: str | None, token: str | None, challenge: str | None) -> str:
    """What to answer, as plain text, when the platform asks whether this webhook is ours."""
    if not verify_token or mode != "subscribe" or not challenge or token is None:
        raise BadSignature
    if not hmac.compare_digest(token.encode(errors="replace"), verify_token.encode()):
        raise BadSignature
    return challenge
