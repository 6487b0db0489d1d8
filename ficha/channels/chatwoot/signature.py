"""The signature of the platform's webhook: over a time and the exact bytes, so that an old one cannot be sent again."""

import hashlib
import hmac
from datetime import datetime

from ficha.channels.errors import BadSignature, MissingSignature

SIGNATURE, TIMESTAMP = "x-chatwoot-signature", "x-chatwoot-timestamp"
# How far its clock may be from ours.
TOLERANCE_SECONDS = 300


def verify(secret: str, signature: str | None, timestamp: str | None, body: bytes, now: datetime) -> None:
    """Raises MissingSignature or BadSignature."""
    if not signature or not timestamp:
        raise MissingSignature
    if not timestamp.isdigit() or len(timestamp) > 12 or abs(int(timestamp) - now.timestamp()) > TOLERANCE_SECONDS:
        raise BadSignature
    signed = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(f"sha256={signed}".encode(), signature.encode("utf-8", "replace")):
        raise BadSignature
