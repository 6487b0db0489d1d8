"""Notifications on people's own devices, by the push services of their browsers: encrypted so that only the device can
read them (RFC 8291, with the coding of RFC 8188), and signed so that the service knows who sends (RFC 8292)."""

import json
import logging
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Collection
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDH,
    ECDSA,
    SECP256R1,
    EllipticCurvePrivateKey,
    EllipticCurvePublicKey,
    derive_private_key,
    generate_private_key,
)
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from ficha.channels.errors import Refused, RetryLater
from ficha.channels.send_watch import watched_send
from ficha.core.clock import Clock
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings

if TYPE_CHECKING:
    import httpx

# Chrome and Android, Firefox, Safari, Edge on Windows.
KNOWN = frozenset({"fcm.googleapis.com", "updates.push.services.mozilla.com", "web.push.apple.com"})
KNOWN_ENDINGS = (".push.services.mozilla.com", ".push.apple.com", ".notify.windows.com")
MOST_LETTERS = 1000


def is_push_service(endpoint: str, added: Collection[str]) -> bool:
    """`added`: hosts of the settings, with their port if it is another than usual; only they may be without TLS."""
    try:
        parts = urlsplit(endpoint)
        host = (parts.hostname or "").lower()
        port = parts.port
    except ValueError:
        return False
    if len(endpoint) > MOST_LETTERS or not endpoint.isascii() or "@" in parts.netloc or not parts.path.strip("/"):
        return False
    if (f"{host}:{port}" if port else host) in added:
        return parts.scheme in ("http", "https")
    return parts.scheme == "https" and port in (None, 443) and (host in KNOWN or host.endswith(KNOWN_ENDINGS))


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


TIMEOUT_SECONDS = 10.0


class DeviceGone(Refused):
    """The browser has ended this subscription, or never had it: it is to be deleted."""


@dataclass(frozen=True)
class PushMessage:
    """`tag`: a later one with the same tag takes the place of this one on the screen. `url`: a path of ours."""

    title: str
    body: str
    url: str
    tag: str
    lang: str


class WebPush:
    def __init__(self, settings: Settings, secrets: Secrets, clock: Clock) -> None:
        # It logs every address it calls, and these are what a device is reached by.
        logging.getLogger("httpx").setLevel(logging.WARNING)
        self._settings, self._secrets, self._clock = settings, secrets, clock

    @cached_property
    def key(self) -> SenderKey:
        return SenderKey(self._secrets)

    def send(self, device: Device, message: PushMessage, lifetime: timedelta, *, urgent: bool = False) -> str:
        """The push service's id of the message, or nothing. Raises DeviceGone, Refused or RetryLater."""
        import httpx  # noqa: PLC0415

        from ficha.channels.http_clients import certificates  # noqa: PLC0415  It says why not earlier.

        if not is_push_service(device.endpoint, self._settings.push_hosts):
            raise DeviceGone("not a push service that we call")
        content = encrypt(device, json.dumps(asdict(message), ensure_ascii=False).encode())
        parts = urlsplit(device.endpoint)
        headers = {
            "Authorization": self.key.authorization(
                f"{parts.scheme}://{parts.netloc}", self._settings.push_subject, self._clock.now()
            ),
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(int(lifetime.total_seconds())),
            "Urgency": "high" if urgent else "normal",
        }
        with watched_send("push"):
            try:
                # No redirect and no proxy of the environment: it goes to the address that was checked.
                answer = httpx.post(
                    device.endpoint,
                    content=content,
                    headers=headers,
                    timeout=TIMEOUT_SECONDS,
                    follow_redirects=False,
                    trust_env=False,
                    verify=certificates(),
                )
            except httpx.HTTPError as error:
                raise RetryLater(f"push: {type(error).__name__}") from None
            return _result(answer)


def _result(answer: "httpx.Response") -> str:
    status = answer.status_code
    if status in (404, 410):
        raise DeviceGone(f"push: {status}")
    if status == 429 or status >= 500:
        wait = answer.headers.get("retry-after", "")
        raise RetryLater(f"push: {status}", float(wait) if wait.isdigit() else None)
    if not answer.is_success:
        raise Refused(f"push: {status}")
    return str(answer.headers.get("location", ""))[:255]
