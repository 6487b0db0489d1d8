"""Server-Sent Events: `GET /v2/events` as an answer that does not end until somebody has a reason to end it."""

from ficha.http.streams.open_streams import Rules, Streams
from ficha.http.streams.opening import events

__all__ = ["Rules", "Streams", "events"]
