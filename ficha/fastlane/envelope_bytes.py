"""The envelope around the lane's answers, as bytes."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from ficha.core.settings import Settings


class Payload(NamedTuple):
    """The `data` of an answer. `models` are those it speaks of, for the log; `size` is set when it is a list."""

    data: bytes
    models: Sequence[str]
    etag: str = ""
    size: int | None = None


class EnvelopeBytes:
    """`meta` changes once a second, so it is made once a second."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._begins = self._ends = datetime.min.replace(tzinfo=UTC)
        self._meta = b""

    def wrap(self, payload: Payload, now: datetime) -> bytes:
        # Comparing is quicker than cutting off the microseconds each time.
        if not self._begins <= now < self._ends:
            self._begins = now.replace(microsecond=0)
            self._ends = self._begins + timedelta(seconds=1)
            self._meta = self._meta_at(self._begins)
        if payload.size is None:
            return b'%b},"data":%b}' % (self._meta, payload.data)
        return b'%b,"page":{"size":%d,"next":null}},"data":%b}' % (self._meta, payload.size, payload.data)

    def _meta_at(self, second: datetime) -> bytes:
        """Left open, because a list adds its page."""
        meta = {
            "timestamp": second.isoformat(),
            "api_version": self._settings.api_version,
            "status": 200,
            "copyright": self._settings.copyright,
        }
        return b'{"meta":' + json.dumps(meta, ensure_ascii=False, separators=(",", ":")).encode().removesuffix(b"}")
