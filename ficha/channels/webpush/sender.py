"""Sends a notification to a device through the push service of its browser."""

import json
import logging
from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ficha.channels.certificates import certificates
from ficha.channels.errors import Refused, RetryLater
from ficha.channels.webpush.encryption import Device, encrypt
from ficha.channels.webpush.hosts import is_push_service
from ficha.channels.webpush.vapid import SenderKey
from ficha.core.clock import Clock
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings

if TYPE_CHECKING:
    import httpx

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
        import httpx  # noqa: PLC0415  A tenth of a second of the start, and eight megabytes.

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
