"""Server-Sent Events: `GET /v2/events` as an answer that does not end until somebody has a reason to end it."""

from ficha.http.streams.operation import events
from ficha.http.streams.streams import Rules, Streams

__all__ = ["Rules", "Streams", "events"]
