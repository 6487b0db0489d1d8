"""Checks that the caller of our webhook is the platform."""

import hashlib
import hmac

from ficha.channels.errors import BadSignature, MissingSignature

HEADER = "x-hub-signature-256"


def verify(secret: str, header: str | None, body: bytes) -> None:
    """Raises MissingSignature or BadSignature. `body` is the bytes as they came: JSON that is read and written again
    has another signature."""
    if not header:
        raise MissingSignature
    # With an empty secret everybody could sign.
    if not secret or not hmac.compare_digest(header.encode(errors="replace"), sign(secret, body).encode()):
        raise BadSignature


def sign(secret: str, body: bytes) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def answer_challenge(verify_token: str, mode: str | None, token: str | None, challenge: str | None) -> str:
    """What to answer, as plain text, when the platform asks whether this webhook is ours. Raises BadSignature if the
    token is not the agreed one."""
    if not verify_token or mode != "subscribe" or not challenge or token is None:
        raise BadSignature
    if not hmac.compare_digest(token.encode(errors="replace"), verify_token.encode()):
        raise BadSignature
    return challenge
