"""Server-Sent Events: `GET /v2/events` as an answer that does not end until somebody has a reason to end it."""

from ficha.http.streams.open_streams import OpenStreams, StreamRules
from ficha.http.streams.opening import events

__all__ = ["OpenStreams", "StreamRules", "events"]
